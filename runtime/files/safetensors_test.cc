// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/safetensors.h"

#include "ir/core/philox.h"
#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using Safetensors = Folder;
TEST_F(Safetensors, RoundTripKeepsEveryType) {
  TensorMap out;
  for (DType t : {f32, f64, i16, i32, i64, u8, u16, u32, u64, i1}) {
    HostTensor v({t, {2, 3}});
    for (size_t i = 0; i < v.bytes().size(); ++i)
      v.bytes()[i] = t == i1 ? i % 2 : static_cast<unsigned char>(i * 7);
    out.emplace(name_of(t), v);
  }
  out.emplace("empty", HostTensor({f32, {0, 4}}));
  out.emplace("scalar", HostTensor({f32, {}}));
  ASSERT_TRUE(write_safetensors(path("w"), out).ok());
  auto in = read_safetensors(path("w"));
  ASSERT_TRUE(in.ok()) << in.error().text();
  ASSERT_EQ(in->size(), out.size());
  for (auto& [name, v] : out) {
    EXPECT_EQ(in->at(name), v);
  }
}

TEST_F(Safetensors, EveryTruncationAndManyFlipsAreRefusedOrRead) {
  TensorMap out;
  out.emplace("a", HostTensor({f32, {5}}));
  out.emplace("b", HostTensor({i64, {2, 2}}));
  ASSERT_TRUE(write_safetensors(path("w"), out).ok());
  const std::string whole = *read_file(path("w"));
  for (size_t n = 0; n < whole.size(); ++n) {
    ASSERT_TRUE(write_file(path("t"), whole.substr(0, n)).ok());
    EXPECT_FALSE(read_safetensors(path("t")).ok()) << n;
  }
  PhiloxSequence random(3);
  // A damaged file must not crash or block the reader. If it is accepted, every tensor has the size that it
  // claims.
  for (int i = 0; i < 1000; ++i) {
    std::string bad = whole;
    bad[random.below(bad.size())] ^= static_cast<char>(1 << random.below(8));
    ASSERT_TRUE(write_file(path("t"), bad).ok());
    if (auto got = read_safetensors(path("t"))) {
      for (auto& [name, v] : *got) EXPECT_EQ(static_cast<int64_t>(v.bytes().size()), v.type().bytes());
    }
  }
}

TEST_F(Safetensors, AChangedElementOrNoteIsDamage) {
  TensorMap out;
  out.emplace("a", HostTensor({f32, {5}}));
  out.emplace("b", HostTensor({f32, {1}}));
  ASSERT_TRUE(write_safetensors(path("w"), out, {{"note", "12"}}).ok());
  const std::string whole = *read_file(path("w"));
  const auto read_changed = [&](size_t at, char to) {
    std::string changed = whole;
    changed[at] = to;
    EXPECT_TRUE(write_file(path("t"), changed).ok());
    return read_safetensors(path("t"));
  };
  for (size_t byte = whole.size() - 24; byte < whole.size(); ++byte) {
    const auto read = read_changed(byte, '\1');
    ASSERT_FALSE(read.ok()) << byte;
    EXPECT_NE(read.error().what.find("is damaged"), std::string::npos) << byte;
  }
  EXPECT_FALSE(read_changed(whole.find("12"), '3').ok()) << "a note";
  EXPECT_FALSE(read_changed(whole.find("\"b\"") + 1, 'c').ok()) << "a name";
  EXPECT_TRUE(read_changed(whole.find("12"), '1').ok()) << "nothing has changed";
}

// Returns the contents of a safetensors file with this header and `data`.
std::string with_header(const std::string& header, const std::string& data = "") {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}

TEST_F(Safetensors, AHeaderWithAMemberOrTypeOutsideTheFormatIsRefused) {
  const std::string a = R"("dtype":"U8","shape":[1],"data_offsets":[0,1])";
  const struct {
    std::string header, says;
  } cases[] = {
      {R"({"a":{)" + a + R"(},"a":{)" + a + "}}", "'a' is listed twice"},
      {R"({"a":{"dtype":"U8",)" + a + "}}", "the member 'dtype' twice"},
      {R"({"__metadata__":{"k":{"deep":"v"}},"a":{)" + a + "}}", "an object where the format allows none"},
      {R"({"__metadata__":{"k":["v"]},"a":{)" + a + "}}", "a list where the format allows none"},
      {R"({"__metadata__":{"k":"v","k":"w"},"a":{)" + a + "}}", "the member 'k' twice"},
      {R"({"__metadata__":"text","a":{)" + a + "}}", "a text where the format allows none"},
      {R"({"a":{"extra":1,)" + a + "}}", "unknown member 'extra'"},
      {R"({"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,1]}})", "a negative number"},
      {R"({"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}})", "a fraction"},
      {R"({"a":{"dtype":"U8","shape":[[1]],"data_offsets":[0,1]}})", "a list where"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", "more than two data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}})", "two data_offsets"},
      {R"({"a":{"dtype":["U8"],"shape":[1],"data_offsets":[0,1]}})", "a list where"},
      {R"({"a":{"dtype":"U8","shape":"1","data_offsets":[0,1]}})", "a text where"},
      {R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "needs dtype, shape and two data_offsets"},
      {R"({"a":{"dtype":"U8","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,1]}})",
       "a shape of more than 8 sizes"},
      {R"({"a":{"dtype":"U8","shape":[140737488355329],"data_offsets":[0,1]}})",
       "the size 140737488355329, more than the limit of 2^47"},
      {R"([{"a":1}])", "not a JSON object"},
      {"7", "not a JSON object"},
  };
  for (const auto& c : cases) {
    ASSERT_TRUE(write_file(path("t"), with_header(c.header, "x")).ok());
    auto got = read_safetensors(path("t"));
    ASSERT_FALSE(got.ok()) << c.header;
    EXPECT_NE(got.error().what.find(c.says), std::string::npos) << got.error().what;
  }
  ASSERT_TRUE(write_file(path("t"), with_header(R"({"__metadata__":{"k":"v"},"a":{)" + a + "}}", "x")).ok());
  EXPECT_TRUE(read_safetensors(path("t")).ok());
}

TEST_F(Safetensors, AStepIsANumberOfSteps) {
  uint64_t step = 3;
  ASSERT_TRUE(read_step("f", {}, step).ok());
  EXPECT_EQ(step, 3u) << "a file without a step leaves the step as it is";
  ASSERT_TRUE(read_step("f", step_metadata(uint64_t{1} << 62), step).ok());
  EXPECT_EQ(step, uint64_t{1} << 62);
  for (const char* text : {"", "x", "12x", "-1", "4611686018427387905", "99999999999999999999"}) {
    const Status status = read_step("f", {{"cutset.step", text}}, step);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.error().what,
              "'f': its metadata 'cutset.step' is '" + std::string(text) + "', not a number of steps");
  }
  EXPECT_EQ(step, uint64_t{1} << 62);
}

TEST_F(Safetensors, DeepNestingIsRefusedAtTheFirstUnexpectedLevel) {
  ASSERT_TRUE(write_file(path("t"), with_header(std::string(40'000'000, '['))).ok());
  auto got = read_safetensors(path("t"));
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().what.find("not a JSON object"), std::string::npos) << got.error().what;
}

TEST_F(Safetensors, ABooleanIsZeroOrOne) {
  const std::string header = R"({"a":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})";
  ASSERT_TRUE(write_file(path("t"), with_header(header, std::string("\0\1", 2))).ok());
  EXPECT_TRUE(read_safetensors(path("t")).ok());
  ASSERT_TRUE(write_file(path("t"), with_header(header, std::string("\0\2", 2))).ok());
  EXPECT_FALSE(read_safetensors(path("t")).ok());
}

TEST_F(Safetensors, WhatCannotBeReadBackIsNotWritten) {
  TensorMap one;
  one.emplace("\xff", HostTensor({f32, {1}}));
  EXPECT_FALSE(write_safetensors(path("w"), one).ok()) << "a name that is not UTF-8";
  one.clear();
  one.emplace("__metadata__", HostTensor({f32, {1}}));
  EXPECT_FALSE(write_safetensors(path("w"), one).ok());
  EXPECT_EQ(entries(), 0);
}

// Regression test: files above 4 GiB could be written but not read. The file is sparse, so the test needs no
// disk space. The file is refused because its data are longer than its tensor. This shows that its size is
// accepted.
TEST_F(Safetensors, ALargeFileIsNotRefusedForItsSize) {
  const uint64_t large = uint64_t{5} << 30;
  const std::string header = R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
  ASSERT_TRUE(write_file(path("t"), with_header(header)).ok());
  std::filesystem::resize_file(path("t"), large);
  auto got = read_safetensors(path("t"));
  ASSERT_FALSE(got.ok());
  EXPECT_NE(got.error().what.find("its tensors end at byte 1"), std::string::npos) << got.error().what;
}

}  // namespace
}  // namespace cutset

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <thread>

#include "ir/core/philox.h"
#include "runtime/data/dataset.h"
#include "runtime/data/idx.h"
#include "runtime/data/prefetcher.h"
#include "runtime/files.h"
#include "runtime/safetensors.h"
#include "runtime/transport.h"

namespace cutset {
namespace {

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "cutset-test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string folder_;
};

using Safetensors = Folder;
TEST_F(Safetensors, RoundTripKeepsEveryType) {
  TensorMap out;
  for (DType t : {f32, f64, i32, i64, u8, i1}) {
    HostTensor v({t, {2, 3}});
    for (size_t i = 0; i < v.bytes().size(); ++i) v.bytes()[i] = t == i1 ? i % 2 : static_cast<unsigned char>(i * 7);
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
  for (int i = 0; i < 1000; ++i) {  // no crash, no hang; what is accepted has the size it says
    std::string bad = whole;
    bad[random.below(bad.size())] ^= static_cast<char>(1 << random.below(8));
    ASSERT_TRUE(write_file(path("t"), bad).ok());
    if (auto got = read_safetensors(path("t"))) {
      for (auto& [name, v] : *got) EXPECT_EQ(static_cast<int64_t>(v.bytes().size()), v.type().bytes());
    }
  }
}

using Files = Folder;
TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  ASSERT_TRUE(write_file(path("f"), "old").ok());
  EXPECT_FALSE(write_file(path("no/such/folder/f"), "new").ok());
  EXPECT_FALSE(write_file(folder_, "new").ok());
  if (access("/dev/full", W_OK) == 0) {
    EXPECT_FALSE(write_file("/dev/full", "new").ok());
  }
  EXPECT_EQ(*read_file(path("f")), "old");
  ASSERT_TRUE(write_file(path("f"), "new").ok());
  EXPECT_EQ(*read_file(path("f")), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}
TEST_F(Files, ReadingStopsAtTheLimit) {
  ASSERT_TRUE(write_file(path("f"), std::string(100, 'x')).ok());
  EXPECT_TRUE(read_file(path("f"), 100).ok());
  EXPECT_FALSE(read_file(path("f"), 99).ok());
}

using Idx = Folder;
TEST_F(Idx, PlainAndGzipGiveTheSame) {
  std::string file("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12);
  file += "abcdef";
  ASSERT_TRUE(write_file(path("p"), file).ok());
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, file.data(), static_cast<unsigned>(file.size()));
  gzclose(z);
  for (const char* name : {"p", "z.gz"}) {
    auto idx = read_idx(path(name));
    ASSERT_TRUE(idx.ok()) << idx.error().text();
    EXPECT_EQ(idx->shape, (Shape{2, 3}));
    EXPECT_EQ(std::string(idx->bytes.begin(), idx->bytes.end()), "abcdef");
  }
  EXPECT_FALSE(read_idx(path("p"), 5).ok()) << "above the limit";
  EXPECT_TRUE(read_idx(path("p"), 6).ok()) << "at the limit";
}

TEST(Transport, AWrongMessageIsAnErrorThatNamesBoth) {
  Mailbox box({f32, {4}});
  const MessageHeader sent{1, 7, 3, 0, 16};
  for (auto change : {+[](MessageHeader& h) { h.program++; }, +[](MessageHeader& h) { h.step++; },
                      +[](MessageHeader& h) { h.channel++; }, +[](MessageHeader& h) { h.dtype++; },
                      +[](MessageHeader& h) { h.bytes++; }}) {
    MessageHeader expected = sent;
    change(expected);
    box.post(sent);
    Status s = box.take(expected);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().what.find("step 7"), std::string::npos);
  }
  box.post(sent);
  EXPECT_TRUE(box.take(sent).ok());
}

TEST(Transport, AbandonEndsAWait) {
  Mailbox box({f32, {4}});
  std::thread waiting([&] { EXPECT_FALSE(box.take({}).ok()); });
  box.abandon();
  waiting.join();
}

TEST(Prefetcher, GivesItemsInOrderAndStopsEarly) {
  int next = 0;
  auto make = [&]() -> std::optional<int> { return next < 100 ? std::optional<int>(next++) : std::nullopt; };
  {
    Prefetcher<int> p(make, 3);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(*p.take(), i);
    EXPECT_FALSE(p.take().has_value());
  }
  next = 0;
  Prefetcher<int> unfinished(make, 2);
  EXPECT_EQ(*unfinished.take(), 0);
}

TEST(Dataset, ShufflesArePermutationsThatDependOnSeedAndEpoch) {
  const auto a = shuffled_order(1000, 1, 0);
  EXPECT_EQ(a, shuffled_order(1000, 1, 0));
  EXPECT_NE(a, shuffled_order(1000, 1, 1));
  EXPECT_NE(a, shuffled_order(1000, 2, 0));
  auto sorted = a;
  std::sort(sorted.begin(), sorted.end());
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(sorted[size_t(i)], i);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests files of saved programs with a correct checksum and one mistake in their contents. read_program
// refuses them.
#include <zlib.h>

#include <cstring>
#include <fstream>

#include "runtime/files/files.h"
#include "tests/equivalence/hostile/lies.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

constexpr size_t kHeader =
    24;  // the magic number, the version, the checksum at byte 12, and the size at byte 16

template <class T>
void put(std::string& bytes, size_t at, T value) {
  ASSERT_LE(at + sizeof value, bytes.size());
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
// Returns a text as a file holds it: its length and its bytes.
std::string stored_text(const std::string& text) {
  const uint64_t length = text.size();
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

class HostileFile : public Folder {
 protected:
  void SetUp() override {
    good_.program = compiled({});
    for (const Variable& v : good_.program.variables) good_.variables.emplace(v.name, HostTensor(v.type));
  }
  // Returns the error of reading the saved program after `change`.
  std::string refusal_of(const std::function<void(SavedProgramFile&)>& change) {
    SavedProgramFile saved = good_;
    change(saved);
    EXPECT_TRUE(write_program(path("p"), saved).ok());
    return error();
  }
  // Returns the error of reading the good file after `change` of the bytes after its header.
  std::string refusal_of_body(const std::function<void(std::string&)>& change) {
    EXPECT_TRUE(write_program(path("p"), good_).ok());
    const std::string whole = *read_file(path("p"));
    std::string header = whole.substr(0, kHeader), body = whole.substr(kHeader);
    change(body);
    put<uint32_t>(
        header, 12,
        static_cast<uint32_t>(crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(body.data()),
                                    static_cast<uInt>(body.size()))));
    put<uint64_t>(header, 16, body.size());
    std::ofstream(path("p"), std::ios::binary) << header << body;
    return error();
  }
  // Returns the index in the body at which the value of a variable begins. A value is a type, a shape and
  // bytes.
  static size_t value_of(const std::string& body, const std::string& variable) {
    return body.rfind(stored_text(variable)) + sizeof(uint64_t) + variable.size();
  }
  std::string error() const {
    auto read = read_program(path("p"));
    return read ? "accepted" : read.error().what;
  }
  SavedProgramFile good_;
};

TEST_F(HostileFile, ABodyThatEndsTooEarlyOrTooLate) {
  EXPECT_EQ(refusal_of_body([](std::string&) {}), "accepted");
  EXPECT_THAT(refusal_of_body([](std::string& body) { body += '\0'; }),
              HasSubstr("or has bytes after its last field"));
  size_t size = 0;
  refusal_of_body([&](std::string& body) { size = body.size(); });
  for (size_t n = 0; n < size; n += 1 + n / 10)
    EXPECT_THAT(refusal_of_body([&](std::string& body) { body.resize(n); }),
                HasSubstr("its body ends within a field"))
        << n;
}

TEST_F(HostileFile, AnAttributeOfAnUnknownType) {
  const auto& compute = list(good_.program, Queue::kCompute);
  const auto i = std::find_if(compute.begin(), compute.end(), [](const auto& i) {
    return i.template is<RunKernel>() && !i.template as<RunKernel>()->attributes.empty();
  });
  ASSERT_NE(i, compute.end());
  const auto& [name, value] = i->as<RunKernel>()->attributes[0];
  const std::string kind(1, static_cast<char>(value.index()));
  EXPECT_THAT(refusal_of_body([&](std::string& body) {
                const size_t at = body.find(stored_text(name) + kind);
                ASSERT_NE(at, std::string::npos);
                body[at + sizeof(uint64_t) + name.size()] = 99;
              }),
              HasSubstr("it has an attribute or a command of an unknown kind"));
}

TEST_F(HostileFile, ACommandOfAnUnknownKind) {
  const auto& compute = list(good_.program, Queue::kCompute);
  const auto i =
      std::find_if(compute.begin(), compute.end(), [](const auto& i) { return i.template is<RunKernel>(); });
  ASSERT_NE(i, compute.end());
  const std::string kernel = stored_text(i->as<RunKernel>()->kernel);
  EXPECT_THAT(refusal_of_body([&](std::string& body) {
                const size_t at = body.find(kernel);
                ASSERT_NE(at, std::string::npos);
                ASSERT_EQ(body[at - 1], 0) << "the kind of the command precedes its first field";
                body[at - 1] = static_cast<char>(std::variant_size_v<Command>);
              }),
              HasSubstr("it has an attribute or a command of an unknown kind"));
}

TEST_F(HostileFile, ValuesThatDoNotBelongToTheirVariable) {
  const std::string name = good_.program.variables[0].name;
  auto renamed = [&](const std::string& other) {
    return refusal_of([&](SavedProgramFile& saved) {
      auto node = saved.variables.extract(name);
      node.key() = other;
      saved.variables.insert(std::move(node));
    });
  };
  EXPECT_THAT(renamed("stranger"), HasSubstr("it has a value for 'stranger', which is no variable of it"));
  EXPECT_THAT(renamed("two words"),
              HasSubstr("the name 'two words' of a variable has a character that is not allowed"));
  EXPECT_THAT(refusal_of([&](SavedProgramFile& saved) { saved.variables[name] = HostTensor({f32, {77}}); }),
              HasSubstr("the value of variable '" + name + "' is of type 77xf32, and the variable is "));
  EXPECT_THAT(refusal_of([&](SavedProgramFile& saved) {
                HostTensor bits({i1, {2}});
                bits.bytes()[1] = 7;
                saved.variables[name] = bits;
              }),
              HasSubstr("variable '" + name + "': element 1 of an i1 tensor is 7, which is neither 0 nor 1"));
  EXPECT_THAT(refusal_of_body([&](std::string& body) { put<int32_t>(body, value_of(body, name), 99); }),
              HasSubstr("variable '" + name + "': element type 99 does not exist"));
  // The type is followed by the number of sizes and the first size.
  const auto size = good_.program.variables[0].type.shape.at(0);
  EXPECT_THAT(
      refusal_of_body([&](std::string& body) { put<int64_t>(body, value_of(body, name) + 12, size + 1); }),
      ::testing::ContainsRegex("variable '.*' is of type .*, which takes [0-9]+ bytes, and has [0-9]+"));
}

TEST_F(HostileFile, AVariableWithTwoValues) {
  const std::string last = good_.variables.rbegin()->first;
  const auto twin = std::find_if(good_.variables.begin(), good_.variables.end(), [&](const auto& v) {
    return v.first != last && v.first.size() == last.size();
  });
  ASSERT_NE(twin, good_.variables.end());
  EXPECT_THAT(refusal_of_body([&](std::string& body) {
                body.replace(body.rfind(stored_text(last)) + sizeof(uint64_t), last.size(), twin->first);
              }),
              HasSubstr("variable '" + twin->first + "' is listed twice"));
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Tests that explain and the drawings mark devices that have less memory than the program takes.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/small_training.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MemoryLimits : public Folder {
 protected:
  // Two stages, on devices of which sim:0 has `bytes`.
  CompileOptions limited_to(uint64_t bytes) {
    std::ofstream(path("devices.json")) << R"({"sim:0": {"memory_bytes": )" << bytes << "}}";
    return {.devices = "reference:0,sim:0",
            .strategy = "pipeline(2, micro_batches=2)",
            .device_file = path("devices.json"),
            .on_note = quiet};
  }
};

// explain() says that a limit is exceeded exactly if a session is refused. The error of the session names the
// same bytes, although the session computes them independently.
TEST_F(MemoryLimits, AreExceededExactlyIfASessionIsRefused) {
  const uint64_t needed = explain(small_network(), limited_to(1'000'000)).memory[1].needed();
  for (const uint64_t limit : {needed - 1, needed}) {
    const CompileOptions options = limited_to(limit);
    const auto memory = explain(small_network(), options).memory;
    EXPECT_EQ(memory[0].limit, 0u);
    EXPECT_FALSE(memory[0].over_limit());
    EXPECT_EQ(memory[1].limit, limit);
    EXPECT_EQ(memory[1].over_limit(), limit < needed);
    const std::string error = error_of([&] { compile(small_network(), options); });
    EXPECT_THAT(error, limit < needed ? HasSubstr("has " + std::to_string(limit) +
                                                  " bytes; the program takes " + std::to_string(needed))
                                      : HasSubstr("no error"));
  }
}

TEST_F(MemoryLimits, AreMarkedInTheBoxOfTheDeviceAtEveryLevel) {
  const Drawings marked = dump(small_network(), limited_to(100)).drawings;
  for (const std::string& text : {marked.ops, marked.layers, marked.blocks}) {
    const size_t box = text.find("label=\"sim:0, stage 2 of 2\\nover its limit: ");
    ASSERT_NE(box, std::string::npos);
    EXPECT_THAT(text.substr(box, text.find('\n', box) - box),
                AllOf(HasSubstr(" of 100 B\""), HasSubstr("; color=\"#c0392b\"")));
    EXPECT_THAT(text, HasSubstr("label=\"reference:0, stage 1 of 2\"; labeljust=l; style=\"filled,rounded\"; "
                                "color=\"#8a94a3\""));
  }
  const uint64_t needed = explain(small_network(), limited_to(1'000'000)).memory[1].needed();
  EXPECT_THAT(dump(small_network(), limited_to(needed - 1)).drawings.layers, HasSubstr("over its limit"));
  EXPECT_THAT(dump(small_network(), limited_to(needed)).drawings.layers, Not(HasSubstr("over its limit")));
  // The file of the last phase, from which the memory is known.
  CompileOptions dumped = limited_to(100);
  dumped.dump_directory = path("dump");
  explain(small_network(), dumped);
  std::stringstream file;
  file << std::ifstream(path("dump/07-lower.dot")).rdbuf();
  EXPECT_THAT(file.str(), HasSubstr("over its limit"));
}

}  // namespace
}  // namespace cutset::testing

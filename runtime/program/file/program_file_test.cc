// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/file/program_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;
using ProgramFile = Folder;

// Returns the header of a file that claims to have this many bytes after its header.
std::string header_for(uint64_t bytes) {
  std::string header = "CUTSETP\n";
  const uint32_t version = kProgramFileVersion, checksum = 0;
  header.append(reinterpret_cast<const char*>(&version), sizeof version);
  header.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
  return header.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

// The file has a hole, so it takes no space on the disk, and nothing after its header is read.
TEST_F(ProgramFile, AFileOfMoreThan4GiBIsReadIfItHasTheSizeThatItClaims) {
  constexpr uint64_t kBytes = uint64_t{5} << 30;
  const std::string header = header_for(kBytes - 1);
  ASSERT_TRUE(write_file(path("p"), header).ok());
  std::filesystem::resize_file(path("p"), header.size() + kBytes);
  EXPECT_THAT(read_program(path("p")).error().what,
              HasSubstr("it claims 5368709119 bytes after its header and has 5368709120"));
}

TEST_F(ProgramFile, NoMemoryIsTakenForAFileThatIsLargerThanTheMachine) {
  constexpr uint64_t kBytes = uint64_t{1} << 42;
  const std::string header = header_for(kBytes);
  ASSERT_TRUE(write_file(path("p"), header).ok());
  std::error_code failed;
  std::filesystem::resize_file(path("p"), header.size() + kBytes, failed);
  if (failed) GTEST_SKIP() << "the file system has no files of 4 TiB: " << failed.message();
  EXPECT_THAT(read_program(path("p")).error().what,
              HasSubstr("4398046511104 bytes, and there is not enough memory"));
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/folder_lock.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;
using FolderLockTest = Folder;

TEST_F(FolderLockTest, ExcludesASecondOneUntilItEnds) {
  {
    const auto held = FolderLock::take(folder_);
    ASSERT_TRUE(held.ok()) << held.error().text();
    const auto second =
        FolderLock::take(folder_);  // each open file has a separate lock, even within one process
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().what,
                HasSubstr("'" + folder_ + "' is in use by another run, process " + std::to_string(getpid())));
  }
  EXPECT_EQ(entries(), 0) << "the file is removed";
  EXPECT_TRUE(FolderLock::take(folder_).ok());
}

TEST_F(FolderLockTest, MovesWithItsOwner) {
  auto held = FolderLock::take(folder_);
  ASSERT_TRUE(held.ok());
  const std::optional<FolderLock> moved(*std::move(held));
  EXPECT_FALSE(FolderLock::take(folder_).ok());
}

TEST_F(FolderLockTest, TakesOverTheFileOfAProcessThatWasKilled) {
  ASSERT_TRUE(write_file(path(".lock"), "999999\nrest").ok());
  EXPECT_TRUE(FolderLock::take(folder_).ok());
  EXPECT_EQ(entries(), 0);
}

TEST_F(FolderLockTest, AnotherKindOfFileIsRefused) {
  ASSERT_EQ(mkfifo(path(".lock").c_str(), 0600), 0);
  EXPECT_THAT(FolderLock::take(folder_).error().what, HasSubstr("is not a regular file"));
  EXPECT_FALSE(FolderLock::take(path("nowhere")).ok());
}

}  // namespace
}  // namespace cutset

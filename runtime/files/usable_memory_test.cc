// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/usable_memory.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/folder.h"

namespace cutset {
namespace {

// Files in the form of the files of Linux.
class UsableMemory : public Folder {
 protected:
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << '\n';
  }
  uint64_t limit() const { return memory_within_groups(path("groups"), path("fs")); }
  const uint64_t physical_ =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
};

TEST_F(UsableMemory, TheSmallestLimitOfAGroupAndThoseAroundItCounts) {
  write("groups", "0::/outer/inner");
  EXPECT_EQ(limit(), physical_);
  write("fs/outer/inner/memory.max", "max");
  EXPECT_EQ(limit(), physical_);
  write("fs/outer/memory.max", "3000");
  EXPECT_EQ(limit(), 3000u);
  write("fs/outer/inner/memory.max", "4000");
  EXPECT_EQ(limit(), 3000u);
  write("fs/outer/inner/memory.max", "2000");
  EXPECT_EQ(limit(), 2000u);
  write("fs/other/memory.max", "10");
  EXPECT_EQ(limit(), 2000u);
}

// In a container, the path of the group may be the path outside of the container.
TEST_F(UsableMemory, TheRootOfAContainerHasALimit) {
  write("groups", "0::/on/the/host");
  write("fs/memory.max", "5000");
  EXPECT_EQ(limit(), 5000u);
  write("groups", "0::/");
  EXPECT_EQ(limit(), 5000u);
}

TEST_F(UsableMemory, GroupsOfVersion1HaveAHierarchyOfMemory) {
  write("groups", "5:cpu,cpuacct:/job\n4:hugetlb,memory:/job\n0::/");
  write("fs/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(limit(), physical_);
  write("fs/memory/job/memory.limit_in_bytes", "7000");
  write("fs/cpu/job/memory.limit_in_bytes", "10");
  EXPECT_EQ(limit(), 7000u);
}

TEST_F(UsableMemory, FilesOfAnotherFormLimitNothing) {
  write("groups", "");
  EXPECT_EQ(limit(), physical_);
  write("groups", "no colons\n0:\n0::/a");
  write("fs/a/memory.max", "-5");
  EXPECT_EQ(limit(), physical_);
  write("fs/a/memory.max", "99999999999999999999999");
  EXPECT_EQ(limit(), physical_);
}

TEST(UsableMemoryOfThisProcess, IsThatWithinItsGroups) {
  EXPECT_EQ(usable_memory_bytes(), memory_within_groups("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace
}  // namespace cutset

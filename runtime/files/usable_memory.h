// SPDX-License-Identifier: Apache-2.0
// Finds how much memory this process can use.
#pragma once
#include <cstdint>
#include <string>

namespace cutset {

// Returns the physical memory of the machine in bytes, including memory that is in use, or the limit of the
// control groups (cgroups) of the process if it is smaller. Containers limit memory in this way. The limit is
// read once per process.
uint64_t usable_memory_bytes();

// Returns the limit of the control groups that the file `groups` names, in the form of /proc/self/cgroup. The
// limits of the groups that contain them also count. The directory `root` has the form of /sys/fs/cgroup,
// with the hierarchies of version 1, version 2 or both (man 7 cgroups). A file that cannot be read does not
// limit the memory.
uint64_t memory_within_groups(const std::string& groups, const std::string& root);

}  // namespace cutset

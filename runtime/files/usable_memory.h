// SPDX-License-Identifier: Apache-2.0
// The memory that this process can use.
#pragma once
#include <cstdint>
#include <string>

namespace cutset {

// Returns the physical memory of the machine in bytes, including the memory that is in use, or the limit of
// the process's control groups (cgroups) if that is smaller. Containers limit memory in this way. The limit
// is read once per process.
uint64_t usable_memory_bytes();

// The same for a process whose control groups the file `groups` names, which has the form of
// /proc/self/cgroup. The groups that contain them count, too. The directory `root` has the form of
// /sys/fs/cgroup, with the hierarchies of version 1, version 2 or both (man 7 cgroups). Files that cannot be
// read limit nothing.
uint64_t memory_within_groups(const std::string& groups, const std::string& root);

}  // namespace cutset

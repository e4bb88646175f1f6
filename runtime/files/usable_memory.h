// The memory that this process can use.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace cutset {

// Returns the physical memory of the machine in bytes, including the memory that is in use, or the limit of the process's control
// groups (cgroups) if that is smaller. Containers limit memory in this way.
uint64_t usable_memory_bytes();

// Returns the smallest memory limit, in bytes, of the control groups that are named in the file `groups`, which has the form of /proc/self/cgroup,
// and of the groups that contain them. The directory `root` has the hierarchies of version 1 and version 2 (man 7 cgroups). Returns nothing if there
// is no limit or if no file can be read.
std::optional<uint64_t> control_group_limit(const std::string& groups = "/proc/self/cgroup",
                                            const std::string& root = "/sys/fs/cgroup");

}  // namespace cutset

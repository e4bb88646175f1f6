// The memory of the machine that this process runs on.
#pragma once
#include <cstdint>

namespace cutset {

// All of its physical memory, in bytes, whether it is in use or not.
uint64_t machine_memory_bytes();

}  // namespace cutset

// The physical memory of the machine that this process runs on.
#pragma once
#include <cstdint>

namespace cutset {

// Returns the size of the physical memory in bytes, including the memory that is in use.
uint64_t machine_memory_bytes();

}  // namespace cutset

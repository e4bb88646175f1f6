// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a program on each of its devices. It depends on the machine: on the instruction sets
// of its processor, the number of threads and the versions of its libraries. It is therefore no part of a
// Program. Whoever owns a device reserves one region for all kernels of the program, because the kernels of a
// device run one after the other, on the queue `compute`. The region follows the arena.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset {

// Returns, by device of the program, the bytes that suffice for each of its kernels. `devices` describes the
// devices in the same order; they need not be open. A kernel that the program names and the backend does not
// have takes no memory: the program cannot be loaded. Fails if a kernel reports an error. Takes time for each
// distinct problem of a device.
Result<std::vector<uint64_t>> scratch_memory(const Program& program, const DeviceList& devices);

// Returns the offset of the region in the memory of a device with an arena of `arena_bytes` bytes.
// `alignment` is the alignment of slices of the device, a power of two. Saturates at UINT64_MAX.
uint64_t scratch_offset(uint64_t arena_bytes, uint64_t alignment);

}  // namespace cutset

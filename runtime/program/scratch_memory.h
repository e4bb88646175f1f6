// SPDX-License-Identifier: Apache-2.0
// The scratch memory of a program on each of its devices. It depends on the machine: on the instruction sets
// of its processor, the number of threads and the versions of its libraries. It is therefore no part of a
// Program, and whoever owns a device finds a place for it when the program is loaded.
//
// The kernels of a device run one after the other, on the queue `compute`. The scratch memory of a kernel
// gets the lowest place in the arena where no buffer is alive while the kernel runs. It may extend beyond the
// arena.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset {

// The scratch memory of the kernels of a function on one device.
struct ScratchPlaces {
  std::vector<uint64_t> offsets;  // by kernel: the first byte in the arena, a multiple of the alignment
  uint64_t step_memory = 0;       // the bytes that suffice for the arena and all these places
};

// Places the scratch memory of the kernels of a device. `bytes` has the bytes of each kernel of the compute
// queue, in the order of its list `compute`, followed by the list `apply`. The places of the list `apply`
// begin at the end of the arena. `alignment` is a power of two. The function must be expanded and have passed
// check_program. Sums saturate at UINT64_MAX.
ScratchPlaces place_scratch(const Function& function, size_t device, const std::vector<uint64_t>& bytes,
                            uint64_t alignment);

// Returns, by device of the program, the bytes that suffice for the arenas of all functions and for the
// scratch memory of each kernel. `devices` describes the devices in the same order; they need not be open. A
// kernel that the program names and the backend does not have takes no memory: the program cannot be loaded.
// Fails if a kernel reports an error. Sums saturate at UINT64_MAX. Takes time for each distinct problem of a
// device.
Result<std::vector<uint64_t>> step_memory(const Program& program, const DeviceList& devices);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Computes how much memory a program will take of each device and of the host, by category, before anything
// is allocated. The program must have passed check_program.
#pragma once
#include <string>
#include <vector>

#include "runtime/device/device.h"
#include "runtime/program/program.h"

namespace cutset {

// The memory that a program takes of one device, in bytes.
struct DeviceForecast {
  std::string device;      // its name
  uint64_t variables = 0;  // variables of the user
  uint64_t optimizer = 0;  // variables that hold optimizer state
  uint64_t constants = 0;  // all constants, each padded to 256 bytes (constant_stride)
  uint64_t arena = 0;      // the arena that all functions share: as large as the largest of them needs
  uint64_t scratch = 0;    // the scratch memory of kernels that finds no place in the arena
  std::string function;    // the function that needs the largest arena
  // At the peak of this function: the bytes that are alive, by the categories of Alive, and the op that runs
  // then with its layer and its line.
  uint64_t activations = 0, transfers = 0;
  std::string op, layer, source;
  uint64_t total() const;  // variables, optimizer, constants, arena and scratch memory
};

// Returns the distance in bytes from the start of a constant to the start of the next one, on a device with
// this alignment of slices. The constants of a program on one device share one buffer, in their order.
uint64_t constant_stride(const Constant& constant, uint64_t alignment);

// Returns the forecast of every device of the program. `devices` describes the devices of the program, in
// their order; they need not be open. Sums saturate at UINT64_MAX. Fails if a kernel cannot tell its scratch
// memory.
Result<std::vector<DeviceForecast>> forecast(const Program& program, const DeviceList& devices);
// Returns the host memory in bytes that a loaded program takes besides the memory of its devices: results,
// staging memory of transfers and all-reduces, and an estimate of the runtime's data per instruction, event
// and buffer.
uint64_t host_bytes(const Program& program);
// Fails if the host and all devices together take more than `limit` bytes. The error names both amounts.
// Without `devices`, the descriptions of the devices, scratch memory does not count.
Status check_memory_limit(const Program& program, uint64_t limit, const DeviceList* devices = nullptr);
// The memory that a session has already allocated on one device.
struct TakenMemory {
  uint64_t outside =
      0;  // bytes outside the arena; if they are not 0, they include the variables of the program
  uint64_t arena = 0;  // the size of the arena, which the program will share
};
// What a program is about to take of the devices, in the order of its devices.
struct MemoryDemand {
  const Program& program;
  const DeviceList& devices;
  // The bytes of the arena with scratch memory (scratch_memory.h). Empty: scratch memory does not count.
  std::vector<uint64_t> step_memory;
  std::vector<TakenMemory> taken;  // what the session has already allocated
};
// Fails if a device has less memory than the program takes. The error names the device, the categories, and
// the op at the peak. A device whose memory_bytes are 0 has no limit.
Status check_budgets(const MemoryDemand& demand);
// Fails if the devices that have no limit, and use the memory of the machine, together take more than
// `usable` bytes. Like the error of check_budgets(), the error names the device that takes most.
Status check_machine(const MemoryDemand& demand, uint64_t usable);

// The bytes of an arena that are alive (lifetimes.h) while one instruction of the compute queue runs.
struct Alive {
  uint64_t activations = 0;  // buffers that only the compute queue uses
  uint64_t transfers = 0;    // buffers that another queue also uses
  uint64_t total() const { return activations + transfers; }
};
// Returns one element per instruction of the compute queue (`compute` part) of the device, in their order.
// The function must be expanded.
std::vector<Alive> bytes_alive(const Function& function, size_t device);

}  // namespace cutset

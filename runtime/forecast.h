// What a program will take of each device's memory, by category, before anything is allocated.
#pragma once
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/program.h"

namespace cutset {

struct DeviceForecast {
  std::string device;
  uint64_t variables = 0;  // what the graph calls variables
  uint64_t optimizer = 0;  // state that the optimizer keeps
  uint64_t constants = 0;
  uint64_t arenas = 0;  // planned memory of all functions, one arena each
  uint64_t largest_arena = 0;
  std::string function;  // whose it is
  // Of the fullest moment in it: what is alive, by category, and the op that runs then.
  uint64_t activations = 0, transfers = 0, scratch = 0;
  std::string op, label, source;
  uint64_t total() const;
};

// Sums stop at UINT64_MAX instead of wrapping around.
std::vector<DeviceForecast> forecast(const Program& program);
// What a loaded program takes of the host's memory beside the memory of its devices: results, what travels between
// devices, and an estimate of what the runtime keeps of each instruction, event and buffer.
uint64_t host_bytes(const Program& program);
// Fails, naming the parts, where the host and all devices together take more than `limit` bytes.
Status check_memory_limit(const Program& program, uint64_t limit);
// Fails, naming the device, the op of the fullest moment and the bytes, where a device has less memory than
// the program takes (a budget of 0 bytes is none). `taken`, by device of the program: what earlier programs of
// the session hold, the variables among it.
Status check_budgets(const Program& program, const DeviceList& devices, const std::vector<uint64_t>& taken);

// Bytes of the arena that are alive while each instruction of a device's compute queue runs, in their order.
struct Alive {
  uint64_t activations = 0, transfers = 0, scratch = 0;  // transfers: what another queue touches, all step long
  uint64_t total() const { return activations + transfers + scratch; }
};
std::vector<Alive> bytes_alive(const Function& function, size_t device);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/libraries/cudnn_operands.h"

#include "backends/cuda/cudnn/sizes.h"

namespace cutset::cuda::doubles {
namespace {

constexpr uint64_t kAlignment = 16;  // in bytes; plans of cuDNN expect it of every address

bool overlap(const MemoryRange& a, const MemoryRange& b) {
  const auto *from = static_cast<const char*>(a.begin), *other = static_cast<const char*>(b.begin);
  return from < other + b.bytes && other < from + a.bytes;
}

std::string address_problem(const Operand& operand, const DriverFunctions& driver, int gpu) {
  const auto& [begin, bytes] = operand.range;
  const std::string name = operand.name;
  if (!begin) return "the address of " + name + " is null";
  if (reinterpret_cast<uintptr_t>(begin) % kAlignment != 0)
    return "the address of " + name + " is not a multiple of " + std::to_string(kAlignment);
  const int owner = driver.device_of(begin, bytes);
  if (owner < 0)
    return name + " does not lie in allocated memory with " + std::to_string(bytes) +
           " bytes from its address";
  return owner == gpu ? "" : name + " lies in the memory of another GPU";
}

}  // namespace

std::vector<Operand> operands_of(const Convolution& c, const ConvolutionMemory& memory, uint64_t workspace) {
  std::vector<Operand> all;
  const auto add = [&](const char* name, uint64_t address, size_t bytes, bool is_written) {
    all.push_back({name, {reinterpret_cast<const void*>(address), bytes}, is_written});
  };
  const auto bytes_of = [](int64_t elements) { return static_cast<size_t>(elements) * sizeof(float); };
  add("x", memory.x, bytes_of(image_elements(c)), c.direction == Direction::kBackwardInput);
  add("the filter", memory.filter, bytes_of(filter_elements(c)), c.direction == Direction::kBackwardFilter);
  add("y", memory.y, bytes_of(result_elements(c)), c.direction == Direction::kForward);
  if (c.bias) add("the bias", memory.bias, bytes_of(c.o), false);
  if (workspace > 0) add("the workspace", memory.workspace, workspace, true);
  return all;
}

std::string operand_problem(const std::vector<Operand>& operands, const DriverFunctions& driver, int gpu) {
  for (const Operand& operand : operands)
    if (std::string problem = address_problem(operand, driver, gpu); !problem.empty()) return problem;
  for (const Operand& a : operands)
    for (const Operand& b : operands)
      if (a.is_written && &a != &b && overlap(a.range, b.range))
        return std::string(a.name) + " overlaps " + b.name + ", and is written";
  return "";
}

}  // namespace cutset::cuda::doubles

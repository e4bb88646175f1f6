// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/device_code.h"

using namespace mlir;

namespace cutset::passes {

Result<VariableId> Names::find_variable(StringRef name) const {
  auto it = variables.find(name);
  if (it == variables.end()) return execution_failed("there is no variable @" + name.str());
  return it->second;
}

DeviceCode::DeviceCode(const EmitContext& context)
    : EmitContext(context),
      plan(function.devices[static_cast<size_t>(device)]),
      memory(function, device),
      make(names.roles, names.stages) {}

void DeviceCode::append(Queue queue, Instruction instruction) {
  Sequence& s = plan.queues[static_cast<int>(queue)];
  (applying ? s.apply : s.compute).push_back(std::move(instruction));
  if (!applying) queues.push_back(queue);
}

void DeviceCode::copy(BufferId from, BufferId to) {
  memory.advance();
  memory.use(from);
  memory.use(to);
  append(Queue::kCompute, {.command = CopyBuffer{from, to}});
}

BufferId DeviceCode::new_buffer_of(const TensorType& type, VariableId variable) {
  const BufferId id = memory.new_buffer(type, Storage::kVariable);
  function.buffers[id].variable = variable;
  return id;
}

VariableId DeviceCode::variable_in(BufferId buffer) const {
  return function.buffers[memory.root(buffer)].variable;
}

void DeviceCode::pack(DeviceMemory::Region* region) {
  const Packing packing = memory.pack(std::max<uint64_t>(description.info().alignment, 1), region);
  plan.arena_bytes = packing.bytes;
  plan.lower_bound_bytes = packing.lower_bound;
}

}  // namespace cutset::passes

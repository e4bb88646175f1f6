// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/scratch_memory.h"

#include <algorithm>
#include <unordered_set>

#include "ir/core/op/op_info.h"
#include "ir/core/op/problem_key.h"

namespace cutset {
namespace {

// Finds the most scratch memory that a kernel of one device needs.
class MostScratch {
 public:
  explicit MostScratch(const DeviceDescription& device) : device_(device) {}

  Status add(const std::vector<Instruction>& list, const Table<Buffer>& buffers) {
    for (const Instruction& i : list)
      if (const auto* c = i.as<RunKernel>()) CUTSET_TRY(add(i.op(), *c, buffers));
    return {};
  }
  uint64_t bytes() const { return bytes_; }

 private:
  Status add(const std::string& name, const RunKernel& c, const Table<Buffer>& buffers) {
    const OpInfo* op = find_op(name);
    const cutset_kernel* kernel = device_.find_kernel(c.kernel);
    if (!op || !kernel || name != kernel->op) return {};
    ProblemKey key{kernel, c.attributes, {}, {}};
    for (BufferId b : c.operands) key.in.push_back(buffers[b].type);
    for (BufferId b : c.results) key.out.push_back(buffers[b].type);
    const auto [problem, is_new] = known_.insert(std::move(key));
    if (!is_new) return {};
    CUTSET_ASSIGN(const FlatAttrs attributes, FlatAttrs::pack(op->schema, c.attributes));
    CUTSET_ASSIGN(const uint64_t bytes,
                  device_.scratch(kernel, *op, attributes.data(), problem->in, problem->out));
    bytes_ = std::max(bytes_, bytes);
    return {};
  }

  const DeviceDescription& device_;
  std::unordered_set<ProblemKey, ProblemHash> known_;
  uint64_t bytes_ = 0;
};

}  // namespace

Result<std::vector<uint64_t>> scratch_memory(const Program& program, const DeviceList& devices) {
  std::vector<uint64_t> bytes;
  for (size_t d = 0; d < program.devices.size(); ++d) {
    MostScratch most(*devices[d]);
    for (const Function& f : program.functions) {
      for (const Sequence& queue : f.devices[d].queues)
        for (const auto* list : {&queue.compute, &queue.apply}) CUTSET_TRY(most.add(*list, f.buffers));
      for (const Role& role : f.roles)
        if (static_cast<size_t>(role.device) == d) CUTSET_TRY(most.add(role.body, role.buffers));
    }
    bytes.push_back(most.bytes());
  }
  return bytes;
}

uint64_t scratch_offset(uint64_t arena_bytes, uint64_t alignment) {
  const uint64_t padding = (alignment - arena_bytes % alignment) % alignment;
  return arena_bytes > UINT64_MAX - padding ? UINT64_MAX : arena_bytes + padding;
}

}  // namespace cutset

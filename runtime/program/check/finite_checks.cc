#include "runtime/program/check/finite_checks.h"

#include <algorithm>
#include <set>

#include "runtime/program/check/check.h"

namespace cutset::checks {

Status check_finite_checks(const Function& f) {
  const auto root = [&](BufferId b) {
    while (f.buffers[b].view_of.is_set()) b = f.buffers[b].view_of;
    return b;
  };
  for (size_t d = 0; d < f.devices.size(); ++d) {
    std::set<BufferId> known;  // the buffers that need no further test
    for (const Instruction& i : f.devices[d].queues[static_cast<int>(Queue::kIn)].compute)
      if (const auto* in = i.as<ReadInput>(); in && f.inputs[in->input].feed != Feed::kCaller)
        known.insert(root(in->to));
    const Sequence& compute = f.devices[d].queues[static_cast<int>(Queue::kCompute)];
    for (const FiniteCheck& check : f.checks) {
      if (check.device != static_cast<int32_t>(d)) continue;
      for (const FiniteCheck::Tensor& t : check.tensors) known.insert(root(t.buffer));
      for (size_t n = 0; n < compute.compute.size(); ++n) {
        const auto* kernel = compute.compute[n].as<RunKernel>();
        if (!kernel || kernel->results[0] != check.flag) continue;
        const bool same = std::equal(kernel->operands.begin(), kernel->operands.end(), check.tensors.begin(),
                                     check.tensors.end(), [](BufferId b, const auto& t) { return b == t.buffer; });
        if (!same || compute.compute[n].op != "all_finite")
          return wrong(f, place(f, d, static_cast<int>(Queue::kCompute), false, n) +
                              " writes a flag, and does not test the tensors of the finite check");
      }
    }
    for (size_t n = 0; n < compute.apply.size(); ++n) {
      const Instruction& i = compute.apply[n];
      for (BufferId b : i.operands()) {
        const Buffer& buffer = f.buffers[root(b)];
        if (buffer.storage == Storage::kArena && is_float(buffer.type.dtype) && !known.contains(root(b)))
          return wrong(f, place(f, d, static_cast<int>(Queue::kCompute), true, n) + " reads buffer " +
                              std::to_string(root(b).value) + ", which no finite check of " + f.devices[d].device +
                              " tests");
      }
      for (BufferId b : i.results()) known.insert(root(b));
    }
  }
  return {};
}

}  // namespace cutset::checks

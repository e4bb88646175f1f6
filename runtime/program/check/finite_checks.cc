// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/finite_checks.h"

#include <algorithm>
#include <map>

#include "runtime/program/check/check.h"
#include "runtime/program/check/units.h"

namespace cutset::checks {

Status check_finite_checks(const Function& f) {
  std::vector<BufferId> root(f.buffers.size());  // a view refers to an earlier buffer, whose root is known
  for (size_t b = 0; b < root.size(); ++b)
    root[b] = f.buffers[b].view_of.is_set() ? root[f.buffers[b].view_of.index()] : BufferId(b);
  std::vector<bool> known(f.buffers.size());        // by root: the buffers that need no further test
  std::map<BufferId, const FiniteCheck*> check_of;  // by flag
  for (size_t n = 0; n < f.checks.size(); ++n) {
    if (!check_of.emplace(f.checks[n].flag, &f.checks[n]).second)
      return wrong(f, flag_of(f, n) + " is the flag of another finite check, too");
    for (const FiniteCheck::Tensor& t : f.checks[n].tensors) known[root[t.buffer.index()].index()] = true;
  }
  for (size_t d = 0; d < f.devices.size(); ++d) {
    for (const Instruction& i : f.devices[d].queues[static_cast<int>(Queue::kIn)].compute)
      if (const auto* in = i.as<ReadInput>(); in && f.inputs[in->input].feed != Feed::kCaller)
        known[root[in->to.index()].index()] = true;
    const Sequence& compute = f.devices[d].queues[static_cast<int>(Queue::kCompute)];
    for (size_t n = 0; n < compute.compute.size(); ++n) {
      const auto* kernel = compute.compute[n].as<RunKernel>();
      const auto written = kernel ? check_of.find(kernel->results[0]) : check_of.end();
      if (written == check_of.end()) continue;
      const std::vector<FiniteCheck::Tensor>& tensors = written->second->tensors;
      const bool same = std::equal(kernel->operands.begin(), kernel->operands.end(), tensors.begin(),
                                   tensors.end(), [](BufferId b, const auto& t) { return b == t.buffer; });
      if (!same || compute.compute[n].op() != "all_finite")
        return wrong(f, place(f, d, static_cast<int>(Queue::kCompute), false, n) +
                            " writes a flag, and does not test the tensors of the finite check");
    }
    for (size_t n = 0; n < compute.apply.size(); ++n) {
      const Instruction& i = compute.apply[n];
      for (BufferId b : i.operands()) {
        const BufferId read = root[b.index()];
        const Buffer& buffer = f.buffers[read];
        if (buffer.storage == Storage::kArena && is_float(buffer.type.dtype) && !known[read.index()])
          return wrong(f, place(f, d, static_cast<int>(Queue::kCompute), true, n) + " reads buffer " +
                              std::to_string(read.value) + ", which no finite check of " +
                              f.devices[d].device + " tests");
      }
      for (BufferId b : i.results()) known[root[b.index()].index()] = true;
    }
  }
  return {};
}

}  // namespace cutset::checks

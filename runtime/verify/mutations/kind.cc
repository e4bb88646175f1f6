// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/mutations/kind.h"

#include <algorithm>

#include "ir/core/op/op_info.h"

namespace cutset::mutations {

bool updates(const Instruction& i) { return i.is<RunKernel>() && find_op(i.op())->updates > 0; }

BufferId root(const Function& f, BufferId b) {
  while (f.buffers[b].view_of.is_set()) b = f.buffers[b].view_of;
  return b;
}

bool lies_in(const Function& f, BufferId buffer, const std::set<BufferId>& these) {
  const BufferId memory = root(f, buffer);
  const Buffer& x = f.buffers[memory];
  return std::any_of(these.begin(), these.end(), [&](BufferId b) {
    const BufferId other = root(f, b);
    const Buffer& y = f.buffers[other];
    return memory == other || (x.storage == Storage::kVariable && y.storage == Storage::kVariable &&
                               x.device == y.device && x.variable == y.variable);
  });
}

}  // namespace cutset::mutations

// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/role_accesses.h"

#include <algorithm>

namespace cutset {

RoleAccesses RoleAccesses::of(const Role& role) {
  RoleAccesses all;
  std::vector<Access*> parameter(role.buffers.size(), nullptr);  // by buffer
  for (const auto& buffers : role.parameters)
    all.arguments.push_back({std::vector<Access>(buffers.size()), {}, true});
  for (size_t a = 0; a < role.parameters.size(); ++a)
    for (size_t e = 0; e < role.parameters[a].size(); ++e)
      parameter[role.parameters[a][e].index()] = &all.arguments[a].buffers[e];
  std::vector<BufferId> root(role.buffers.size());  // by buffer: the buffer that owns its memory
  for (size_t b = 0; b < role.buffers.size(); ++b) {
    const BufferId viewed = role.buffers[BufferId(b)].view_of;  // an earlier buffer
    root[b] = viewed.is_set() ? root[viewed.index()] : BufferId(b);
    if (viewed.is_set()) parameter[b] = parameter[viewed.index()];
  }
  std::vector<ArenaRange> inside;
  const auto access = [&](BufferId b, bool writes) {
    if (Access* access_to = parameter[b.index()]) {
      if (writes)
        access_to->written = true;
      else if (!access_to->written)
        access_to->read = true;
    } else if (const Buffer& own = role.buffers[root[b.index()]]; own.storage == Storage::kArena) {
      inside.push_back({own.offset, own.offset + static_cast<uint64_t>(own.type.bytes())});
    }
  };
  for (const Instruction& i : role.body) {
    for (BufferId b : i.operands())
      if (role.buffers[b].storage != Storage::kTypeOnly) access(b, false);
    for (BufferId b : i.results()) access(b, true);
  }
  for (Argument& a : all.arguments)
    for (const Access& of_buffer : a.buffers) {
      a.any.read |= of_buffer.read;
      a.any.written |= of_buffer.written;
      a.alike &= of_buffer == a.buffers.front();
    }
  std::sort(inside.begin(), inside.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  for (const ArenaRange& r : inside)
    if (!all.inside.empty() && r.begin <= all.inside.back().end)
      all.inside.back().end = std::max(all.inside.back().end, r.end);
    else
      all.inside.push_back(r);
  return all;
}

}  // namespace cutset

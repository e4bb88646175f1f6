#include "runtime/program/role_accesses.h"

#include <algorithm>

namespace cutset {

RoleAccesses RoleAccesses::of(const Role& role) {
  std::vector<int32_t> parameter(role.buffers.size(), kNone);  // by buffer
  for (size_t p = 0; p < role.parameters.size(); ++p) parameter[role.parameters[p].index()] = static_cast<int32_t>(p);
  std::vector<BufferId> root(role.buffers.size());  // by buffer: the one that owns its memory
  for (size_t b = 0; b < role.buffers.size(); ++b) {
    const BufferId whole = role.buffers[BufferId(b)].view_of;  // an earlier buffer
    root[b] = whole.is_set() ? root[whole.index()] : BufferId(b);
    if (whole.is_set()) parameter[b] = parameter[whole.index()];
  }
  RoleAccesses all;
  std::vector<bool> read(role.parameters.size()), written(role.parameters.size());
  std::vector<ArenaRange> inside;
  const auto access = [&](BufferId b, bool writes) {
    if (const int32_t p = parameter[b.index()]; p != kNone) {
      const auto at = static_cast<size_t>(p);
      if (writes)
        written[at] = true;
      else if (!written[at])
        read[at] = true;
    } else if (const Buffer& own = role.buffers[root[b.index()]]; own.storage == Storage::kArena) {
      inside.push_back({own.offset, own.offset + static_cast<uint64_t>(own.type.bytes())});
    }
  };
  for (const Instruction& i : role.body) {
    for (BufferId b : i.operands())
      if (role.buffers[b].storage != Storage::kTypeOnly) access(b, false);
    if (i.scratch().is_set()) access(i.scratch(), true);
    for (BufferId b : i.results()) access(b, true);
  }
  for (size_t p = 0; p < role.parameters.size(); ++p) {
    if (read[p]) all.read.push_back(p);
    if (written[p]) all.written.push_back(p);
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

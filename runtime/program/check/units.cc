// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/check/units.h"

#include <algorithm>
#include <map>

#include "runtime/program/check/check.h"

namespace cutset::checks {
namespace {

struct InstructionPlace {
  size_t device;
  int queue;
  bool apply;
  size_t index;
};

class Maker {
 public:
  explicit Maker(const Function& f) : f_(f), used_(f.frames.size()) {}

  Result<Units> run() {
    group();
    for (size_t r = 0; r < f_.roles.size(); ++r) add(RoleId(r));
    CUTSET_TRY(buckets());
    for (size_t d = 0; d < f_.devices.size(); ++d) CUTSET_TRY(uses(d));
    for (size_t n = 0; n < f_.checks.size(); ++n) {
      const Unit* u = unit(f_.checks[n].flag);
      if (u->bucket || u->bucket_unit != kNone || !u->used)
        return wrong(f_, flag_of(f_, n) + " belongs to a bucket, or is used by no instruction");
    }
    find_simple_frames();
    return std::move(all_);
  }

 private:
  Failure wrong_at(const InstructionPlace& at, const std::string& what) const {
    return wrong(f_, place(f_, at.device, at.queue, at.apply, at.index) + " " + what);
  }
  Unit* unit(BufferId buffer) {
    const int32_t u = all_.of[buffer.index()];
    return u == kNone ? nullptr : &all_.units[static_cast<size_t>(u)];
  }

  // Gives each buffer its unit. A view refers to an earlier buffer, whose unit is already known.
  void group() {
    std::map<std::pair<int32_t, VariableId>, int32_t> variables;  // the unit by (device, variable)
    all_.of.assign(f_.buffers.size(), kNone);
    all_.units.reserve(f_.buffers.size());
    for (size_t i = 0; i < f_.buffers.size(); ++i) {
      const Buffer& b = f_.buffers[i];
      const auto fresh = static_cast<int32_t>(all_.units.size());
      if (b.storage == Storage::kVariable)
        all_.of[i] = variables.emplace(std::pair(b.device, b.variable), fresh).first->second;
      else if (b.storage == Storage::kArena)
        all_.of[i] = b.view_of.is_set() ? all_.of[b.view_of.index()] : fresh;
      if (all_.of[i] != fresh) continue;
      all_.units.emplace_back();
      all_.units.back().buffer = BufferId(i);
      all_.units.back().arena = b.storage == Storage::kArena;
    }
  }

  // Returns a buffer of the role that begins at `offset` in the arena.
  static BufferId first_at(const Role& role, uint64_t offset) {
    for (size_t b = 0; b < role.buffers.size(); ++b)
      if (role.buffers[b].storage == Storage::kArena && role.buffers[b].offset == offset) return BufferId(b);
    return {};
  }

  // Adds the units of the buffers of a role, and finds what its body uses them for.
  void add(RoleId id) {
    const Role& role = f_.roles[id];
    Units::OfRole& of_role = all_.roles.emplace_back();
    of_role.of.assign(role.buffers.size(), kNone);
    of_role.parameter.assign(role.buffers.size(), kNone);
    for (const auto& argument : role.parameters)
      of_role.parameters.insert(of_role.parameters.end(), argument.begin(), argument.end());
    of_role.used.resize(of_role.parameters.size());
    for (size_t p = 0; p < of_role.parameters.size(); ++p)
      of_role.parameter[of_role.parameters[p].index()] = static_cast<int32_t>(p);
    for (size_t i = 0; i < role.buffers.size(); ++i) {
      const Buffer& b = role.buffers[i];
      if (b.view_of.is_set()) {
        of_role.of[i] = of_role.of[b.view_of.index()];
        of_role.parameter[i] = of_role.parameter[b.view_of.index()];
      } else if (b.storage == Storage::kArena) {
        of_role.of[i] = static_cast<int32_t>(all_.units.size());
        all_.units.push_back({.buffer = BufferId(i), .role = id, .arena = true});
      }
    }
    of_role.accesses = RoleAccesses::of(role);
    for (size_t i = 0; i < of_role.accesses.inside.size(); ++i) {
      of_role.inside.push_back(static_cast<int32_t>(all_.units.size()));
      all_.units.push_back(
          {.buffer = first_at(role, of_role.accesses.inside[i].begin), .role = id, .arena = true});
    }
    for (const Instruction& i : role.body) {
      for (const auto list : {i.operands(), i.results()})
        for (BufferId b : list)
          if (const int32_t p = of_role.parameter[b.index()]; p != kNone)
            of_role.used[static_cast<size_t>(p)] = true;
          else if (const int32_t u = of_role.of[b.index()]; u != kNone)
            all_.units[static_cast<size_t>(u)].used = true;
    }
  }

  Status buckets() {
    std::vector<std::pair<Unit*, InstructionPlace>> parts;
    for (size_t d = 0; d < f_.devices.size(); ++d)
      CUTSET_TRY(for_each_instruction(
          f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
            if (i.pieces().empty()) return {};
            const InstructionPlace at{d, q, apply, n};
            const BufferId buffer = i.bucket();
            Unit* bucket = unit(buffer);
            if (bucket->bucket)
              return wrong_at(at, "uses " + shown(f_, *bucket) +
                                      " as its bucket, which is the bucket of another instruction");
            bucket->bucket = &i;
            for (BufferId piece : i.pieces()) {
              Unit* u = unit(piece);
              if (u == bucket || u->bucket_unit != kNone)
                return wrong_at(at, "lists " + shown(f_, *u) +
                                        " as a tensor of its bucket, but this buffer belongs to a bucket "
                                        "already, or is the bucket");
              u->bucket_unit = all_.of[buffer.index()];
              parts.emplace_back(u, at);
            }
            return {};
          }));
    for (const auto& [u, at] : parts)
      if (u->bucket)
        return wrong_at(
            at, "lists " + shown(f_, *u) +
                    " as a tensor of its bucket, but this buffer is the bucket of another instruction");
    return {};
  }

  Status uses(size_t d) {
    return for_each_instruction(
        f_.devices[d], [&](const Instruction& i, int q, bool apply, size_t n) -> Status {
          auto use = [&](BufferId buffer) -> Status {
            Unit* u = unit(buffer);
            if (!u || !u->arena) return {};
            u->used = true;
            if (u->bucket && u->bucket != &i)
              return wrong_at({d, q, apply, n},
                              "uses " + shown(f_, *u) + ", which is the bucket of another instruction");
            return {};
          };
          for (const auto list : {i.operands(), i.results(), i.pieces()})
            for (BufferId b : list) CUTSET_TRY(use(b));
          if (const auto* call = i.as<CallRole>()) {
            const Units::OfRole& role = all_.roles[call->role.index()];
            size_t p = 0;
            for (size_t a = 0; a < call->arguments.size(); ++a) {
              const auto& buffers = f_.frames[call->arguments[a]].buffers;
              // All calls of a role use the frame of one argument in the same way. A frame is an argument of
              // few roles.
              auto& used = used_[call->arguments[a].index()];
              if (const std::pair as(call->role, a); std::ranges::find(used, as) == used.end()) {
                used.push_back(as);
              } else {
                p += buffers.size();
                continue;
              }
              for (BufferId b : buffers) {
                if (role.used[p]) CUTSET_TRY(use(b));
                ++p;
              }
            }
          }
          return {};
        });
  }

  void find_simple_frames() {
    std::vector<int32_t> frame(all_.units.size(), kNone);
    all_.is_simple.assign(f_.frames.size(), true);
    for (size_t n = 0; n < f_.frames.size(); ++n)
      for (BufferId b : f_.frames[n].buffers) {
        const int32_t u = all_.of[b.index()];
        if (u == kNone || !unit(b)->arena || unit(b)->bucket || unit(b)->bucket_unit != kNone) {
          all_.is_simple[n] = false;
          continue;
        }
        int32_t& last = frame[static_cast<size_t>(u)];
        if (last != kNone) all_.is_simple[n] = all_.is_simple[static_cast<size_t>(last)] = false;
        last = static_cast<int32_t>(n);
      }
    for (size_t u = 0; u < frame.size(); ++u)
      if (frame[u] != kNone && all_.is_simple[static_cast<size_t>(frame[u])])
        all_.units[u].frame = FrameId(frame[u]);
  }

  const Function& f_;
  Units all_;
  std::vector<std::vector<std::pair<RoleId, size_t>>>
      used_;  // by frame: the roles and arguments that `uses` has met
};

}  // namespace

Result<Units> Units::make(const Function& function) { return Maker(function).run(); }

void Units::of_call(const Function& f, const CallRole& call, std::vector<int32_t>& units) const {
  const OfRole& role = roles[call.role.index()];
  std::vector<BufferId> given;  // by parameter
  for (FrameId a : call.arguments)
    given.insert(given.end(), f.frames[a].buffers.begin(), f.frames[a].buffers.end());
  units = role.of;
  for (size_t b = 0; b < units.size(); ++b)
    if (const int32_t p = role.parameter[b]; p != kNone) units[b] = of[given[static_cast<size_t>(p)].index()];
}

std::string shown(const Function& f, const Unit& u) {
  const Buffer& b = Units::buffer_of(f, u);
  std::string s = "buffer " + std::to_string(u.buffer.value);
  if (u.role.is_set()) s += " of role '" + shown(f.roles[u.role].name) + "'";
  if (!u.arena) return s + ", which is a variable,";
  const ValueOrigin& o = b.origin;
  if (o.number != kNone && o.layout != kWholeValue && f.shards.size() > 1)
    s += o.last > o.first + 1 ? " of shards " + std::to_string(o.first) + " to " + std::to_string(o.last - 1)
                              : " of shard " + std::to_string(o.first);
  return s + " (bytes " + std::to_string(b.offset) + " to " +
         std::to_string(b.offset + static_cast<uint64_t>(b.type.bytes())) + ")";
}

std::string flag_of(const Function& f, size_t check) {
  return "finite check " + std::to_string(check) + ": its flag, buffer " +
         std::to_string(f.checks[check].flag.value) + ",";
}

}  // namespace cutset::checks

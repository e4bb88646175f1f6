// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/mutate_tables.h"

#include "tests/fuzz/mutate_values.h"

namespace cutset::fuzz {

void change_transfers(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  if (!f.channels.empty() && r.below(2)) {
    Channel& c = any(r, f.channels);
    (r.below(2) ? c.from : c.to) = index(r, s.program.devices.size());
    if (r.below(4) == 0) f.channels.push_back(c);
  }
  if (f.collectives.empty()) return;
  const size_t which = r.below(f.collectives.size());
  if (r.below(6) == 0) f.collectives.push_back(Collective(f.collectives[which]));
  Collective& c = f.collectives[which];
  if (c.partials.empty()) return;
  Collective::Partial& part = any(r, c.partials);
  switch (r.below(5)) {
    case 0:
      part.device = index(r, s.program.devices.size());
      break;
    case 1:
      part.first = index(r, 4);
      break;
    case 2:
      part.last = index(r, 4);
      break;
    case 3:
      c.partials.push_back(part);
      break;
    case 4:
      c.partials.pop_back();
      break;
  }
}

void change_roles(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  if (f.roles.empty()) return;
  Role& role = any(r, f.roles);
  switch (r.below(5)) {
    case 0:
      role.device = index(r, s.program.devices.size());
      break;
    case 1:
      role.shard = index(r, f.shards.size());
      break;
    case 2:
      change_list(r, role.parameters, role.buffers.size());
      break;
    case 3:
      if (!role.buffers.empty()) role.buffers.push_back(Buffer(any(r, role.buffers)));
      break;
    case 4:
      if (r.below(2))
        f.roles.push_back(Role(role));
      else
        f.roles.pop_back();
      break;
  }
}

void change_devices(PhiloxSequence& r, SavedProgramFile& s, Function&, Parts&) {
  Program& p = s.program;
  if (r.below(3) == 0) {
    const std::string kind = any(r, {"cpu", "reference", "sim"});
    for (size_t d = 0; d < p.devices.size(); ++d) p.devices[d] = kind + ":" + std::to_string(d);
  } else {
    any(r, p.devices) =
        any(r, {"cpu:0", "sim:0", "reference:0", "cpu:999", "../x:0", "", "cpu:0,cpu:1", "x:1"});
  }
  for (Function& f : p.functions)
    for (size_t d = 0; d < f.devices.size() && d < p.devices.size(); ++d) f.devices[d].device = p.devices[d];
  if (r.below(4) == 0) p.devices.push_back("sim:" + std::to_string(r.below(20)));
}

void change_names(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  const std::string name =
      any(r, {"../x", "", "/etc/x", "\x1b[2J", "train", "x", "\xff"}) + std::string(r.below(2), '\0');
  switch (r.below(4)) {
    case 0:
      if (!f.inputs.empty()) any(r, f.inputs).name = name;
      break;
    case 1:
      if (!f.outputs.empty()) any(r, f.outputs).name = name;
      break;
    case 2:
      if (!s.program.variables.empty()) any(r, s.program.variables).name = name;
      break;
    case 3:
      f.name = name;
      break;
  }
}

void change_sizes(PhiloxSequence& r, SavedProgramFile& s, Function& f, Parts&) {
  switch (r.below(7)) {
    case 5:
      if (!f.inputs.empty()) any(r, f.inputs).feed = static_cast<Feed>(r.below(4));
      break;
    case 6:
      if (!f.checks.empty()) any(r, f.checks).flag = BufferId(index(r, f.buffers.size()));
      if (!f.checks.empty() && r.below(2)) any(r, f.checks).device = index(r, s.program.devices.size());
      break;
    case 0:
      if (!f.devices.empty()) any(r, f.devices).arena_bytes = static_cast<uint64_t>(edge(r));
      break;
    case 1:
      f.outputs.push_back({"more", {u8, {edge(r)}}});
      break;
    case 2:
      if (!f.shards.empty()) any(r, f.shards) = edge(r);
      break;
    case 3:
      s.program.functions.push_back(Function(f));
      break;
    case 4:
      if (s.program.variables.empty()) break;
      switch (Variable& v = any(r, s.program.variables); r.below(5)) {
        case 0:
          change_list(r, v.homes, s.program.devices.size());
          break;
        case 1:
          v.axis = static_cast<int32_t>(edge(r));
          break;
        case 2:
          v.pieces = static_cast<int32_t>(edge(r));
          break;
        case 3:
          v.piece_unit = edge(r);
          break;
        case 4:
          s.variables.erase(v.name);
          v.drawn.op = any(r, {"random_normal", "random_uniform", "tanh", "nothing"});
          v.drawn.attributes = {{"seed", edge(r)}, {"stream", edge(r)}};
          if (r.below(2)) v.drawn.attributes.emplace_back("first_element", edge(r));
          break;
      }
      break;
  }
}

}  // namespace cutset::fuzz

// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/file/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace cutset {
namespace {

Program program() {
  Program p;
  p.devices = {"cpu:0"};
  p.variables = {{"w", {DType::f32, {4}}, {0}}};
  p.constants = {{{DType::f32, {}}, {0, 0, 128, 63}, 0}};
  Function& f = p.functions.emplace_back();
  f.name = "train";
  f.inputs = {{"x", {DType::f32, {4}}}};
  f.buffers.resize(2);
  f.devices.emplace_back().device = "cpu:0";
  Instruction& i = f.devices[0].queues[1].compute.emplace_back();
  i.names = named("relu");
  i.command = RunKernel{"relu.reference", {{"axis", int64_t{1}}}, {BufferId(0)}, {BufferId(1)}};
  return p;
}

TEST(Fingerprint, TellsProgramsApartByEachOfTheirParts) {
  using Change = std::function<void(Program&)>;
  auto instruction = [](Program& p) -> Instruction& {
    return p.functions[0].devices[0].queues[1].compute[0];
  };
  auto kernel = [&](Program& p) -> RunKernel& { return *instruction(p).as<RunKernel>(); };
  const Change changes[] = {
      [](Program& p) { p.devices[0] = "cpu:1"; },
      [](Program& p) { p.variables[0].type.shape = {5}; },
      [](Program& p) { p.variables[0].homes = {}; },
      [](Program& p) { p.variables[0].axis = 0; },
      [](Program& p) { p.variables[0].pieces = 2; },
      [](Program& p) { p.variables[0].piece_unit = 2; },
      [](Program& p) { p.variables[0].state_of = "v"; },
      [](Program& p) { p.variables[0].first = 0.5; },
      [](Program& p) { p.variables[0].starts_as_owner = true; },
      [](Program& p) { p.functions[0].buffers[1].origin.piece.index = 1; },
      [](Program& p) { p.constants[0].bytes[3] = 64; },
      [](Program& p) { p.constants[0].bytes.push_back(0); },
      [](Program& p) { p.functions[0].name = "trains"; },
      [](Program& p) { p.functions[0].inputs[0].initial = 0.5; },
      [](Program& p) { p.functions[0].buffers[1].offset = 64; },
      [](Program& p) { p.functions[0].buffers[1].origin.layout = 1; },
      [](Program& p) { p.functions[0].devices[0].arena_bytes = 64; },
      [](Program& p) { p.functions[0].shards = {4}; },
      [&](Program& p) { instruction(p).set_op("tanh"); },
      [&](Program& p) { kernel(p).operands = {BufferId(1)}; },
      [&](Program& p) {
        kernel(p).operands = {BufferId(0), BufferId(1)};
        kernel(p).results = {};
      },
      [&](Program& p) { kernel(p).attributes[0].second = int64_t{2}; },
      [&](Program& p) { kernel(p).attributes[0].second = 1.0; },
      [&](Program& p) { kernel(p).attributes[0].first = "size"; },
      [&](Program& p) { kernel(p).attributes.clear(); },
      [&](Program& p) { instruction(p).command = CopyBuffer{BufferId(0), BufferId(1)}; },
      [&](Program& p) { instruction(p).command = SignalEvent{EventId(0)}; },
      [&](Program& p) { instruction(p).command = AwaitEvent{EventId(0)}; },
      [](Program& p) { std::swap(p.functions[0].devices[0].queues[0], p.functions[0].devices[0].queues[1]); },
  };
  Program unchanged = program(), again = program();
  again.fingerprint = 7;
  set_fingerprint(unchanged);
  set_fingerprint(again);
  EXPECT_EQ(unchanged.fingerprint, again.fingerprint);
  std::set<uint64_t> seen{unchanged.fingerprint};
  for (const Change& change : changes) {
    Program changed = program();
    change(changed);
    set_fingerprint(changed);
    EXPECT_TRUE(seen.insert(changed.fingerprint).second) << "change " << seen.size();
  }
}

}  // namespace
}  // namespace cutset

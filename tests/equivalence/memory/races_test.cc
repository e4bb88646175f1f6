// SPDX-License-Identifier: Apache-2.0
// Tests the check of the order of memory accesses (runtime/program/check/memory.h). It refuses programs that
// use memory again too early, and accepts the programs of the compiler.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "ir/core/philox.h"
#include "runtime/program/check/check_program.h"
#include "runtime/program/order/expand.h"
#include "tests/equivalence/support/reuse_defects.h"

namespace cutset::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Setting {
  const char *devices, *strategy;
};
constexpr Setting kSettings[] = {
    {"reference:0,sim:0", "pipeline(2, micro_batches=1)"},
    {"cpu:0,sim:0", "pipeline(2, micro_batches=4)"},
    {"reference:0,sim:0", "data(2)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=gpipe)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=1f1b)"},
    {"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=8)"},
    {"sim:0,reference:0,sim:1", "pipeline(3, micro_batches=8, schedule=zb-h1)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=5, schedule=interleaved)"},
    {"sim:0", "pipeline(1, micro_batches=8)"},
    {"sim:0,reference:0", "data(2) * pipeline(1, micro_batches=2)"},
};

// Returns a network whose depth, widths and batch are drawn with the seed. The gradient of the scale of a
// layer normalization takes scratch memory on every processor. Products take scratch memory on some
// processors only.
Graph drawn(uint64_t seed) {
  PhiloxSequence random(seed, 7);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random.below(n)); };
  const int64_t batch = 16 + below(25), width = 3 + below(20);
  Graph g(seed);
  Tensor x = g.input("x", f32, {batch, width}), y = g.input("y", i32, {batch});
  Tensor h = nn::layer_norm("norm", x);
  for (int64_t layer = 0, layers = 3 + below(4); layer < layers; ++layer) {
    Tensor next = tanh(nn::dense("layer" + std::to_string(layer), h, width));
    if (below(2)) next = reshape(tanh(reshape(next, {.shape = {-1, 1, width}})), {.shape = {-1, width}});
    h = below(2) ? next + h : next;
  }
  g.output("h", h);
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", h, 4), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

Program compiled(const Setting& s, uint64_t seed) {
  const CompileConfig config =
      check(configure({.devices = s.devices, .strategy = s.strategy, .bucket_bytes = seed % 2 ? 0 : 2048}));
  Graph graph = drawn(seed);
  return check(graph.state()->builder->snapshot()->compile(config)).program;
}

TEST(Races, EveryPlantedReuseIsRefused) {
  std::map<std::string, int> planted;
  int defects = 0;
  for (const Setting& s : kSettings) {
    const Program program = compiled(s, 2);
    for (const Function& f : program.functions)
      for (const ReuseDefect& d : reuse_defects(f, 4)) {
        SCOPED_TRACE(std::string(s.strategy) + ", " + d.device + ": " + d.kind + ": " + d.what);
        ++planted[d.kind];
        ++defects;
        const Status status = check_races(d.function);
        ASSERT_FALSE(status.ok());
        // The error names both actions, both buffers, the device and the missing order.
        EXPECT_THAT(
            status.error().what,
            ::testing::AnyOf(
                ContainsRegex(
                    "buffer [0-9]+.* and buffer [0-9]+.* are in use at once and overlap: instruction "
                    "[0-9]+ of the .* queue .*writes buffer [0-9]+, and (later|without waiting for "
                    "it) .* reads buffer [0-9]+"),
                ContainsRegex("instruction [0-9]+ of the .* queue .* (reads|writes) buffer [0-9]+.* without "
                              "waiting for another queue: instruction [0-9]+ of the .* queue .* "
                              "(reads|writes) .*no event orders the (in|compute|out) queue before the"),
                ContainsRegex("instruction [0-9]+ of the .* queue .* uses buffer [0-9]+.* and buffer [0-9]+"),
                ContainsRegex("instruction [0-9]+ of the .* queue .* reads buffer [0-9]+, which nothing has "
                              "written")));
        // A signal and its waits also order the queues of other devices, through messages, so the defect may
        // show on another device.
        if (d.kind != "a wait too few" && d.kind != "a signal too early") {
          EXPECT_THAT(status.error().what, HasSubstr(d.device));
        }
      }
  }
  EXPECT_GE(defects, 50);
  for (const std::string& kind : reuse_defect_kinds()) EXPECT_GE(planted[kind], 3) << kind;
  RecordProperty("defects", defects);
}

TEST(Races, ProgramsOfTheCompilerAreAccepted) {
  for (const Setting& s : kSettings)
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Program program = compiled(s, seed);  // the compiler also checks the program
      const Status status = check_program(program);
      EXPECT_TRUE(status.ok()) << s.strategy << ", seed " << seed << ": " << status.error().what;
    }
}

// Makes one change, drawn with `random`, after which two instructions may use the same memory, or a value may
// be read too early. Returns false if the drawn place offers no such change.
bool change(Function& f, PhiloxSequence& random) {
  const auto one_of = [&](auto& list) -> auto& { return list[random.below(std::size(list))]; };
  DevicePlan& device = one_of(f.devices);
  const auto d = static_cast<int32_t>(&device - f.devices.data());
  auto& calls = device.queues[static_cast<int>(Queue::kCompute)].compute;
  std::vector<Buffer*> in_arena;
  std::vector<Role*> roles;
  for (size_t b = 0; b < f.buffers.size(); ++b)
    if (Buffer& buffer = f.buffers[BufferId(b)]; buffer.device == d && buffer.storage == Storage::kArena)
      in_arena.push_back(&buffer);
  const size_t of_function = in_arena.size();
  for (size_t r = 0; r < f.roles.size(); ++r) {
    Role& role = f.roles[RoleId(r)];
    if (role.device != d) continue;
    roles.push_back(&role);
    for (size_t b = 0; b < role.buffers.size(); ++b)
      if (Buffer& buffer = role.buffers[BufferId(b)]; buffer.storage == Storage::kArena)
        in_arena.push_back(&buffer);
  }
  if (roles.empty()) return false;
  switch (random.below(5)) {
    case 0: {  // a wait too few
      auto& list = one_of(device.queues).compute;
      if (list.empty()) return false;
      const size_t at = random.below(list.size());
      if (!list[at].is<AwaitEvent>()) return false;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
      return true;
    }
    case 1:  // a buffer of a role in the memory of another buffer
      if (of_function == in_arena.size()) return false;
      in_arena[of_function + random.below(in_arena.size() - of_function)]->offset = one_of(in_arena)->offset;
      return true;
    case 2:  // a buffer of the function in the memory of another buffer
      if (of_function == 0) return false;
      in_arena[random.below(of_function)]->offset = one_of(in_arena)->offset;
      return true;
    case 3: {  // a kernel too few
      Role& role = *one_of(roles);
      if (role.body.empty()) return false;
      role.body.erase(role.body.begin() + static_cast<std::ptrdiff_t>(random.below(role.body.size())));
      return true;
    }
    default: {  // a wrong argument
      auto* call = one_of(calls).as<CallRole>();
      auto* other = one_of(calls).as<CallRole>();
      if (!call || !other || call->arguments.empty() || other->arguments.empty()) return false;
      FrameId& argument = one_of(call->arguments);
      const FrameId taken = one_of(other->arguments);
      if (!std::ranges::equal(
              f.frames[argument].buffers, f.frames[taken].buffers, [&](BufferId a, BufferId b) {
                return f.buffers[a].type == f.buffers[b].type && f.buffers[b].storage == Storage::kArena;
              }))
        return false;
      argument = taken;
      return true;
    }
  }
}

// The compiler checks calls without expanding them, and files are checked after the expansion of all calls.
// Both checks agree, with one exception: a call whose arguments overlap is refused even if its role would use
// one argument after the other.
TEST(Races, ACallIsCheckedLikeItsExpansion) {
  int accepted = 0, refused = 0;
  for (const Setting& s : kSettings)
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      const Program program = compiled(s, seed);
      for (const Function& f : program.functions) {
        if (f.roles.empty()) continue;
        PhiloxSequence random(seed, 11);
        for (int turn = 0; turn < 60; ++turn) {
          Function changed = f;
          if (!change(changed, random)) continue;
          const Status compact = check_races(changed), expanded = check_races(expand(changed));
          ++(compact.ok() ? accepted : refused);
          if (!compact.ok() && expanded.ok() &&
              compact.error().what.find(" uses buffer ") != std::string::npos)
            continue;
          EXPECT_EQ(compact.ok(), expanded.ok())
              << s.strategy << ", seed " << seed << ", " << f.name << ", change " << turn << ": "
              << (compact.ok() ? "only the expansion: " + expanded.error().what
                               : "only the calls: " + compact.error().what);
        }
      }
    }
  EXPECT_GE(accepted, 100);
  EXPECT_GE(refused, 100);
}

// A role computes its result, and then another value in the memory of the result. Only the second of two
// calls with the same layout shows the error, because nothing reads the result of the first call.
TEST(Races, ACallThatOverwritesItsResultIsFoundEveryTime) {
  const TensorType type{DType::f32, {4}};
  const auto calls = [&](bool overwrites) {
    Function f{.name = "f"};
    f.inputs.push_back({"x", type});
    f.outputs.push_back({"y", type});
    f.shards = {4, 4};
    f.devices = {{.device = "a"}};
    f.devices[0].events = 2;
    for (uint64_t offset : {0, 64, 64}) f.buffers.push_back({.device = 0, .offset = offset, .type = type});
    Role role{.name = "r", .device = 0};
    for (const Storage storage : {Storage::kParameter, Storage::kParameter, Storage::kArena})
      role.buffers.push_back(
          {.device = 0, .storage = storage, .offset = overwrites ? 64u : 128u, .type = type});
    role.parameters = {{BufferId(0)}, {BufferId(1)}};
    for (int32_t b : {0, 1, 2}) f.frames.push_back({{BufferId(b)}});
    for (int32_t result : {1, 2})
      role.body.push_back(
          {.command = RunKernel{.kernel = "neg", .operands = {BufferId(0)}, .results = {BufferId(result)}},
           .names = named("neg")});
    f.roles.push_back(std::move(role));
    auto list = [&](Queue q) -> auto& { return f.devices[0].queues[static_cast<int>(q)].compute; };
    const auto make = [](Command c) { return Instruction{.command = std::move(c)}; };
    list(Queue::kIn) = {make(ReadInput{PortId(0), {}, BufferId(0)}), make(SignalEvent{EventId(0)})};
    list(Queue::kCompute) = {
        make(AwaitEvent{EventId(0)}), make(CallRole{RoleId(0), {FrameId(0), FrameId(1)}, 0}),
        make(CallRole{RoleId(0), {FrameId(0), FrameId(2)}, 1}), make(SignalEvent{EventId(1)})};
    list(Queue::kOut) = {make(AwaitEvent{EventId(1)}), make(WriteOutput{PortId(0), {}, BufferId(2)})};
    return f;
  };
  const Status sound = check_races(calls(false));
  EXPECT_TRUE(sound.ok()) << sound.error().what;
  const Status overwritten = check_races(calls(true));
  ASSERT_FALSE(overwritten.ok());
  EXPECT_THAT(overwritten.error().what, HasSubstr("are in use at once and overlap"));
  EXPECT_FALSE(check_races(expand(calls(true))).ok());
}

// Device 0 copies a value to host memory, device 1 answers, and only after the answer device 0 overwrites the
// value. No event of device 0 orders the two accesses; the messages do.
TEST(Races, MessagesOrderAccesses) {
  const TensorType type{DType::f32, {4}};
  const auto exchange = [&](bool answered) {
    Function f{.name = "f"};
    f.inputs.push_back({"x", type});
    f.devices = {{.device = "a"}, {.device = "b"}};
    f.devices[0].events = 1;
    f.devices[1].events = 1;
    f.channels.resize(2);
    for (int32_t d : {0, 1, 0}) f.buffers.push_back({.device = d, .type = type});
    auto list = [&](size_t d, Queue q) -> auto& { return f.devices[d].queues[static_cast<int>(q)].compute; };
    const auto make = [](Command c) { return Instruction{.command = std::move(c)}; };
    list(0, Queue::kIn) = {make(ReadInput{PortId(0), {}, BufferId(0)}), make(SignalEvent{EventId(0)})};
    if (answered)
      list(0, Queue::kIn).push_back(make(Receive{ChannelId(1), BufferId(2)}));
    else
      list(0, Queue::kIn).push_back(make(ReadInput{PortId(0), {}, BufferId(2)}));
    list(0, Queue::kOut) = {make(AwaitEvent{EventId(0)}), make(Send{ChannelId(0), BufferId(0)})};
    list(1, Queue::kIn) = {make(Receive{ChannelId(0), BufferId(1)}), make(SignalEvent{EventId(0)})};
    list(1, Queue::kOut) = {make(AwaitEvent{EventId(0)}), make(Send{ChannelId(1), BufferId(1)})};
    return check_races(f);
  };
  EXPECT_TRUE(exchange(true).ok()) << exchange(true).error().what;
  ASSERT_FALSE(exchange(false).ok());
  EXPECT_THAT(exchange(false).error().what,
              ContainsRegex(
                  "instruction 2 of the in queue of a writes buffer 2 .* without waiting for another queue: "
                  "instruction 1 of the out queue of a reads buffer 0 .*, which overlaps it, and no event "
                  "orders the out queue before the in queue there"));
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Tests the race check for calls that pass frames, on functions made by hand.
#include <gmock/gmock.h>

#include "runtime/program/check/check_program.h"
#include "runtime/program/order/expand.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

const TensorType kType{DType::f32, {4}};

Instruction make(Command c) { return {.command = std::move(c)}; }
Instruction neg(int from, int to) {
  return {.command = RunKernel{.kernel = "neg", .operands = {BufferId(from)}, .results = {BufferId(to)}},
          .names = named("neg")};
}
std::vector<Instruction>& list(Function& f, Queue q) {
  return f.devices[0].queues[static_cast<int>(q)].compute;
}

// Returns a function of one device with `buffers` buffers, and a role whose arguments have these numbers of
// parameters. The in queue writes the buffers `inputs`; then the compute queue runs.
Function function(int buffers, const std::vector<int>& inputs, const std::vector<int>& arguments) {
  Function f{.name = "f"};
  f.inputs.push_back({"x", kType});
  f.outputs.push_back({"y", kType});
  f.shards = {4, 4};
  f.devices = {{.device = "a"}};
  f.devices[0].events = 2;
  for (int n = 0; n < buffers; ++n)
    f.buffers.push_back({.device = 0, .offset = static_cast<uint64_t>(64 * n), .type = kType});
  Role role{.name = "r", .device = 0};
  for (const int count : arguments) {
    role.parameters.emplace_back();
    for (int n = 0; n < count; ++n) {
      role.parameters.back().push_back(role.buffers.next());
      role.buffers.push_back({.device = 0, .storage = Storage::kParameter, .type = kType});
    }
  }
  f.roles.push_back(std::move(role));
  for (const int b : inputs) list(f, Queue::kIn).push_back(make(ReadInput{PortId(0), {}, BufferId(b)}));
  list(f, Queue::kIn).push_back(make(SignalEvent{EventId(0)}));
  list(f, Queue::kCompute).push_back(make(AwaitEvent{EventId(0)}));
  return f;
}
Instruction call(const std::vector<int>& frames, int shard) {
  CallRole c{.role = RoleId(0), .arguments = {}, .shard = shard};
  for (const int frame : frames) c.arguments.emplace_back(frame);
  return make(c);
}

// Four calls write the frame {1, 2}. Then another queue reads a buffer of the frame, or writes to the memory
// of one. It waits for the last call, or, wrongly, for the third call.
TEST(FrameRaces, AFrameThatIsWrittenAgainIsInUse) {
  const auto rewritten = [](bool in_time, bool reads) {
    Function f = function(3, {0}, {1, 2});
    f.buffers.push_back({.device = 0, .offset = 64, .type = kType});  // uses the memory of buffer 1
    f.frames = {{{BufferId(0)}}, {{BufferId(1), BufferId(2)}}};
    f.roles[0].body = {neg(0, 1), neg(0, 2)};
    auto& compute = list(f, Queue::kCompute);
    for (const int shard : {0, 1, 0, 1}) compute.push_back(call({0, 1}, shard));
    compute.insert(compute.begin() + (in_time ? 5 : 4), make(SignalEvent{EventId(1)}));
    auto& other = list(f, reads ? Queue::kOut : Queue::kIn);
    other.push_back(make(AwaitEvent{EventId(1)}));
    other.push_back(reads ? make(WriteOutput{PortId(0), {}, BufferId(1)})
                          : make(ReadInput{PortId(0), {}, BufferId(3)}));
    return f;
  };
  for (const bool reads : {false, true}) {
    const Status in_time = check_races(rewritten(true, reads));
    EXPECT_TRUE(in_time.ok()) << in_time.error().what;
    const Status early = check_races(rewritten(false, reads));
    ASSERT_FALSE(early.ok()) << reads;
    EXPECT_THAT(early.error().what, HasSubstr("without waiting for another queue"));
    EXPECT_FALSE(check_races(expand(rewritten(false, reads))).ok());
  }
}

// The role negates its second parameter into its fifth parameter. In the first call, the fifth parameter has
// the memory of the third. In the second call, it has the memory of the second, which `neg` must not
// overwrite. Two of the frames are not simple, because they have a view.
TEST(FrameRaces, WaysOfSharingMemoryAreToldApart) {
  Function f = function(10, {0, 1, 2, 3, 5, 6, 8, 9}, {2, 2, 1});
  f.buffers[4].view_of = BufferId(2);
  f.buffers[4].offset = f.buffers[2].offset;
  f.buffers[7].view_of = BufferId(6);
  f.buffers[7].offset = f.buffers[6].offset;
  f.frames = {{{BufferId(0), BufferId(1)}}, {{BufferId(2), BufferId(3)}}, {{BufferId(4)}},
              {{BufferId(5), BufferId(6)}}, {{BufferId(8), BufferId(9)}}, {{BufferId(7)}}};
  f.roles[0].body = {neg(1, 4)};
  list(f, Queue::kCompute).push_back(call({0, 1, 2}, 0));
  EXPECT_TRUE(check_races(f).ok());
  list(f, Queue::kCompute).push_back(call({3, 4, 5}, 1));
  const Status status = check_races(f);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().what, HasSubstr("overwrites its operand 0"));
  EXPECT_FALSE(check_races(expand(f)).ok());
}

// Two results of a role are two values, so they need two frames.
TEST(FrameRaces, TwoResultsInOneFrameAreRefused) {
  Function f = function(3, {0}, {1, 1, 1, 1});
  for (int n = 0; n < 3; ++n) f.frames.push_back({{BufferId(n)}});
  f.roles[0].body = {neg(0, 1), neg(0, 2), neg(1, 3)};
  list(f, Queue::kCompute).push_back(call({0, 1, 1, 2}, 0));
  const Status status = check_races(f);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().what, HasSubstr("as two results of its role"));
  EXPECT_FALSE(check_races(expand(f)).ok());
}

}  // namespace
}  // namespace cutset::testing

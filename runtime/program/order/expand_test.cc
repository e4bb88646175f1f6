// SPDX-License-Identifier: Apache-2.0
#include "runtime/program/order/expand.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

// Returns a function with shards of 3, 2 and 2 rows, and a role that is called for the last two shards. The
// role draws random numbers (a positional op), looks at them in another shape, and gives their negatives.
Function calls_of_a_role() {
  Role role{.name = "micro_batch", .shard = 1};
  const TensorType rows{DType::f32, {2, 4}}, flat{DType::f32, {8}}, step{DType::i64, {}};
  role.buffers = {{.storage = Storage::kParameter, .type = rows, .origin = {0, 1, 2, kNone, 0}},
                  {.storage = Storage::kParameter, .type = step},
                  {.offset = 64, .type = rows, .origin = {5, 1, 2, 0, 0}},
                  {.offset = 64, .type = flat, .view_of = BufferId(2), .origin = {6, 1, 2, 0, 0}},
                  {.storage = Storage::kParameter, .type = flat, .origin = {8, 1, 2, kNone, 0}},
                  {.storage = Storage::kParameter,
                   .type = rows,
                   .view_of = BufferId(0),
                   .origin = {7, 0, 3, kNone, kWholeValue}}};
  role.parameters = {{BufferId(0)}, {BufferId(1)}, {BufferId(4)}};
  role.body = {{.command = RunKernel{.kernel = "k",
                                     .attributes = {{"first_element", int64_t{12}}},
                                     .operands = {BufferId(0), BufferId(1)},
                                     .results = {BufferId(2)}},
                .names = named("random_uniform")},
               {.command = RunKernel{.kernel = "k", .operands = {BufferId(3)}, .results = {BufferId(4)}},
                .names = named("neg")}};
  Function f;
  f.name = "train";
  f.shards = {3, 2, 2};
  f.roles.push_back(role);
  f.buffers = {{.offset = 0, .type = rows},
               {.offset = 32, .type = rows},
               {.offset = 256, .type = step},
               {.offset = 512, .type = flat}};
  f.devices.resize(1);
  for (int32_t b = 0; b < 4; ++b) f.frames.push_back({{BufferId(b)}});
  auto call = [](int32_t argument, int32_t shard) {
    return Instruction{.command = CallRole{RoleId(0), {FrameId(argument), FrameId(2), FrameId(3)}, shard},
                       .names = named("call")};
  };
  f.devices[0].queues[1].compute = {call(0, 1), {.command = SignalEvent{EventId(0)}}, call(1, 2)};
  return f;
}

TEST(Expand, ACallIsTheBodyOnItsBuffers) {
  const Function f = expand(calls_of_a_role());
  EXPECT_TRUE(f.roles.empty() && f.frames.empty());
  const auto& list = f.devices[0].queues[1].compute;
  ASSERT_EQ(list.size(), 5u);
  EXPECT_TRUE(list[2].is<SignalEvent>());
  ASSERT_EQ(f.buffers.size(), 4u + 2 * 3 + 1);
  for (const size_t at : {0u, 3u}) {
    const auto& draw = *list[at].as<RunKernel>();
    const auto& negate = *list[at + 1].as<RunKernel>();
    EXPECT_EQ(list[at].op(), "random_uniform");
    EXPECT_EQ(draw.operands, (std::vector<BufferId>{BufferId(at ? 1 : 0), BufferId(2)}));
    const Buffer& negated = f.buffers[negate.results[0]];
    EXPECT_EQ(negated.offset, 512u);
    EXPECT_FALSE(negated.view_of.is_set()) << "it is another value in the same memory";
    EXPECT_EQ(negate.results[0] == BufferId(3), at == 0) << "each value has a buffer of its own";
    EXPECT_EQ(negated.origin.first, at ? 2 : 1);
    const Buffer &drawn = f.buffers[draw.results[0]], &view = f.buffers[negate.operands[0]];
    EXPECT_EQ(drawn.offset, 64u) << "all calls share the memory inside the role";
    EXPECT_EQ(view.view_of, draw.results[0]);
    EXPECT_EQ(view.offset, 64u);
    // The rows of the call: shard 1 begins at row 3, and shard 2 at row 5.
    EXPECT_EQ(std::get<int64_t>(draw.attributes[0].second), at ? 20 : 12);
    EXPECT_EQ(drawn.origin.first, at ? 2 : 1);
    EXPECT_EQ(drawn.origin.last, at ? 3 : 2);
  }
  const Buffer& view_of_parameter = f.buffers.back();
  EXPECT_EQ(view_of_parameter.view_of, BufferId(1));
  EXPECT_EQ(view_of_parameter.offset, 32u);
  EXPECT_EQ(view_of_parameter.storage, Storage::kArena);
  EXPECT_EQ(view_of_parameter.origin.last, 3) << "a whole value belongs to all shards";
}

// A role adds its second argument to the first argument, in the memory of the first. Each sum has its own
// buffer, a view of the sum before. Every later reader of the frame reads the last sum, even in other queues,
// in `apply` and in finite checks.
TEST(Expand, WhatReadsAnUpdatedFrameReadsItsLastValue) {
  const TensorType type{DType::f32, {4}};
  Function f;
  f.shards = {1, 1, 1};
  f.devices.resize(1);
  for (const uint64_t offset : {0, 64, 128}) f.buffers.push_back({.offset = offset, .type = type});
  f.frames = {{{BufferId(0)}}, {{BufferId(1)}}};
  Role role{.name = "accumulate"};
  for (int p = 0; p < 3; ++p) role.buffers.push_back({.storage = Storage::kParameter, .type = type});
  role.buffers[2].origin = {3, 0, 2, 0, kPartialSum};
  role.parameters = {{BufferId(0)}, {BufferId(1)}, {BufferId(2)}};
  role.body = {{.command = RunKernel{.operands = {BufferId(0), BufferId(1)}, .results = {BufferId(2)}},
                .names = named("accumulate")}};
  f.roles.push_back(role);
  auto& queues = f.devices[0].queues;
  for (const int32_t end : {2, 3})
    queues[1].compute.push_back(
        {.command = CallRole{RoleId(0), {FrameId(0), FrameId(1), FrameId(0)}, 0, end}});
  queues[1].compute.push_back({.command = CopyBuffer{BufferId(0), BufferId(2)}});
  queues[1].apply.push_back({.command = CopyBuffer{BufferId(0), BufferId(2)}});
  queues[2].compute.push_back({.command = WriteOutput{PortId(0), {}, BufferId(0)}});
  f.checks.push_back({.device = 0, .flag = BufferId(2), .tensors = {{BufferId(0), "sum"}}});
  const Function expanded = expand(f);
  const auto& list = expanded.devices[0].queues[1].compute;
  ASSERT_EQ(list.size(), 3u);
  const BufferId first = list[0].as<RunKernel>()->results[0], last = list[1].as<RunKernel>()->results[0];
  EXPECT_EQ(list[0].as<RunKernel>()->operands[0], BufferId(0));
  EXPECT_EQ(list[1].as<RunKernel>()->operands[0], first);
  EXPECT_EQ(expanded.buffers[first].view_of, BufferId(0));
  EXPECT_EQ(expanded.buffers[last].view_of, first);
  EXPECT_EQ(expanded.buffers[first].origin.last, 2);
  EXPECT_EQ(expanded.buffers[last].origin.last, 3);
  EXPECT_EQ(list[2].as<CopyBuffer>()->from, last);
  EXPECT_EQ(expanded.devices[0].queues[1].apply[0].as<CopyBuffer>()->from, last);
  EXPECT_EQ(expanded.devices[0].queues[2].compute[0].as<WriteOutput>()->from, last);
  EXPECT_EQ(expanded.checks[0].tensors[0].buffer, last);
}

TEST(Expand, AnAttributeWithItsDefaultIsAdded) {
  Function f = calls_of_a_role();
  f.roles[0].body[0].as<RunKernel>()->attributes.clear();
  const Function expanded = expand(f);
  const auto& list = expanded.devices[0].queues[1].compute;
  EXPECT_TRUE(list[0].as<RunKernel>()->attributes.empty());
  EXPECT_EQ(list[3].as<RunKernel>()->attributes, (Attributes{{"first_element", int64_t{8}}}));
}

// Shard 1 of the role begins at sample 3, and shard 2 two samples later.
TEST(Expand, ACallReadsTheRowsOfItsSamples) {
  Function f = calls_of_a_role();
  f.roles[0].body[1].names = named("slice");
  auto& attributes = f.roles[0].body[1].as<RunKernel>()->attributes;
  attributes = {{"start", int64_t{9}}, {"rows_per_sample", int64_t{3}}};
  const auto starts = [&] {
    const Function expanded = expand(f);
    const auto& list = expanded.devices[0].queues[1].compute;
    return std::pair(list[1].as<RunKernel>()->attributes, list[4].as<RunKernel>()->attributes);
  };
  EXPECT_EQ(starts(),
            std::pair(attributes, Attributes({{"start", int64_t{15}}, {"rows_per_sample", int64_t{3}}})));
  attributes.erase(attributes.begin());  // the default is 0
  EXPECT_EQ(starts(),
            std::pair(attributes, Attributes({{"rows_per_sample", int64_t{3}}, {"start", int64_t{6}}})));
  attributes = {{"start", int64_t{9}}, {"rows_per_sample", int64_t{0}}};
  EXPECT_EQ(starts(), std::pair(attributes, attributes));
  attributes.back().second = int64_t{3};
  f.roles[0].body[1].names = named("neg");  // another op may have attributes with these names
  EXPECT_EQ(starts(), std::pair(attributes, attributes));
}

TEST(Expand, CountsWhatItAdds) {
  const Function f = calls_of_a_role();
  EXPECT_EQ(expanded_size(f), 2u * (2 + 6));
  EXPECT_EQ(expanded_size(expand(f)), 0u);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests programs that use a bucket, the memory that several transfers share, in another way than declared.
// check_program refuses each of them.
#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

TEST(HostileProgram, TensorsOfABucketThatOverlap) {
  const Setting setting{.devices = "reference:0,sim:0", .strategy = "data(2)"};
  auto start = [](Program& p) {
    Instruction* i = find(list(p, Queue::kOut), [](const Instruction& i) { return i.pieces().size() > 1; });
    EXPECT_TRUE(i);
    return i->as<StartAllReduce>();
  };
  EXPECT_THAT(
      refusal(compiled(setting),
              [&](Program& p) {
                buffer(train(p), start(p)->pieces[1]).offset = buffer(train(p), start(p)->pieces[0]).offset;
              }),
      ::testing::AnyOf(HasSubstr("does not lie in its bucket"), HasSubstr("differs from it in place")));
  EXPECT_THAT(refusal(compiled(setting), [&](Program& p) { start(p)->pieces.clear(); }),
              HasSubstr("0 tensors"));
  EXPECT_THAT(
      refusal(compiled(setting), [&](Program& p) { start(p)->pieces.pop_back(); }),
      ::testing::ContainsRegex("its bucket, buffer [0-9]+, has [0-9]+ tensors?, and the other buckets"));
  EXPECT_THAT(refusal(compiled(setting), [&](Program& p) { start(p)->pieces.push_back(start(p)->from); }),
              HasSubstr("bucket"));
}

TEST(HostileProgram, BucketsThatAreUsedOtherwise) {
  const TensorType type{f32, {64}};
  expect_refused(compiled({}), {{"a bucket in a bucket",
                                 [&](Program& p) {
                                   const BufferId outer = add_arena(p, type), inner = add_inside(p, outer);
                                   sum_over_bucket(p, outer, inner);
                                   sum_over_bucket(p, inner, add_inside(p, outer));
                                 },
                                 "but this buffer is the bucket of another instruction"},
                                {"a bucket that another instruction reads",
                                 [&](Program& p) {
                                   const BufferId whole = add_arena(p, type);
                                   sum_over_bucket(p, whole, add_inside(p, whole));
                                   sum_over_bucket(p, whole, {});
                                 },
                                 "uses buffer [0-9]+ .*, which is the bucket of another instruction"}});
  auto start = [](Program& p) -> StartAllReduce& {
    return *find(list(p, Queue::kOut), [](const Instruction& i) {
              return i.pieces().size() > 1;
            })->as<StartAllReduce>();
  };
  auto variable = [](Program& p) {
    Buffer b = stored(p, Storage::kVariable);
    b.device = 0;
    return add(p, b);
  };
  const char* const not_inside = "buffer [0-9]+ does not lie in its bucket, buffer [0-9]+, or overlaps";
  const char* const not_own = "its bucket, buffer [0-9]+, is not a buffer of its own in the arena";
  expect_refused(
      compiled(kReplicas),
      {{"a bucket that is a variable", [&](Program& p) { start(p).from = variable(p); }, not_own},
       {"a bucket that is a view",
        [&](Program& p) {
          Buffer b = buffer(train(p), start(p).from);
          b.view_of = start(p).from;
          start(p).from = add(p, b);
        },
        not_own},
       {"a variable in a bucket", [&](Program& p) { start(p).pieces[0] = variable(p); }, not_inside},
       {"a tensor of another element type in a bucket",
        [&](Program& p) {
          Buffer b = buffer(train(p), start(p).pieces[0]);
          b.view_of = {};
          b.type.dtype = i32;
          start(p).pieces[0] = add(p, b);
        },
        not_inside},
       {"a tensor behind the end of its bucket",
        [&](Program& p) {
          BufferId& last =
              *std::max_element(start(p).pieces.begin(), start(p).pieces.end(), [&](BufferId a, BufferId b) {
                return buffer(train(p), a).offset < buffer(train(p), b).offset;
              });
          Buffer b = buffer(train(p), last);
          b.view_of = {};
          b.offset += 4096;
          train(p).devices[0].arena_bytes += 8192;
          last = add(p, b);
        },
        "the tensors of its bucket, buffer [0-9]+, end at byte [0-9]+ of the bucket, which has [0-9]+ "
        "bytes"}});
}

// The host reads a flag when all queues are done, so no other value of the step may use the memory of the

// The bytes between two tensors of a bucket belong to the bucket.
TEST(HostileProgram, AValueBetweenTheTensorsOfABucket) {
  expect_refused(compiled(kReplicas),
                 {{"an input between two tensors of a bucket",
                   [](Program& p) {
                     const Instruction* start = find(
                         list(p, Queue::kOut), [](const Instruction& i) { return i.pieces().size() > 1; });
                     Buffer between = buffer(train(p), start->pieces()[0]);
                     between.offset += (static_cast<uint64_t>(between.type.bytes()) + 15) / 16 * 16;
                     between.type = {f32, {1, 6}};
                     between.view_of = {};
                     between.origin = {};
                     const auto x = std::find_if(train(p).inputs.begin(), train(p).inputs.end(),
                                                 [](const Port& port) { return port.name == "x"; });
                     const PortId input(x - train(p).inputs.begin());
                     auto& in = list(p, Queue::kIn);  // after the wait for the sum, the bucket is free again
                     const auto sum = std::find_if(
                         in.begin(), in.end(), [](const Instruction& i) { return i.is<AwaitAllReduce>(); });
                     in.insert(sum, make(ReadInput{.input = input, .to = add(p, between)}));
                   },
                   "without waiting for another queue"}});
}

// The tensors of a bucket are aligned for every device of the program. The OpenCL device needs multiples of
// 4096 bytes.
TEST(Bucket, IsAlignedForEveryDevice) {
  auto config = configure_described({.devices = "reference:0,sim:0", .strategy = "data(2)"});
  ASSERT_TRUE(config.ok()) << config.error().text();
  constexpr uint64_t alignment = 4096;
  static_assert(alignment > kLeastBucketAlignment);
  cutset_device_info strict = config->devices[1]->info();
  strict.alignment = alignment;
  config->devices[1] = std::make_shared<DeviceDescription>(&config->devices[1]->backend(), strict, "sim:0");
  Graph graph = small();
  const Program p = check(graph.state()->builder->snapshot()->compile(*config)).program;
  EXPECT_TRUE(check_program(p).ok()) << check_program(p).error().what;
  int pieces = 0;
  for (const Function& f : p.functions)
    for (const DevicePlan& d : f.devices)
      for (const Sequence& s : d.queues)
        for (const Instruction& i : s.compute)
          for (BufferId b : i.pieces()) {
            ++pieces;
            EXPECT_EQ((f.buffers[b].offset - f.buffers[i.bucket()].offset) % alignment, 0u);
            if (d.device == "sim:0") EXPECT_EQ(f.buffers[b].offset % alignment, 0u);
          }
  EXPECT_GE(pieces, 4);
}

}  // namespace
}  // namespace cutset::testing

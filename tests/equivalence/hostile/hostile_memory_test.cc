// SPDX-License-Identifier: Apache-2.0
// Tests programs whose buffers overlap, whose kernels overwrite their operands, or which lack a wait.
// check_program refuses them.
#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

TEST(HostileProgram, MemoryThatOverlaps) {
  for (const char* devices : {"reference:0", "cpu:0"}) {
    if (!have(devices)) continue;
    const Program good = compiled({.devices = devices});
    EXPECT_THAT(refusal(good,
                        [](Program& p) {
                          for (Buffer& b : train(p).buffers)
                            if (b.storage == Storage::kArena) b.offset = 0;
                        }),
                HasSubstr("overlap"));
    // The first change makes a result begin 16 bytes after its operand. The second puts a buffer of the in
    // queue and a buffer of the compute queue at the same offset.
    EXPECT_THAT(refusal(good,
                        [](Program& p) {
                          const RunKernel& i = kernel(p, "mul");
                          train(p).devices[0].arena_bytes += 1024;
                          const BufferId result = i.results[0];
                          const uint64_t offset = buffer(train(p), i.operands[0]).offset + 16;
                          for (Buffer& b : train(p).buffers)  // views must have the offset of their buffer
                            if (b.view_of == result) b.offset = offset;
                          buffer(train(p), result).offset = offset;
                        }),
                HasSubstr("overlap"));
    EXPECT_THAT(refusal(good,
                        [](Program& p) {
                          result_of(p, "sum_to_size").offset =
                              buffer(train(p), first_of<ReadInput>(p).second->results()[0]).offset;
                        }),
                HasSubstr("overlap"));
  }
}

// flag.
TEST(HostileProgram, FlagsThatNoKernelKeeps) {
  const char* const lost = "its flag, buffer [0-9]+, belongs to a bucket, or is used by no instruction";
  auto new_flag = [](Program& p) { return train(p).checks[0].flag = add_arena(p, {i1, {}}); };
  expect_refused(compiled({}), {{"a flag that nothing uses", [&](Program& p) { new_flag(p); }, lost},
                                {"a flag that is a bucket",
                                 [&](Program& p) {
                                   const BufferId flag = new_flag(p);
                                   sum_over_bucket(p, flag, add_inside(p, flag));
                                 },
                                 lost},
                                {"a flag in a bucket",
                                 [&](Program& p) {
                                   const BufferId whole = add_arena(p, {i1, {}});
                                   sum_over_bucket(p, whole, train(p).checks[0].flag = add_inside(p, whole));
                                 },
                                 lost},
                                {"a flag that is written after the commit",
                                 [&](Program& p) {
                                   Instruction late = find_op(p, "all_finite");
                                   late.as<RunKernel>()->results = {new_flag(p)};
                                   list(p, Queue::kCompute, true).push_back(late);
                                 },
                                 "its flag, buffer [0-9]+, is written by no instruction"}});
}

// The last instruction of `compute` overwrites the flag.
TEST(HostileProgram, AFlagThatIsOverwrittenBeforeTheHostReadsIt) {
  expect_refused(compiled({}),
                 {{"a flag in the memory of a later value",
                   [](Program& p) {
                     const BufferId other = add_arena(p, {i1, {}}), flag = train(p).checks[0].flag;
                     list(p, Queue::kCompute).push_back(make(CopyBuffer{flag, other}));
                     const BufferId late = add_inside(p, flag);
                     list(p, Queue::kCompute).push_back(make(CopyBuffer{other, late}));
                   },
                   "are in use at once and overlap: .*, and later the host reads buffer [0-9]+"}});
}

TEST(HostileProgram, AnUpdateWithAValueThatNoFlagTests) {
  expect_refused(compiled({}),
                 {{"a tensor that the finite check leaves out",
                   [](Program& p) {
                     kernel(p, "all_finite").operands.pop_back();
                     train(p).checks[0].tensors.pop_back();
                   },
                   "after the commit .* reads buffer [0-9]+, which no finite check of reference:0 tests"},
                  {"a kernel that tests other tensors than the finite check",
                   [](Program& p) { kernel(p, "all_finite").operands.pop_back(); },
                   "writes a flag, and does not test the tensors of the finite check"}});
}

TEST(HostileProgram, AnEmptyTensorOverlapsNothing) {
  auto input_at = [](int64_t size) {
    return refusal(compiled({}), [&](Program& p) {
      Buffer b = result_of(p, "tanh");
      b.type = {f32, {size, 6}};
      b.view_of = {};
      const auto x = std::find_if(train(p).inputs.begin(), train(p).inputs.end(),
                                  [](const Port& port) { return port.name == "x"; });
      const PortId input(x - train(p).inputs.begin());
      list(p, Queue::kIn).push_back(make(ReadInput{.input = input, .to = add(p, b)}));
    });
  };
  EXPECT_EQ(input_at(0), "accepted");
  EXPECT_THAT(input_at(1),
              ::testing::ContainsRegex(
                  "the in queue.* writes buffer [0-9]+ .* without waiting for another queue: instr.* of the "
                  "compute queue.* writes buffer [0-9]+ .*, which overlaps it"));
}

TEST(HostileProgram, AVariableThatChangesBeforeTheCommit) {
  EXPECT_THAT(refusal(compiled({}),
                      [](Program& p) {
                        const RunKernel& sgd = kernel(p, "sgd", true);
                        list(p, Queue::kCompute).push_back(make(CopyBuffer{sgd.operands[2], sgd.results[0]}));
                      }),
              ::testing::ContainsRegex("writes buffer [0-9]+, which is a variable, outside `apply`"));
}

// The in queue overwrites a buffer that the compute queue copies. The in queue must wait for an event after
// the copy.
TEST(HostileProgram, AQueueThatWritesWhatAnotherOneUses) {
  const TensorType type{f32, {1, 6}};
  auto x = [](Program& p, BufferId to) {
    return make(ReadInput{.input = only<ReadInput>(p).input, .to = to});
  };
  auto overwritten = [&](bool signal_first) {
    return refusal(compiled({}), [&](Program& p) {
      const BufferId from = add_arena(p, type), to = add_arena(p, type);
      int32_t& events = train(p).devices[0].events;
      const EventId ready(events++), copied(events++);
      auto &in = list(p, Queue::kIn), &compute = list(p, Queue::kCompute);
      for (const Instruction& i :
           {x(p, from), make(SignalEvent{ready}), make(AwaitEvent{copied}), x(p, from)})
        in.push_back(i);
      compute.push_back(make(AwaitEvent{ready}));
      if (signal_first) compute.push_back(make(SignalEvent{copied}));
      compute.push_back(make(CopyBuffer{from, to}));
      if (!signal_first) compute.push_back(make(SignalEvent{copied}));
    });
  };
  EXPECT_EQ(overwritten(false), "accepted");
  EXPECT_THAT(overwritten(true),
              ::testing::ContainsRegex(
                  "the (in queue.* writes|compute queue.* reads) buffer [0-9]+ .* without waiting "
                  "for another queue"));
  EXPECT_THAT(refusal(compiled({}),
                      [&](Program& p) {  // both queues write `to`, in no order
                        const BufferId from = add_arena(p, type), to = add_arena(p, type);
                        auto &in = list(p, Queue::kIn), &compute = list(p, Queue::kCompute);
                        const EventId ready(train(p).devices[0].events++);
                        in.push_back(x(p, from));
                        in.push_back(make(SignalEvent{ready}));
                        in.push_back(x(p, to));
                        compute.push_back(make(AwaitEvent{ready}));
                        compute.push_back(make(CopyBuffer{from, to}));
                      }),
              ::testing::ContainsRegex(
                  "the compute queue.* writes buffer [0-9]+ .* without waiting for another queue"));
}

TEST(HostileProgram, WritingInPlaceWhereTheOpDoesNotUpdate) {
  EXPECT_THAT(
      refusal(compiled({}), [](Program& p) { kernel(p, "tanh").results = kernel(p, "tanh").operands; }),
      HasSubstr("does not update in place"));
  // sgd updates operand 0 through result 0 and operand 1 through result 1. It does not update the gradient.
  EXPECT_THAT(refusal(compiled({}),
                      [](Program& p) {
                        std::swap(kernel(p, "sgd", true).results[0], kernel(p, "sgd", true).results[1]);
                      }),
              HasSubstr("does not update in place"));
  EXPECT_THAT(
      refusal(compiled({}),
              [](Program& p) { kernel(p, "sgd", true).operands[2] = kernel(p, "sgd", true).operands[0]; }),
      HasSubstr("does not update in place"));
  EXPECT_THAT(
      refusal(compiled({}),
              [](Program& p) { kernel(p, "sgd", true).results[1] = kernel(p, "sgd", true).results[0]; }),
      ::testing::ContainsRegex("writes buffer [0-9]+, which is a variable, twice"));
}

TEST(HostileProgram, ReadingWhatNothingHasWritten) {
  const Program good = compiled({});
  EXPECT_THAT(refusal(good, [](Program& p) { erase(list(p, Queue::kCompute), find_op(p, "tanh")); }),
              HasSubstr("which nothing has written"));
  EXPECT_THAT(refusal(good, [](Program& p) { erase(list(p, Queue::kIn), list(p, Queue::kIn)[0]); }),
              HasSubstr("which nothing has written"));
  EXPECT_THAT(refusal(good, [](Program& p) { std::swap(find_op(p, "tanh"), find_op(p, "matmul")); }),
              ::testing::AnyOf(HasSubstr("which nothing has written"), HasSubstr("overlap")));
}

// Removing all waits of a queue is always found. Removing one wait is not found if an earlier wait of the
// same queue makes it redundant.
TEST(HostileProgram, MissingWaitsAreFound) {
  for (const char* strategy : {"pipeline(2, micro_batches=1)", "data(2)"}) {
    const Program good = compiled({.devices = "sim:0,sim:1", .strategy = strategy});
    const auto seen = ::testing::AnyOf(HasSubstr("without waiting"), HasSubstr("nothing has written"));
    int waits = 0, missed_alone = 0;
    for (size_t d = 0; d < 2; ++d)
      for (Queue q : {Queue::kCompute, Queue::kOut}) {
        Program copy = good;
        auto& all = list(copy, q, false, d);
        for (size_t i = 0; i < all.size(); ++i) {
          if (!all[i].is<AwaitEvent>()) continue;
          ++waits;
          missed_alone += refusal(good, [&](Program& p) {
                            erase(list(p, q, false, d), list(p, q, false, d)[i]);
                          }) != "accepted";
        }
        std::erase_if(all, [](const Instruction& i) { return i.is<AwaitEvent>(); });
        EXPECT_THAT(refusal(copy, [](Program&) {}), seen) << strategy << ", device " << d;
      }
    EXPECT_GE(waits, 6);
    EXPECT_GE(missed_alone, waits / 2);
  }
}

}  // namespace
}  // namespace cutset::testing

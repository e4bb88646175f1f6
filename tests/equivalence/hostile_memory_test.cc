// Programs whose buffers overlap, whose kernels overwrite their operands, or which lack a wait. check_program refuses
// them.
#include "tests/equivalence/lies.h"

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
    // First a result that begins 16 bytes behind its operand, then a buffer of the in queue and one of the compute
    // queue at the same offset.
    EXPECT_THAT(refusal(good,
                        [](Program& p) {
                          const Instruction& i = find_op(p, "mul");
                          train(p).devices[0].arena_bytes += 1024;
                          const int32_t result = i.results[0];
                          const uint64_t offset = buffer(train(p), i.operands[0]).offset + 16;
                          for (Buffer& b : train(p).buffers)  // views must have the offset of their buffer
                            if (b.view_of == result) b.offset = offset;
                          buffer(train(p), result).offset = offset;
                        }),
                HasSubstr("overlap"));
    EXPECT_THAT(refusal(good,
                        [](Program& p) {
                          const Instruction* in =
                              find(list(p, Queue::kIn), [](const Instruction& i) { return i.kind == Kind::kInput; });
                          buffer(train(p), find_op(p, "sum_to_size").results[0]).offset =
                              buffer(train(p), in->results[0]).offset;
                        }),
                HasSubstr("overlap"));
  }
  auto scratch = [](Program& p) {
    Instruction& i = find_op(p, "tanh");
    Buffer b = buffer(train(p), i.operands[0]);
    b.type = {u8, {16}};
    train(p).buffers.push_back(b);
    i.scratch = static_cast<int32_t>(train(p).buffers.size()) - 1;
  };
  EXPECT_THAT(refusal(compiled({}), scratch), HasSubstr("overlap"));
  EXPECT_THAT(refusal(compiled({}), [](Program& p) { find_op(p, "tanh").scratch = find_op(p, "tanh").operands[0]; }),
              HasSubstr("both as scratch memory and as a tensor"));
}

TEST(HostileProgram, TensorsOfABucketThatOverlap) {
  const Setting setting{.devices = "reference:0,sim:0", .strategy = "data(2)"};
  auto start = [](Program& p) {
    Instruction* i = find(list(p, Queue::kOut), [](const Instruction& i) { return i.pieces.size() > 1; });
    EXPECT_TRUE(i);
    return i;
  };
  EXPECT_THAT(refusal(compiled(setting),
                      [&](Program& p) {
                        buffer(train(p), start(p)->pieces[1]).offset = buffer(train(p), start(p)->pieces[0]).offset;
                      }),
              ::testing::AnyOf(HasSubstr("does not lie in its bucket"), HasSubstr("differs from it in place")));
  EXPECT_THAT(refusal(compiled(setting), [&](Program& p) { start(p)->pieces.clear(); }),
              ::testing::AnyOf(HasSubstr("overlap"), HasSubstr("nothing has written")));
  EXPECT_THAT(refusal(compiled(setting), [&](Program& p) { start(p)->pieces.pop_back(); }), HasSubstr("overlap"));
  EXPECT_THAT(refusal(compiled(setting), [&](Program& p) { start(p)->pieces.push_back(start(p)->operands[0]); }),
              HasSubstr("bucket"));
}

TEST(HostileProgram, WritingInPlaceWhereTheOpDoesNotUpdate) {
  EXPECT_THAT(refusal(compiled({}), [](Program& p) { find_op(p, "tanh").results = find_op(p, "tanh").operands; }),
              HasSubstr("does not update in place"));
  // sgd updates operand 0 through result 0 and operand 1 through result 1. It does not update the gradient.
  EXPECT_THAT(
      refusal(compiled({}),
              [](Program& p) { std::swap(find_op(p, "sgd", true).results[0], find_op(p, "sgd", true).results[1]); }),
      HasSubstr("does not update in place"));
  EXPECT_THAT(refusal(compiled({}),
                      [](Program& p) { find_op(p, "sgd", true).operands[2] = find_op(p, "sgd", true).operands[0]; }),
              HasSubstr("does not update in place"));
  EXPECT_THAT(refusal(compiled({}),
                      [](Program& p) { find_op(p, "sgd", true).results[1] = find_op(p, "sgd", true).results[0]; }),
              ::testing::ContainsRegex("writes buffer [0-9]+ .* twice"));
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

// Removing all waits of a queue is always found. Removing one wait is not, if an earlier wait of the same queue already
// implies it.
TEST(HostileProgram, MissingWaitsAreFound) {
  for (const char* strategy : {"model", "data(2)"}) {
    const Program good = compiled({.devices = "sim:0,sim:1", .strategy = strategy});
    const auto seen = ::testing::AnyOf(HasSubstr("without waiting"), HasSubstr("nothing has written"));
    int waits = 0, missed_alone = 0;
    for (size_t d = 0; d < 2; ++d)
      for (Queue q : {Queue::kCompute, Queue::kOut}) {
        Program copy = good;
        auto& all = list(copy, q, false, d);
        for (size_t i = 0; i < all.size(); ++i) {
          if (all[i].kind != Kind::kWait) continue;
          ++waits;
          missed_alone +=
              refusal(good, [&](Program& p) { erase(list(p, q, false, d), list(p, q, false, d)[i]); }) != "accepted";
        }
        std::erase_if(all, [](const Instruction& i) { return i.kind == Kind::kWait; });
        EXPECT_THAT(refusal(copy, [](Program&) {}), seen) << strategy << ", device " << d;
      }
    EXPECT_GE(waits, 6);
    EXPECT_GE(missed_alone, waits / 2);
  }
}

// The tensors of a bucket are aligned for every device of the program. The OpenCL device needs multiples of 4096 bytes.
TEST(Bucket, IsAlignedForEveryDevice) {
  const auto config = configure_described({.devices = "reference:0,opencl:0", .strategy = "data(2)"});
  if (!config) GTEST_SKIP() << config.error().text();
  uint64_t alignment = 0;
  for (const auto& d : config->devices) alignment = std::max<uint64_t>(alignment, d->info().alignment);
  ASSERT_GT(alignment, kLeastBucketAlignment);
  Graph graph = small();
  const Program p = check(graph.state()->builder->snapshot()->compile(*config)).program;
  EXPECT_TRUE(check_program(p).ok()) << check_program(p).error().what;
  int pieces = 0;
  for (const Function& f : p.functions)
    for (const DevicePlan& d : f.devices)
      for (const Sequence& s : d.queues)
        for (const Instruction& i : s.compute)
          for (int32_t b : i.pieces) {
            ++pieces;
            const uint64_t whole =
                f.buffers[static_cast<size_t>((i.results.empty() ? i.operands : i.results)[0])].offset;
            EXPECT_EQ((f.buffers[static_cast<size_t>(b)].offset - whole) % alignment, 0u);
            if (d.device == "opencl:0") EXPECT_EQ(f.buffers[static_cast<size_t>(b)].offset % alignment, 0u);
          }
  EXPECT_GE(pieces, 4);
}

}  // namespace
}  // namespace cutset::testing

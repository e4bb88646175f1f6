// SPDX-License-Identifier: Apache-2.0
// Tests programs whose roles, or calls of roles, are wrong. check_program refuses each of them before it
// expands them.
#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

// Returns the program of a classifier in four micro-batches of two rows. Its role has a view.
Program program() {
  static const Program compiled = [] {
    Graph g(3);
    Tensor x = g.input("x", f32, {8, 2, 3}), y = g.input("y", i32, {8});
    Tensor h = tanh(nn::dense("a", flatten(x), 5));
    g.output("h", h);
    g.minimize(mean(softmax_cross_entropy(nn::dense("b", flatten(h * h), 3), y)), {0.1, 0.9});
    const CompileConfig config =
        check(configure({.devices = "reference:0", .strategy = "pipeline(1, micro_batches=4)"}));
    return check(g.state()->builder->snapshot()->compile(config)).program;
  }();
  return compiled;
}

Role& role(Program& p) { return train(p).roles[0]; }
CallRole& call(Program& p) { return only<CallRole>(p); }
// Returns the buffers that the first call gives as this argument.
std::vector<BufferId>& frame(Program& p, size_t argument) {
  return train(p).frames[call(p).arguments[argument]].buffers;
}
// Returns the buffers of a frame that has several buffers.
std::vector<BufferId>& long_frame(Program& p) {
  return std::ranges::find_if(train(p).frames, [](const Frame& f) { return f.buffers.size() > 1; })->buffers;
}

TEST(HostileRoles, IndicesOutOfRange) {
  expect_refused(
      program(),
      {{"role 99", [](Program& p) { call(p).role = RoleId(99); },
        "role index 99 is out of range; the function has 2 roles"},
       {"role -1", [](Program& p) { call(p).role = RoleId(-1); }, "role index -1 is out of range"},
       {"shard 4", [](Program& p) { call(p).shard = 4; },
        "shard index 4 is out of range; the function has 4 shards"},
       {"shard -1", [](Program& p) { call(p).shard = -1; }, "shard index -1 is out of range"},
       {"the role's shard", [](Program& p) { role(p).shard = 7; }, "role 0: shard index 7 is out of range"},
       {"the role's device", [](Program& p) { role(p).device = 3; },
        "role 0: device index 3 is out of range"},
       {"argument 1000000", [](Program& p) { call(p).arguments[0] = FrameId(1'000'000); },
        "frame index 1000000 is out of range; the function has [0-9]+ frames"},
       {"argument -1", [](Program& p) { call(p).arguments.back() = FrameId(-1); },
        "frame index -1 is out of range"},
       {"a buffer of a frame", [](Program& p) { frame(p, 0)[0] = BufferId(1'000'000); },
        "frame [0-9]+: buffer index 1000000 is out of range; the function has [0-9]+ buffers"},
       {"a buffer in two frames", [](Program& p) { frame(p, 0)[0] = frame(p, 1)[0]; },
        "frame [0-9]+: buffer [0-9]+ is in two frames, or twice in one"},
       {"a buffer twice in a frame", [](Program& p) { long_frame(p)[0] = long_frame(p)[1]; },
        "frame [0-9]+: buffer [0-9]+ is in two frames, or twice in one"},
       {"an addition of no shards", [](Program& p) { call(p).end = call(p).shard; },
        "it adds the shards from 0 to 0, and the function has 4 shards"},
       {"an addition of a shard too many", [](Program& p) { call(p).end = 5; },
        "it adds the shards from 0 to 5, and the function has 4 shards"},
       {"an addition to shard -2", [](Program& p) { call(p).end = -2; }, "it adds the shards from 0 to -2"},
       {"a parameter", [](Program& p) { role(p).parameters[0][0] = BufferId(5000); },
        "role 0: buffer index 5000 is out of range; the role has [0-9]+ buffers"},
       {"an operand", [](Program& p) { role(p).body[0].as<RunKernel>()->operands[0] = BufferId(5000); },
        "instruction 0 of the role: buffer index 5000 is out of range"},
       {"a result", [](Program& p) { role(p).body[0].as<RunKernel>()->results[0] = BufferId(-2); },
        "instruction 0 of the role: buffer index -2 is out of range"},
       {"a view of itself", [](Program& p) { role(p).buffers[3].view_of = BufferId(3); },
        "buffer 3 of the role: it is a view of buffer 3, and a view must refer to an earlier buffer"},
       {"an origin", [](Program& p) { role(p).buffers[0].origin.last = 99; },
        "buffer 0 of the role: its origin is out of range"},
       {"an origin behind the last shard",
        [](Program& p) {
          role(p).buffers[0].origin = {0, 3, 4, kNone, 0};
          call(p).shard = 3;
        },
        "a value of its role would belong to a shard that does not exist"},
       {"rows", [](Program& p) { train(p).shards[0] = INT64_MAX; },
        "the numbers of samples of its shards are out of range"}});
}

TEST(HostileRoles, CallsThatDoNotFit) {
  expect_refused(
      program(),
      {{"too few arguments", [](Program& p) { call(p).arguments.pop_back(); },
        "it gives [0-9]+ frames to a role with [0-9]+ arguments"},
       {"a frame with a buffer too few", [](Program& p) { long_frame(p).pop_back(); },
        "frame [0-9]+ has [0-9]+ buffers?, and argument [0-9]+ of the role has [0-9]+ parameters"},
       {"another type", [](Program& p) { std::swap(call(p).arguments[0], call(p).arguments[1]); },
        "it gives a buffer of type .* to parameter 0 of argument 0, which has the type"},
       {"an unknown element type",
        [](Program& p) { buffer(train(p), frame(p, 0)[0]).type.dtype = static_cast<DType>(256); },
        "element type 256 does not exist"},
       {"a call in apply",
        [](Program& p) {
          auto& all = list(p, Queue::kCompute);
          const auto [in, i] = first_of<CallRole>(p);
          list(p, Queue::kCompute, true).push_back(*i);
          erase(all, *i);
        },
        "a role is called outside of the compute list of the compute queue"},
       {"a call in another queue",
        [](Program& p) { list(p, Queue::kOut).push_back(*first_of<CallRole>(p).second); },
        "a role is called outside of the compute list of the compute queue"},
       {"a role that is not called", [](Program& p) { train(p).roles.push_back(role(p)); },
        "role 2 is called by no instruction"},
       {"a role that calls a role",
        [](Program& p) { role(p).body.push_back({.command = CallRole{.role = RoleId(1)}}); },
        "a role has no command of the kind 'call'"},
       {"a role that signals",
        [](Program& p) { role(p).body.push_back({.command = SignalEvent{EventId(0)}}); },
        "a role has no command of the kind 'signal'"},
       {"a parameter with memory",
        [](Program& p) { role(p).buffers[role(p).parameters.back()[0]].storage = Storage::kArena; },
        "is listed as a parameter and is none"},
       {"a parameter twice", [](Program& p) { role(p).parameters[0] = role(p).parameters[1]; },
        "is listed as two parameters"},
       {"a parameter that no call gives",
        [](Program& p) { role(p).buffers.push_back({.storage = Storage::kParameter, .type = {f32, {1}}}); },
        "is a parameter that no call gives"},
       {"a parameter of the function",
        [](Program& p) { add(p, {.storage = Storage::kParameter, .type = {f32, {1}}}); },
        "it is a parameter, and only the buffers of a role may be parameters"},
       {"memory behind the arena",
        [](Program& p) {
          for (Buffer& b : role(p).buffers)
            if (b.storage == Storage::kArena) b.offset += uint64_t{1} << 40;
        },
        "of the arena of reference:0, which has [0-9]+ bytes"}});
}

// A role uses its memory in every call, so a value that is kept between two calls must not lie there.
TEST(HostileRoles, MemoryOfTheRoleUnderAValue) {
  expect_refused(program(), {{"an argument in the memory of the role",
                              [](Program& p) {
                                uint64_t inside = 0;
                                for (const Buffer& b : role(p).buffers)
                                  if (b.storage == Storage::kArena && b.type.bytes() > 0) inside = b.offset;
                                buffer(train(p), frame(p, 0)[0]).offset = inside;
                              },
                              "are in use at once and overlap"}});
}

TEST(HostileRoles, CallsThatExpandTooFar) {
  EXPECT_THAT(refusal(program(),
                      [](Program& p) {
                        auto& all = list(p, Queue::kCompute);
                        const Instruction i = *first_of<CallRole>(p).second;
                        all.insert(all.end(), 200'000, i);
                        // The limit is checked first, because the check of each call takes time in proportion
                        // to its expansion.
                        all.back().as<CallRole>()->arguments.pop_back();
                      }),
              HasSubstr("instructions and buffers; the limit is 4194304"));
}

// A call for a later micro-batch adds rows to the start of a slice.
TEST(HostileRoles, RowsOfSlices) {
  Graph g(3);
  Tensor x = g.input("x", f32, {8, 2}),
         rows = exp(g.constant(HostTensor({8, 1}, std::vector<float>(8, 1.0f))));
  g.minimize(mean(nn::dense("a", x, 1) * rows), {0.1, 0.9});
  const CompileConfig config =
      check(configure({.devices = "reference:0", .strategy = "pipeline(1, micro_batches=4)"}));
  const Program valid = check(g.state()->builder->snapshot()->compile(config)).program;
  const auto slice = [](Program& p) -> Attributes& {
    for (Role& r : train(p).roles)
      for (Instruction& i : r.body)
        if (i.op() == "slice") return i.as<RunKernel>()->attributes;
    throw std::logic_error("no role has a slice");
  };
  // The attribute is listed a second time.
  const auto with = [&slice](const char* name, AttrValue value) {
    return [slice, name, value](Program& p) { slice(p).emplace_back(name, value); };
  };
  expect_refused(valid,
                 {{"negative rows", with("rows_per_sample", int64_t{-1}),
                   "an attribute rows_per_sample that is out of range"},
                  {"too many rows", with("rows_per_sample", INT64_MAX),
                   "an attribute rows_per_sample that is out of range"},
                  {"no number of rows", with("rows_per_sample", 1.5),
                   "an attribute rows_per_sample that is out of range"},
                  {"a large start", with("start", INT64_MAX), "an attribute start that is out of range"},
                  {"no number as start", with("start", 0.5), "an attribute start that is out of range"},
                  {"rows behind the end",
                   [slice](Program& p) {
                     for (auto& [name, value] : slice(p))
                       if (name == "rows_per_sample") value = int64_t{2};
                   },
                   "out of range"}});
}

}  // namespace
}  // namespace cutset::testing

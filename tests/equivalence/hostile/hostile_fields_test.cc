// SPDX-License-Identifier: Apache-2.0
// Tests programs in which one number, type or place is out of range. check_program refuses each of them, and
// the message names the index, the value and the limit. Without the check, the executor would access memory
// outside its buffers.
#include <algorithm>

#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

constexpr int32_t kNowhere = 1'000'000;

// Returns the command that writes the output "h", which has rows.
const WriteOutput* output_of_rows(Program& p) {
  return find(list(p, Queue::kOut),
              [&](const Instruction& i) {
                const auto* c = i.as<WriteOutput>();
                return c && train(p).outputs[c->output].name == "h";
              })
      ->as<WriteOutput>();
}

TEST(HostileProgram, BuffersOutsideOfTheirMemory) {
  const char* const beyond =
      "buffer [0-9]+: it has [0-9]+ bytes at offset [0-9]+ of the arena of reference:0, which has [0-9]+ "
      "bytes";
  expect_refused(
      compiled({}),
      {{"a buffer behind the arena",
        [](Program& p) { result_of(p, "tanh").offset = train(p).devices[0].arena_bytes / 16 * 16; }, beyond},
       {"an offset near 2^64", [](Program& p) { result_of(p, "tanh").offset = UINT64_MAX - 15; }, beyond},
       {"an arena that is one byte too short", [](Program& p) { --train(p).devices[0].arena_bytes; }, beyond},
       {"an arena of 2^49 bytes", [](Program& p) { train(p).devices[0].arena_bytes = uint64_t{1} << 49; },
        "the arena of reference:0 has 562949953421312 bytes; the limit is 2\\^48"},
       {"an offset of 8", [](Program& p) { result_of(p, "tanh").offset = 8; },
        "buffer [0-9]+: its offset 8 is not a multiple of 16"},
       {"device 7", [](Program& p) { result_of(p, "tanh").device = 7; },
        "buffer [0-9]+: device index 7 is out of range; the program has 1 device"},
       {"device -1", [](Program& p) { result_of(p, "tanh").device = -1; },
        "buffer [0-9]+: device index -1 is out of range; the program has 1 device"},
       {"a view of itself", [](Program& p) { train(p).buffers[0].view_of = BufferId(0); },
        "buffer 0: it is a view of buffer 0, and a view must refer to an earlier buffer"},
       {"a view of buffer -2", [](Program& p) { train(p).buffers[0].view_of = BufferId(-2); },
        "buffer 0: it is a view of buffer -2, and a view must refer to an earlier buffer"},
       {"an unknown storage", [](Program& p) { result_of(p, "tanh").storage = static_cast<Storage>(9); },
        "buffer [0-9]+: its storage 9 is unknown"},
       {"-1 events", [](Program& p) { train(p).devices[0].events = -1; },
        "reference:0 has -1 events, and [0-9]+ instructions to signal them"},
       {"an origin out of range", [](Program& p) { result_of(p, "tanh").origin.layout = 99; },
        "buffer [0-9]+: its origin .*, layout 99\\) is out of range"},
       {"piece 2 of 2", [](Program& p) { result_of(p, "tanh").origin.piece = {0, -1, 2, 2, 1}; },
        "buffer [0-9]+: the piece of its origin is out of range"},
       {"a piece of no pieces", [](Program& p) { result_of(p, "tanh").origin.piece = {0, -1, 0, 0, 1}; },
        "buffer [0-9]+: the piece of its origin is out of range"},
       {"a piece in units of 0", [](Program& p) { result_of(p, "tanh").origin.piece = {0, -1, 0, 1, 0}; },
        "buffer [0-9]+: the piece of its origin is out of range"},
       {"a piece along dimension 99",
        [](Program& p) { result_of(p, "tanh").origin.piece = {99, -1, 0, 1, 1}; },
        "buffer [0-9]+: the piece of its origin is out of range"}});
}

TEST(HostileProgram, VariablesAndConstantsOutOfRange) {
  expect_refused(
      compiled({}),
      {{"variable 99", [](Program& p) { stored(p, Storage::kVariable).variable = VariableId(99); },
        "buffer [0-9]+: variable index 99 is out of range; the program has [0-9]+ variables"},
       {"a variable of another size", [](Program& p) { stored(p, Storage::kVariable).type = {f32, {1000}}; },
        "buffer [0-9]+: it is 1000xf32, and variable '.*' on reference:0 is "},
       {"variable -1", [](Program& p) { stored(p, Storage::kVariable).variable = VariableId(-1); },
        "buffer [0-9]+: variable index -1 is out of range"},
       {"a variable of another element type",
        [](Program& p) { stored(p, Storage::kVariable).type.dtype = i32; },
        "buffer [0-9]+: it is .*i32, and variable '.*' on reference:0 is .*f32"},
       {"constant -1", [](Program& p) { stored(p, Storage::kConstant).constant = ConstantId(-1); },
        "buffer [0-9]+: constant index -1 is out of range"},
       {"a constant of another element type",
        [](Program& p) { stored(p, Storage::kConstant).type.dtype = i32; },
        "buffer [0-9]+: it is .*i32 on reference:0, and constant [0-9]+ is .*f32 on reference:0"},
       {"constant 99", [](Program& p) { stored(p, Storage::kConstant).constant = ConstantId(99); },
        "buffer [0-9]+: constant index 99 is out of range; the program has [0-9]+ constants?"},
       {"a constant of another size", [](Program& p) { stored(p, Storage::kConstant).type = {f32, {1000}}; },
        "buffer [0-9]+: it is 1000xf32 on reference:0, and constant [0-9]+ is .* on reference:0"},
       {"a constant that is written",
        [](Program& p) { kernel(p, "tanh").results[0] = id_of(p, stored(p, Storage::kConstant)); },
        "'tanh'.*: it writes buffer [0-9]+, which is a constant"}});
  expect_refused(compiled(kStages), {{"a variable on a device that does not have it",
                                      [](Program& p) {
                                        Buffer& b = stored(p, Storage::kVariable);
                                        b.device = 1 - b.device;
                                      },
                                      "is variable '.*' on .*:0, which is not one of the variable's homes"}});
}

TEST(HostileProgram, InstructionsWithIndicesOutOfRange) {
  expect_refused(
      compiled({}),
      {{"operand 1000000", [](Program& p) { kernel(p, "tanh").operands[0] = BufferId(kNowhere); },
        "buffer index 1000000 is out of range; the function has [0-9]+ buffers"},
       {"operand -1", [](Program& p) { kernel(p, "tanh").operands[0] = BufferId(-1); },
        "buffer index -1 is out of range"},
       {"result 1000000", [](Program& p) { kernel(p, "tanh").results[0] = BufferId(kNowhere); },
        "buffer index 1000000 is out of range"},
       {"an unknown op", [](Program& p) { find_op(p, "tanh").set_op("frobnicate"); },
        "there is no op 'frobnicate'"},
       {"a result too many",
        [](Program& p) { kernel(p, "tanh").results.push_back(kernel(p, "mul").results[0]); },
        "it has 2 results, and 'tanh' has 1 result"},
       {"a result of another shape", [](Program& p) { result_of(p, "mul").type.shape = {40}; },
        "result 0 of 'mul' is 8x5xf32, and buffer [0-9]+ is 40xf32"},
       {"input 1000000", [](Program& p) { only<ReadInput>(p).input = PortId(kNowhere); },
        "input index 1000000 is out of range; the function has [0-9]+ inputs"},
       {"output -1", [](Program& p) { only<WriteOutput>(p).output = PortId(-1); },
        "output index -1 is out of range; the function has [0-9]+ outputs?"},
       {"a negative number of samples", [](Program& p) { p.functions[0].samples = -1; }, "it has -1 samples"},
       {"a dimension of samples without samples",
        [](Program& p) { p.functions[0].inputs[PortId(0)].batch = 0; },
        "input '.*' has a dimension of samples, and the function has no number of them"},
       {"an output without samples", [](Program& p) { p.functions[0].samples = 1; },
        "output '.*' has no dimension -1"},
       {"rows behind an input", [](Program& p) { only<ReadInput>(p).first.start = 1; },
        "it copies [0-9]+ rows? from row 1 along dimension 0 of input '.*', which is .*, which has [0-9]+"},
       {"a row behind an input", [](Program& p) { only<ReadInput>(p).first.start = INT64_MAX; },
        "it copies [0-9]+ rows? from row 9223372036854775807 along dimension 0 of input"},
       {"row -1 of an output", [](Program& p) { only<WriteOutput>(p).first.start = -1; },
        "there is no row -1 along dimension 0 of output '.*', which is "},
       {"dimension 2 of an input", [](Program& p) { only<ReadInput>(p).first.dimension = 2; },
        "there is no row 0 along dimension 2 of input '.*', which is "},
       {"dimension -1 of an input", [](Program& p) { only<ReadInput>(p).first.dimension = -1; },
        "there is no row 0 along dimension -1 of input '.*', which is "},
       {"rows of another size",
        [](Program& p) { train(p).inputs[only<ReadInput>(p).input].type.shape.back() += 1; },
        "buffer [0-9]+, which is .*, cannot hold rows from row 0 along dimension 0 of input '.*', which is "},
       {"event -1", [](Program& p) { only<SignalEvent>(p).event = EventId(-1); },
        "event index -1 is out of range"},
       {"an output of a type", [](Program& p) { only<WriteOutput>(p).from = add_type_only(p, {f32, {1}}); },
        "queue of reference:0.*: it reads buffer [0-9]+, which has a type and no value"},
       {"a kernel that reads a type",
        [](Program& p) { kernel(p, "tanh").operands[0] = add_type_only(p, result_of(p, "tanh").type); },
        "'tanh'.*: it reads buffer [0-9]+, which has a type and no value"},
       {"a kernel that writes a type",
        [](Program& p) { kernel(p, "tanh").results[0] = add_type_only(p, result_of(p, "tanh").type); },
        "'tanh'.*: it writes buffer [0-9]+, which has a type and no value"},
       {"an output of another rank",
        [](Program& p) {
          Shape& shape = train(p).outputs[only<WriteOutput>(p).output].type.shape;
          shape.insert(shape.begin(), 2);
        },
        "cannot hold rows from row 0 along dimension 0 of output"},
       {"an output of which one half is written",
        [](Program& p) { train(p).outputs[output_of_rows(p)->output].type.shape[0] *= 2; },
        "the rows of output 'h', which is 80xf32, are not all written exactly once"},
       {"an output that is written twice",
        [](Program& p) { list(p, Queue::kOut).push_back(make(WriteOutput(*output_of_rows(p)))); },
        "the rows of output 'h', which is 40xf32, are not all written exactly once"},
       {"an output whose rows lie along two dimensions",
        [](Program& p) {
          WriteOutput other = *output_of_rows(p);
          train(p).outputs[other.output].type.shape = buffer(train(p), other.from).type.shape = {40, 1};
          other.first.dimension = 1;
          list(p, Queue::kOut).push_back(make(other));
        },
        "it writes rows along dimension 1 of output 'h', and another instruction writes rows along dimension "
        "0"},
       {"event 1000000", [](Program& p) { only<AwaitEvent>(p).event = EventId(kNowhere); },
        "event index 1000000 is out of range; reference:0 has [0-9]+ events"},
       {"an event that is signalled twice", [](Program& p) { twice<SignalEvent>(p); },
        "it signals event [0-9]+, which another instruction signals, too"}});
}

// Moves the instruction that starts the all_reduce of a partial sum from `compute` to `apply`.
void start_in_apply(Program& p, size_t device) {
  auto &compute = list(p, Queue::kOut, false, device), &apply = list(p, Queue::kOut, true, device);
  Instruction* start = find(compute, [](const Instruction& i) { return i.is<StartAllReduce>(); });
  if (!start) throw std::runtime_error("no all_reduce starts");
  apply.push_back(Instruction(*start));
  erase(compute, *start);
}

TEST(HostileProgram, ChannelsAndSumsOutOfRange) {
  expect_refused(
      compiled(kStages),
      {{"a channel to device 9", [](Program& p) { train(p).channels[0].to = 9; },
        "channel 0: device index 9 is out of range; the program has 2 devices"},
       {"channel 1000000", [](Program& p) { only<Send>(p).channel = ChannelId(kNowhere); },
        "channel index 1000000 is out of range; the function has [0-9]+ channels?"},
       {"channel -1", [](Program& p) { only<Send>(p).channel = ChannelId(-1); },
        "channel index -1 is out of range"},
       {"a channel with two receivers", [](Program& p) { twice<Receive>(p); },
        "channel [0-9]+ has two receivers"},
       {"a channel without a receiver",
        [](Program& p) {
          const auto [all, i] = first_of<Receive>(p);
          erase(*all, *i);
        },
        "channel [0-9]+ has no receiver"},
       {"a message of another element type", [](Program& p) { train(p).channels[0].type.dtype = i32; },
        "channel 0 is .*i32, and buffer [0-9]+ is .*f32"},
       {"an operand on another device",
        [](Program& p) {
          RunKernel& i = only<RunKernel>(p);
          const Buffer result = buffer(train(p), i.results[0]);
          i.operands = {add_type_only(p, result.type, 1 - result.device)};
        },
        "buffer [0-9]+ is on .*:0, and the instruction is on .*:0"},
       {"a channel of other devices",
        [](Program& p) { std::swap(train(p).channels[0].from, train(p).channels[0].to); },
        "channel 0 leads from .*:0 to .*:0"},
       {"a channel with two senders", [](Program& p) { twice<Send>(p); }, "channel [0-9]+ has two senders"},
       {"a message of another size", [](Program& p) { train(p).channels[0].type = {f32, {100000}}; },
        "channel 0 is 100000xf32, and buffer [0-9]+ is "},
       {"devices in another order", [](Program& p) { std::swap(p.devices[0], p.devices[1]); },
        "plan 0 is for 'reference:0', and device 0 of the program is 'sim:0'"},
       {"a device without a plan", [](Program& p) { train(p).devices.pop_back(); },
        "it has plans for 1 device, and the program has 2 devices"}});
  expect_refused(
      compiled(kReplicas),
      {{"a partial sum on device 9", [](Program& p) { train(p).collectives[0].partials[0].device = 9; },
        "all_reduce 0: device index 9 is out of range; the program has 2 devices"},
       {"all_reduce 1000000", [](Program& p) { only<StartAllReduce>(p).collective = CollectiveId(kNowhere); },
        "all_reduce index 1000000 is out of range; the function has [0-9]+ all_reduces?"},
       {"partial sum 1000000", [](Program& p) { only<StartAllReduce>(p).partial = kNowhere; },
        "partial sum index 1000000 is out of range; all_reduce [0-9]+ has 2 partial sums"},
       {"a partial sum of another device",
        [](Program& p) {
          std::swap(train(p).collectives[0].partials[0].device, train(p).collectives[0].partials[1].device);
        },
        "partial sum [01] of all_reduce 0 belongs to .*:0"},
       {"all_reduce -1", [](Program& p) { only<StartAllReduce>(p).collective = CollectiveId(-1); },
        "all_reduce index -1 is out of range"},
       {"partial sum -1", [](Program& p) { only<StartAllReduce>(p).partial = -1; },
        "partial sum index -1 is out of range; all_reduce [0-9]+ has 2 partial sums"},
       {"a first partial sum in `apply`", [](Program& p) { start_in_apply(p, 0); },
        "partial sum [01] of all_reduce [0-9]+ is started in `compute` and another one in `apply`"},
       {"a second partial sum in `apply`", [](Program& p) { start_in_apply(p, 1); },
        "partial sum [01] of all_reduce [0-9]+ is started in `apply` and another one in `compute`"},
       {"a partial sum that is started twice", [](Program& p) { twice<StartAllReduce>(p); },
        "partial sum [01] of all_reduce [0-9]+ is started twice"},
       {"a sum of another size", [](Program& p) { train(p).collectives[0].type = {f32, {100000}}; },
        "all_reduce 0 is 100000xf32, and buffer [0-9]+ is "},
       {"a shard of -1 samples", [](Program& p) { train(p).shards[0] = -1; }, "shard 0 has -1 samples"}});
}

TEST(HostileProgram, FiniteChecksOutOfRange) {
  const Program good = compiled({});
  ASSERT_FALSE(good.find("train")->checks.empty());
  expect_refused(
      good,
      {{"flag 1000000", [](Program& p) { train(p).checks[0].flag = BufferId(kNowhere); },
        "finite check 0: buffer index 1000000 is out of range; the function has [0-9]+ buffers"},
       {"a flag of another type", [](Program& p) { train(p).checks[0].flag = kernel(p, "tanh").results[0]; },
        "finite check 0: its flag, buffer [0-9]+, is not a scalar of i1 in the arena"},
       {"a flag outside of the arena",
        [](Program& p) { train(p).checks[0].flag = id_of(p, stored(p, Storage::kVariable)); },
        "finite check 0: its flag, buffer [0-9]+, is not a scalar of i1 in the arena"},
       {"a tensor without memory",
        [](Program& p) { train(p).checks[0].tensors[0].buffer = add_type_only(p, {f32, {1}}); },
        "finite check 0: buffer [0-9]+ has a type and no value"},
       {"tensor -1", [](Program& p) { train(p).checks[0].tensors[0].buffer = BufferId(-1); },
        "finite check 0: buffer index -1 is out of range"},
       {"the flag of another check", [](Program& p) { train(p).checks.push_back(train(p).checks[0]); },
        "finite check 1: its flag, buffer [0-9]+, is the flag of another finite check, too"},
       {"device 9", [](Program& p) { train(p).checks[0].device = 9; },
        "finite check 0: device index 9 is out of range; the program has 1 device"}});
  expect_refused(compiled(kReplicas),
                 {{"a flag on another device",
                   [](Program& p) { train(p).checks[0].device = 1 - train(p).checks[0].device; },
                   "finite check 0: buffer [0-9]+ is on .*:0, and the check is on .*:0"}});
}

// Loading a program draws first values that its file leaves out.
TEST(HostileProgram, FirstValuesThatCannotBeDrawn) {
  const auto with = [](const std::string& op, const Attributes& attributes) {
    return [=](Program& p) {
      std::ranges::find(p.variables, "", &Variable::state_of)->drawn = {op, attributes};
    };
  };
  const Attributes seeds = {{"seed", int64_t{1}}, {"stream", int64_t{1}}};
  Attributes negative = seeds;
  negative.emplace_back("stddev", -1.0);
  Attributes piece = seeds;
  piece.emplace_back("first_element", INT64_MAX);
  const Program good = compiled({});
  EXPECT_EQ(refusal(good, with("random_normal", seeds)), "accepted");
  const auto first = [](double value, bool state) {
    return [=](Program& p) {
      std::ranges::find_if(p.variables, [=](const Variable& v) {
        return v.state_of.empty() != state;
      })->first = value;
    };
  };
  EXPECT_EQ(refusal(good, first(0.5, true)), "accepted");
  expect_refused(good, {{"a first value of a variable", first(0.5, false), "cannot have the first value 0.5"},
                        {"NaN", first(NAN, true), "cannot have the first value nan"},
                        {"infinity", first(INFINITY, true), "cannot have the first value inf"}});
  expect_refused(
      good,
      {{"an unknown op", with("frobnicate", seeds),
        "variable '.*': 'frobnicate' is no op that draws the first value of a variable"},
       {"an op that does not draw", with("tanh", {}), "'tanh' is no op that draws the first value"},
       {"attributes without an op", with("", seeds), "'' is no op that draws the first value"},
       {"no seed", with("random_normal", {}), "variable '.*'seed'"},
       {"a seed that is text", with("random_normal", {{"seed", std::string("x")}, {"stream", int64_t{1}}}),
        "variable '.*seed"},
       {"a negative deviation", with("random_normal", negative), "variable '.*C2"},
       {"a piece of a value", with("random_normal", piece), "is no op that draws the first value"},
       {"an integer variable",
        [&](Program& p) {
          p.variables.push_back({.name = "n", .type = {i32, {4}}, .homes = {0}});
          p.variables.back().drawn = {"random_normal", seeds};
        },
        "variable 'n': C1"},
       {"a state",
        [&](Program& p) {
          p.variables.push_back({.name = "s", .type = {f32, {4}}, .homes = {0}});
          p.variables.back().state_of = p.variables[0].name;
          p.variables.back().drawn = {"random_normal", seeds};
        },
        "variable 's': no op draws the first value of a state"}});
}

TEST(HostileProgram, DevicesAndConstantsThatDoNotFit) {
  expect_refused(
      compiled({}),
      {{"a device name with a control character", [](Program& p) { p.devices[0] = "\x1b[2J"; },
        "device 0 has the name '\\?', which is not of the form KIND:NUMBER"},
       {"a device twice", [](Program& p) { p.devices.push_back(p.devices[0]); },
        "device 'reference:0' is listed twice"},
       {"optimizer state of an unknown variable", [](Program& p) { p.variables[0].state_of = "nope"; },
        "is optimizer state of variable 'nope', which the program does not have"},
       {"a constant that lacks a byte",
        [](Program& p) { p.constants.push_back({{f32, {2}}, {0, 0, 0, 0}, 0}); },
        "constant [0-9]+ has 4 bytes, and its type 2xf32 takes 8"},
       {"a constant on device 3", [](Program& p) { p.constants.push_back({{u8, {1}}, {0}, 3}); },
        "constant [0-9]+: device index 3 is out of range; the program has 1 device"}});
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Tests programs with one mistake each: a wrong index, name, type, operand count or place of an instruction.
// check_program or the load refuses them and names the mistake.
#include <limits>

#include "ir/core/op/op_info.h"
#include "tests/equivalence/hostile/lies.h"

namespace cutset::testing {
namespace {

TEST(HostileProgram, PartsOfASumWithoutShards) {
  EXPECT_THAT(
      refusal(compiled({}),
              [](Program& p) { train(p).collectives.push_back({{f32, {1}}, {{0, 0, 0}, {0, 0, 1}}, "x"}); }),
      HasSubstr("all_reduce 0: partial sum 0 covers the shards from 0 up to 0, which is not a range"));
}

TEST(HostileProgram, AnIndexOutOfRangeIsNamedWithItsLimit) {
  const Program good = compiled({});
  EXPECT_THAT(refusal(good, [](Program& p) { train(p).buffers[0].device = 7; }),
              HasSubstr("'train': buffer 0: device index 7 is out of range; the program has 1 device"));
  EXPECT_THAT(refusal(good, [](Program& p) { p.variables[0].homes[0] = -3; }),
              HasSubstr("': device index -3 is out of range; the program has 1 device"));
  EXPECT_THAT(refusal(good, [](Program& p) { kernel(p, "tanh").operands[0] = BufferId(9999); }),
              ::testing::ContainsRegex(
                  "'tanh'.*: buffer index 9999 is out of range; the function has [0-9]+ buffers"));
  EXPECT_THAT(refusal(good, [](Program& p) { only<ReadInput>(p).input = PortId(99); }),
              ::testing::ContainsRegex(
                  "of the in queue of reference:0.*: input index 99 is out of range; the function has "));
  EXPECT_THAT(refusal(good, [](Program& p) { only<SignalEvent>(p).event = EventId(1000); }),
              HasSubstr("event index 1000 is out of range; reference:0 has "));
}

TEST(HostileProgram, NamesThatLeaveAFolder) {
  using namespace std::string_literals;
  for (const std::string& name : {"../../tmp/x"s, "x\0"s, "\x1b[2J"s, "/etc/x"s, ""s}) {
    EXPECT_NE(refusal(compiled({}), [&](Program& p) { train(p).outputs[0].name = name; }), "accepted")
        << name;
    EXPECT_NE(refusal(compiled({}), [&](Program& p) { train(p).inputs[0].name = name; }), "accepted") << name;
    EXPECT_NE(refusal(compiled({}), [&](Program& p) { p.variables[0].name = name; }), "accepted") << name;
    EXPECT_NE(refusal(compiled({}), [&](Program& p) { train(p).name = name; }), "accepted") << name;
    EXPECT_NE(refusal(compiled({}), [&](Program& p) { p.devices[0] = train(p).devices[0].device = name; }),
              "accepted");
  }
  EXPECT_NE(
      refusal(compiled({}), [&](Program& p) { p.devices[0] = train(p).devices[0].device = "cpu:0,cpu:1"; }),
      "accepted");
  for (const auto& names :
       {named("tanh", "\x1b[2J"), named("tanh", "", "\x1b[2J"), named({.op = "tanh", .role = "\x1b[2J"})})
    EXPECT_THAT(refusal(compiled({}), [&](Program& p) { find_op(p, "tanh").names = names; }),
                HasSubstr("control characters"));
  for (const int32_t stage : {-2, std::numeric_limits<int32_t>::max()})
    EXPECT_THAT(
        refusal(compiled({}),
                [&](Program& p) { find_op(p, "tanh").names = named({.op = "tanh", .stage = stage}); }),
        HasSubstr("is not the number of a stage"));
  EXPECT_THAT(refusal(compiled({}), [](Program& p) { kernel(p, "tanh").kernel = "\x1b[2J"; }),
              HasSubstr("control characters"));
  EXPECT_THAT(
      refusal(compiled({}), [](Program& p) { train(p).outputs.push_back(Port(train(p).outputs[0])); }),
      HasSubstr("is listed twice"));
}

// Every op of the program is tested with one operand too few, with one operand too many, and without
// operands.
TEST(HostileProgram, OperandsTooFewOrTooMany) {
  const Program good = compiled({});
  int tried = 0;
  for (const bool apply : {false, true}) {
    Program copy = good;
    for (size_t i = 0; i < list(copy, Queue::kCompute, apply).size(); ++i) {
      if (!list(copy, Queue::kCompute, apply)[i].is<RunKernel>()) continue;
      const OpInfo& op = *cutset::find_op(list(copy, Queue::kCompute, apply)[i].op());
      for (auto change : {+[](std::vector<BufferId>& v) { v.pop_back(); },
                          +[](std::vector<BufferId>& v) { v.push_back(v[0]); },
                          +[](std::vector<BufferId>& v) { v.clear(); }}) {
        const RunKernel& its = *list(copy, Queue::kCompute, apply)[i].as<RunKernel>();
        auto operands = its.operands;
        change(operands);
        if (operand_ranges(op, its.attributes, operands.size()).ok()) continue;
        ++tried;
        EXPECT_THAT(refusal(good,
                            [&](Program& p) {
                              list(p, Queue::kCompute, apply)[i].as<RunKernel>()->operands = operands;
                            }),
                    HasSubstr("'" + std::string(op.name) + "' takes"))
            << op.name;
      }
    }
  }
  EXPECT_GT(tried, 20);
  auto takes = [](const char* op, size_t n) { return operand_ranges(*cutset::find_op(op), {}, n).ok(); };
  EXPECT_TRUE(takes("conv", 2) && takes("conv", 3) && !takes("conv", 1) && !takes("conv", 4));
  EXPECT_TRUE(takes("sgd", cutset::find_op("sgd")->operands.size()) && !takes("sgd", 2) &&
              takes("matmul", 2) && !takes("matmul", 1));
  EXPECT_TRUE(takes("add_n", 1) && takes("add_n", 100) && !takes("add_n", 0));
  EXPECT_TRUE(takes("max_pool_backward", 2) && !takes("max_pool_backward", 1));
}

TEST(HostileProgram, AKernelOfAnotherOp) {
  EXPECT_THAT(refusal_at_load(compiled({}), [](Program& p) { kernel(p, "tanh").kernel = "conv.reference"; }),
              HasSubstr("has no kernel 'conv.reference' for 'tanh'"));
  if (have("cpu:0")) {
    const Program good = compiled({.devices = "cpu:0"});
    EXPECT_EQ(refusal_at_load(good, [](Program&) {}), "accepted");
    EXPECT_THAT(
        refusal_at_load(good, [](Program& p) { kernel(p, "tanh").kernel = kernel(p, "matmul").kernel; }),
        HasSubstr("for 'tanh'"));
  }
}

// Loading calls `supports` again, because a program that is read from a file may come from another writer
// than the compiler.
TEST(HostileProgram, TypesAndCountsThatTheKernelRefuses) {
  const auto with = [](DType dtype) {
    return [dtype](Program& p) {
      auto change = [&](TensorType& t) { t.dtype = t.dtype == f32 ? dtype : t.dtype; };
      for (Variable& v : p.variables) change(v.type);
      for (Constant& c : p.constants) {
        change(c.type);
        c.bytes.resize(static_cast<size_t>(c.type.bytes()));
      }
      for (Function& f : p.functions) {
        for (Buffer& b : f.buffers) change(b.type);
        for (auto* ports : {&f.inputs, &f.outputs})
          for (Port& port : *ports) change(port.type);
      }
    };
  };
  // The kernels convert f16 in scratch memory, which the executor reserves.
  EXPECT_EQ(refusal_at_load(compiled({}), with(DType::f16)), "accepted");
  if (have("opencl:0")) {
    EXPECT_THAT(refusal_at_load(compiled({.devices = "opencl:0"}), with(f64)), HasSubstr("f64"));
  }
  auto hundred = [](Program& p) {
    Instruction* sum = find(list(p, Queue::kCompute), [](const Instruction& i) { return i.op() == "add_n"; });
    ASSERT_TRUE(sum);
    sum->as<RunKernel>()->operands.assign(100, sum->operands()[0]);
  };
  const Program parts = compiled({.devices = "sim:0", .deterministic = true});
  EXPECT_EQ(refusal(parts, hundred), "accepted");  // add_n takes any number of operands
  EXPECT_EQ(refusal_at_load(parts, hundred), "accepted");
}

TEST(HostileProgram, AStepThatNeverEnds) {
  EXPECT_THAT(refusal(compiled({}),
                      [](Program& p) {
                        auto& in = list(p, Queue::kIn);
                        in.insert(in.begin(), make(AwaitEvent{only<SignalEvent>(p).event}));
                      }),
              ::testing::ContainsRegex(
                  "wait for each other in a cycle: instruction 0 of the in queue of reference:0 waits "
                  "for event [0-9]+"));
  // The in queue begins with a wait for the last instruction of the out queue, and the out queue needs the
  // inputs.
  auto blocked = [](bool message) {
    return refusal(compiled({}), [&](Program& p) {
      const BufferId result = only<WriteOutput>(p).from;
      const TensorType type = buffer(train(p), result).type;
      const BufferId to = add_arena(p, type);
      auto &in = list(p, Queue::kIn), &out = list(p, Queue::kOut);
      if (message) {
        train(p).channels = {{0, 0, type, ""}};
        in.insert(in.begin(), make(Receive{ChannelId(0), to}));
        out.push_back(make(Send{ChannelId(0), result}));
      } else {
        train(p).collectives = {{type, {{0, 0, 1}}, ""}};
        in.insert(in.begin(), make(AwaitAllReduce{CollectiveId(0), to}));
        out.push_back(make(StartAllReduce{CollectiveId(0), 0, result}));
      }
    });
  };
  EXPECT_THAT(blocked(true),
              HasSubstr("wait for each other in a cycle: instruction 0 of the in queue of reference:0 waits "
                        "for a message of channel 0 from reference:0"));
  EXPECT_THAT(blocked(false), HasSubstr("waits for the partial sum of reference:0 in all_reduce 0"));
}

TEST(HostileProgram, InstructionsWhereTheyDoNotBelong) {
  const Program good = compiled({});
  EXPECT_THAT(refusal(good, [](Program& p) { list(p, Queue::kOut).push_back(find_op(p, "tanh")); }),
              HasSubstr("an instruction of its kind belongs to the compute queue"));
  EXPECT_THAT(refusal(good,
                      [](Program& p) {
                        auto& apply = list(p, Queue::kCompute, true);
                        auto& compute = list(p, Queue::kCompute);
                        compute.push_back(find_op(p, "sgd", true));
                        erase(apply, find_op(p, "sgd", true));
                      }),
              ::testing::AnyOf(HasSubstr("outside `apply`"), HasSubstr("without waiting")));
  EXPECT_THAT(refusal(good,
                      [](Program& p) {
                        erase(list(p, Queue::kOut), *find(list(p, Queue::kOut), [](const Instruction& i) {
                                return i.is<WriteOutput>();
                              }));
                      }),
              HasSubstr("are not all written exactly once"));
  EXPECT_THAT(
      refusal(good, [](Program& p) { train(p).outputs.push_back({"big", {u8, {int64_t{1} << 40}}}); }),
      HasSubstr("the rows of output 'big', which is 1099511627776xu8, are not all written exactly once"));
  EXPECT_THAT(
      refusal(good, [](Program& p) { train(p).channels.push_back({0, 0, {u8, {int64_t{1} << 40}}, ""}); }),
      HasSubstr("no sender"));
  EXPECT_THAT(refusal(good,
                      [](Program& p) {
                        train(p).collectives.push_back({{u8, {int64_t{1} << 40}}, {{0, 0, 1}}, ""});
                      }),
              HasSubstr("partial sum 0 of all_reduce 0 is never started"));
}

TEST(HostileProgram, BytesReadAsAnotherType) {
  const Program good = compiled({});
  EXPECT_THAT(refusal(good,
                      [](Program& p) {
                        for (Buffer& b : const_cast<Function*>(p.find("evaluate"))->buffers)
                          if (b.view_of.is_set() && b.storage == Storage::kArena) b.type.dtype = i32;
                      }),
              HasSubstr("differs from it in place, size or element type"));
  EXPECT_THAT(refusal(good, [](Program& p) { train(p).inputs[0].type.dtype = i32; }),
              HasSubstr("another element type"));
  EXPECT_THAT(refusal(good, [](Program& p) { p.constants.push_back({{i1, {2}}, {0, 7}, 0}); }),
              HasSubstr("neither 0 nor 1"));
}

TEST(HostileProgram, MoreEventsThanSignals) {
  EXPECT_THAT(refusal(compiled({}), [](Program& p) { train(p).devices[0].events = 1'000'000; }),
              HasSubstr("1000000 events"));
  EXPECT_THAT(refusal(compiled({}), [](Program& p) { ++train(p).devices[0].events; }),
              ::testing::ContainsRegex("event [0-9]+ of reference:0 is never signalled"));
}

TEST(HostileProgram, AnAddressThatTheDeviceDoesNotTake) {
  EXPECT_THAT(refusal_at_load(compiled({.devices = "sim:0"}),
                              [](Program& p) {
                                train(p).devices[0].arena_bytes += 4096;
                                for (Buffer& b : train(p).buffers)
                                  if (b.storage == Storage::kArena) b.offset += 16;
                              }),
              HasSubstr("on sim:0 the offset must be a multiple of 256"));
}

// The rules for names also hold for graphs.
TEST(HostileProgram, NamesAreCheckedInGraphsToo) {
  Graph g;
  EXPECT_THROW(g.input("../x", f32, {2}), Error);
  EXPECT_THROW(g.variable("a b", f32, {2}, Initializer::zeros()), Error);
  Tensor x = g.input("x", f32, {2});
  try {
    g.output("/etc/x", x);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.source(), HasSubstr("hostile_program_test.cc:"));
  }
}

}  // namespace
}  // namespace cutset::testing

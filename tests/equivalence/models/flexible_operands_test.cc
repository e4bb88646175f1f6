// SPDX-License-Identifier: Apache-2.0
// Tests ops with optional and variadic operands, variadic results, and words as attributes in whole models:
// on every backend, split over replicas, pipelines and tensor axes, in saved programs, and in program files
// with mistakes.
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/equivalence/hostile/lies.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

// Returns a graph with gates as in an LSTM cell: one dense layer whose result is split, bounds that are
// variables, and padding.
Graph gates(int64_t batch) {
  Graph g(3);
  Tensor x = g.input("x", f32, {batch, 6}), y = g.input("y", i32, {batch});
  const std::vector<Tensor> parts =
      split_with_sizes(nn::dense("gates", x, 17), {.axis = -1, .sizes = {5, 4, 5, 3}});
  Tensor low = g.variable("low", f32, {}, Initializer::constant(-0.5)),
         high = g.variable("high", f32, {}, Initializer::constant(0.25));
  Tensor both = clip(parts[0], low, high) * sigmoid(parts[2]);
  Tensor above = clip(parts[1], {}, high);
  // parts[3] is used for an output only, so the loss gives it no gradient.
  g.output("unused", clip(parts[3], low));
  Tensor joined =
      concat({both, above, ops::pad(above, {.axis = 1, .before = 2, .after = 3, .mode = PadMode::kReflect})},
             {.axis = 1});
  Tensor padded = ops::pad(joined, {.axis = 1, .before = 1, .after = 2, .mode = PadMode::kEdge});
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", padded, 3), y)),
             {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

Batch feed(const Graph& g, uint64_t seed) {
  Batch batch;
  PhiloxSequence random(seed);
  for (const auto& [name, type] : g.inputs()) {
    HostTensor& t = batch.emplace(name, HostTensor(type)).first->second;
    for (int64_t i = 0; i < t.elements(); ++i)
      t.set(i, name == "y" ? double(random.below(3)) : random.normal());
  }
  return batch;
}
std::vector<Batch> batches(int64_t rows) {
  const Graph g = gates(rows);
  return {feed(g, 1), feed(g, 2), feed(g, 3)};
}

struct FlexibleOperands : PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(FlexibleOperands);

TEST_P(FlexibleOperands, TrainTheSameOnEveryDeviceAndSplit) {
  EXPECT_SAME_ON(gates(7), device(), "", batches(7));
  EXPECT_SAME_ON(gates(7), device() + ",reference:1", "data(2, shares=5:2)", batches(7));
  EXPECT_SAME_ON(gates(8), device() + ",reference:1", "pipeline(2, micro_batches=4)", batches(8));
  EXPECT_SAME_ON(gates(8), device() + ",reference:1", "tensor(2)", batches(8));
}

TEST(FlexibleOperandsOnOneDevice, HaveGradients) { EXPECT_GRADIENTS(gates(5), batches(5)[0], 5); }

// Ops compute with operands of the integer types other than i32 and i64.
TEST(FlexibleOperandsOnOneDevice, ComputeWithIntegers) {
  Graph g;
  Tensor a = g.input("a", u16, {4}), b = g.input("b", u16, {4});
  g.output("product", a * b);
  g.output("clipped", clip(a, {}, constant(a, 1000)));
  g.output("wide", cast(a, {.dtype = u64}) * 65537);
  g.output("constant",
           a + g.constant(HostTensor({4}, {uint16_t{65535}, uint16_t{0}, uint16_t{1}, uint16_t{2}})));
  g.output("signed", cast(cast(a, {.dtype = i16}), {.dtype = f32}));
  Session session = compile(g, {.devices = "reference:0,reference:1", .strategy = "data(2)"});
  const HostTensor x({4}, {uint16_t{1}, uint16_t{1000}, uint16_t{1001}, uint16_t{65535}});
  Outputs got = session.evaluate({{"a", x}, {"b", x}});
  EXPECT_EQ(got["product"], HostTensor({4}, {uint16_t{1}, uint16_t{16960}, uint16_t{18961}, uint16_t{1}}));
  EXPECT_EQ(got["clipped"], HostTensor({4}, {uint16_t{1}, uint16_t{1000}, uint16_t{1000}, uint16_t{1000}}));
  EXPECT_EQ(got["wide"],
            HostTensor({4}, {uint64_t{65537}, uint64_t{65537000}, uint64_t{65602537}, uint64_t{4294967295}}));
  EXPECT_EQ(got["constant"], HostTensor({4}, {uint16_t{0}, uint16_t{1000}, uint16_t{1002}, uint16_t{1}}));
  EXPECT_EQ(got["signed"], HostTensor({4}, {1.f, 1000.f, 1001.f, -1.f}));
}

TEST(FlexibleOperandsOnOneDevice, MistakesAreNamedAtTheirLine) {
  Graph g, other;
  Tensor x = g.input("x", f32, {4, 6}), bound = g.input("bound", f32, {});
  EXPECT_ERROR_HERE("C2: a bound is 4x6xf32, not f32", clip(x, x));
  EXPECT_ERROR_HERE("operand 0 ('x') of 'clip' is an empty Tensor", clip({}, bound));
  EXPECT_ERROR_HERE("belong to different graphs", clip(x, {}, other.input("bound", f32, {})));
  EXPECT_ERROR_HERE("operand 1 ('parts') of 'concat' is an empty Tensor", concat({x, {}}, {.axis = 0}));
  EXPECT_ERROR_HERE("add up to 6", split_with_sizes(x, {.axis = 1, .sizes = {1, 2}}));
  EXPECT_ERROR_HERE("C2: there are 0 sizes", split_with_sizes(x, {.axis = 1}));
  EXPECT_ERROR_HERE("it must be one of 'constant', 'edge', 'reflect'",
                    ops::pad(x, {.axis = 1, .before = 1, .mode = PadMode(7)}));
  EXPECT_ERROR_HERE("C3: before is 6", ops::pad(x, {.axis = 1, .before = 6, .mode = PadMode::kReflect}));
}

// A program file keeps words, segments and the number of results.
using FlexibleOperandsInFiles = Folder;
TEST_F(FlexibleOperandsInFiles, AreKept) {
  const Graph graph = gates(4);
  save_program(graph, {.devices = "reference:0"}, path("program"));
  auto saved = read_program(path("program"));
  ASSERT_TRUE(saved.ok()) << saved.error().text();
  Program& p = saved->program;
  const Attributes& of_pad = kernel(p, "pad").attributes;
  EXPECT_TRUE(std::find(of_pad.begin(), of_pad.end(),
                        std::pair(std::string("mode"), AttrValue(std::string("reflect")))) != of_pad.end());
  EXPECT_EQ(kernel(p, "split_with_sizes").results.size(), 4u);
  SavedProgram again = load_program(path("program"));
  Session session = compile(graph, {.devices = "reference:0"});
  const Batch batch = batches(4)[0];
  EXPECT_EQ(again.run("evaluate", batch)["unused"], session.evaluate(batch)["unused"]);
}

TEST(FlexibleOperandsOnOneDevice, AProgramFileWithAnotherNumberOfOperandsIsRefused) {
  Graph graph = gates(4);
  const Program good =
      check(graph.state()->builder->snapshot()->compile(check(configure({.devices = "reference:0"}))))
          .program;
  ASSERT_TRUE(check_program(good).ok());
  const auto segments_of = [](Program& p) -> IntList& {
    for (auto& [name, value] : kernel(p, "clip").attributes)
      if (name == kOperandSegments) return std::get<IntList>(value);
    throw std::runtime_error("no segments");
  };
  EXPECT_THAT(refusal(good, [&](Program& p) { segments_of(p) = {1, 0, 0}; }),
              HasSubstr("add up to another number"));
  EXPECT_THAT(refusal(good, [&](Program& p) { segments_of(p) = {1, int64_t{1} << 62, 1}; }),
              HasSubstr("'clip' takes at most one operand 'minimum'"));
  EXPECT_THAT(refusal(good, [&](Program& p) { segments_of(p) = {}; }), HasSubstr("a list of 3 integers"));
  EXPECT_THAT(refusal(good, [&](Program& p) { kernel(p, "clip").attributes.clear(); }),
              HasSubstr("needs the attribute 'operand_segments'"));
  EXPECT_THAT(refusal(good, [&](Program& p) { kernel(p, "clip").operands.pop_back(); }),
              HasSubstr("add up to another number"));
  EXPECT_THAT(refusal(good, [&](Program& p) { kernel(p, "split_with_sizes").results.pop_back(); }),
              HasSubstr("it has 3 results, and 'split_with_sizes' has 4 results"));
  EXPECT_THAT(refusal(good,
                      [&](Program& p) {
                        for (auto& [name, value] : kernel(p, "pad").attributes)
                          if (name == "mode") value = std::string("\x1b[2J");
                      }),
              HasSubstr("is another text; it must be one of 'constant'"));
}

}  // namespace
}  // namespace cutset::testing

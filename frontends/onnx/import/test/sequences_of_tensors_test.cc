// SPDX-License-Identifier: Apache-2.0
// Tests sequences of tensors: their ops, training through them, sequences in bodies, and models that are
// refused.
#include <cutset/onnx.h>
#include <cutset/ops.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Message with(Message n, const std::vector<Message>& attributes) {
  for (const Message& a : attributes) n.nested(5, a);
  return n;
}
Message split(const std::vector<std::string>& inputs, const std::vector<Message>& attributes = {}) {
  return with(node("SplitToSequence", inputs, "parts"), attributes);
}
Message join(const std::string& sequence, int64_t axis, bool stacks = false,
             const std::string& result = "y") {
  return with(node("ConcatFromSequence", {sequence}, result),
              {attribute("axis", axis), attribute("new_axis", int64_t{stacks})});
}
Message at(const std::string& position, const std::string& result = "y",
           const std::string& sequence = "parts") {
  return node("SequenceAt", {sequence, position}, result);
}

// Runs a model whose input x has the shape [2, 3] and the elements 0 to 5.
HostTensor run(const std::vector<Message>& nodes, const std::vector<Message>& initializers = {}) {
  const Model m = import_model(bytes_of(model(nodes, initializers, value("x", {2, 3}))));
  Session session = compile(m.graph, {.devices = "reference:0"});
  return session.run("evaluate", {{"x", HostTensor({2, 3}, {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f})}})["y"];
}
HostTensor numbers(const Shape& shape, const std::vector<float>& elements) { return {shape, elements}; }
std::string error_of_nodes(const std::vector<Message>& nodes, const std::vector<Message>& initializers = {}) {
  return testing::error_of([&] { import_model(bytes_of(model(nodes, initializers, value("x", {2, 3})))); });
}
const std::vector<Message> positions = {number("zero", 0),    number("one", 1), number("last", -1),
                                        number("minus4", -4), number("two", 2), number("minus2", -2),
                                        number("minus3", -3)};

TEST(SequencesOfTensors, SplitATensor) {
  const Message columns = attribute("axis", int64_t{1});
  EXPECT_EQ(run({split({"x"}), at("one")}, positions), numbers({1, 3}, {3, 4, 5}));
  EXPECT_EQ(run({split({"x"}, {columns}), at("last")}, positions), numbers({2, 1}, {2, 5}));
  EXPECT_EQ(run({split({"x"}, {columns, attribute("keepdims", int64_t{0})}), at("zero")}, positions),
            numbers({2}, {0, 3}));
  // Equal parts have the size of a scalar operand, and the last part is smaller.
  EXPECT_EQ(run({split({"x", "two"}, {columns}), at("zero")}, positions), numbers({2, 2}, {0, 1, 3, 4}));
  EXPECT_EQ(run({split({"x", "two"}, {columns, attribute("keepdims", int64_t{0})}), at("one")}, positions),
            numbers({2, 1}, {2, 5}));
  const std::vector<Message> sizes = {number("zero", 0), tensor("sizes", kInt64, {2}, raw<int64_t>({1, 2}))};
  EXPECT_EQ(run({split({"x", "sizes"}, {columns}), node("SequenceErase", {"parts", "zero"}, "rest"),
                 at("zero", "y", "rest")},
                sizes),
            numbers({2, 2}, {1, 2, 4, 5}));
}

TEST(SequencesOfTensors, AreBuiltAndJoined) {
  const Message twice = node("Add", {"x", "x"}, "twice"),
                both = node("SequenceConstruct", {"x", "twice"}, "parts");
  EXPECT_EQ(run({twice, both, join("parts", 0)}), numbers({4, 3}, {0, 1, 2, 3, 4, 5, 0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(run({twice, both, join("parts", -1, true)}),
            numbers({2, 3, 2}, {0, 0, 1, 2, 2, 4, 3, 6, 4, 8, 5, 10}));
  const Message empty = node("SequenceEmpty", {}, "none"), neg = node("Neg", {"x"}, "neg");
  const auto inserted = [&](const std::vector<std::string>& operands) {
    return run({twice, neg, both, node("SequenceInsert", operands, "more"), at("one", "y", "more")},
               positions);
  };
  EXPECT_EQ(inserted({"parts", "neg", "one"}), numbers({2, 3}, {-0.0f, -1, -2, -3, -4, -5}));
  EXPECT_EQ(inserted({"parts", "neg", "zero"}), numbers({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(inserted({"parts", "neg"}), numbers({2, 3}, {0, 2, 4, 6, 8, 10}));
  // A negative position counts from the end of the two tensors. The new tensor is inserted before the last
  // tensor, or before both tensors.
  EXPECT_EQ(inserted({"parts", "neg", "last"}), numbers({2, 3}, {-0.0f, -1, -2, -3, -4, -5}));
  EXPECT_EQ(inserted({"parts", "neg", "minus2"}), numbers({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(inserted({"parts", "neg", "two"}), numbers({2, 3}, {0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(run({empty, node("SequenceInsert", {"none", "x"}, "parts"), node("Identity", {"parts"}, "same"),
                 at("last", "y", "same")},
                positions),
            numbers({2, 3}, {0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(run({twice, both, node("SequenceErase", {"parts"}, "one_less"), at("last", "y", "one_less")},
                positions),
            numbers({2, 3}, {0, 1, 2, 3, 4, 5}));
}

// The length is known while the graph is built, so it may decide a shape.
TEST(SequencesOfTensors, HaveAKnownLength) {
  EXPECT_EQ(
      run({split({"x"}, {attribute("axis", int64_t{1})}), node("SequenceLength", {"parts"}, "n"),
           node("Unsqueeze", {"n", "first"}, "shape"), node("ReduceSum", {"x"}, "s"),
           node("Reshape", {"s", "flat"}, "one_sum"), node("Expand", {"one_sum", "shape"}, "y")},
          {tensor("first", kInt64, {1}, raw<int64_t>({0})), tensor("flat", kInt64, {1}, raw<int64_t>({1}))}),
      numbers({3}, {15, 15, 15}));
}

// y = w1 * x1 + w2 * x2 for the columns of x, where the weights are in a sequence.
TEST(SequencesOfTensors, AreTrained) {
  const std::vector<Message> nodes = {node("SequenceConstruct", {"v", "w"}, "weights"),
                                      at("zero", "first", "weights"),
                                      at("last", "second", "weights"),
                                      split({"x"}, {attribute("axis", int64_t{1})}),
                                      at("zero", "left"),
                                      at("last", "right"),
                                      node("Mul", {"left", "first"}, "a"),
                                      node("Mul", {"right", "second"}, "b"),
                                      node("Add", {"a", "b"}, "y")};
  Model m = import_model(
      bytes_of(model(nodes, {floats("v", {2}), floats("w", {3}), number("zero", 0), number("last", -1)},
                     value("x", {2, 3}))));
  m.graph.minimize(ops::reduce_sum(m.results.at("y"), {.axes = {0, 1}}), {.learning_rate = 1});
  Session session = compile(m.graph, {.devices = "reference:0"});
  session.train({{"x", HostTensor({2, 3}, {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f})}});
  EXPECT_EQ(session.variable("v"), numbers({1}, {2 - (0 + 3)}));
  EXPECT_EQ(session.variable("w"), numbers({1}, {3 - (2 + 5)}));
}

// A loop adds x times its number to a sequence, as TorchScript writes a list that grows.
TEST(SequencesOfTensors, AreCarriedByLoops) {
  const Message body =
      graph({cast("i", "k", kFloat), node("Mul", {"x", "k"}, "h"),
             node("SequenceInsert", {"list", "h"}, "longer"), node("Identity", {"go"}, "on")},
            {value("i"), value("go"), value("list")}, {value("on"), value("longer")});
  const Message loop = with(node("Loop", {"two", "", "none"}, "all"), {attribute("body", body)});
  EXPECT_EQ(run({node("SequenceEmpty", {}, "none"), loop, join("all", 0)}, positions),
            numbers({4, 3}, {0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}));
}

TEST(SequencesOfTensors, AreChosenByKnownConditions) {
  const auto choice = [](const std::string& condition) {
    return with(node("If", {condition}, "chosen"),
                {attribute("then_branch", graph({node("SequenceConstruct", {"x"}, "h")}, {}, {value("h")})),
                 attribute("else_branch",
                           graph({split({"x"}), node("Identity", {"parts"}, "h")}, {}, {value("h")}))});
  };
  EXPECT_EQ(run({choice("no"), at("one", "y", "chosen")}, {truth("no", false), number("one", 1)}),
            numbers({1, 3}, {3, 4, 5}));
  EXPECT_THAT(error_of_nodes({node("ReduceSum", {"x"}, "s"), node("Greater", {"s", "s"}, "c"), choice("c"),
                              at("zero", "y", "chosen")},
                             positions),
              HasSubstr("If: a sequence of tensors stands where only a tensor is supported"));
}

TEST(SequencesOfTensors, AreMapped) {
  const Message body = graph({node("Mul", {"part", "factor"}, "product"), node("Neg", {"part"}, "negative")},
                             {value("part"), value("factor")}, {value("product"), value("negative")});
  const auto map = [&](const std::string& second) {
    return with(node("SequenceMap", {"parts", second}, std::vector<std::string>{"products", "negatives"}),
                {attribute("body", body)});
  };
  EXPECT_EQ(run({split({"x"}), map("parts"), join("products", 0)}), numbers({2, 3}, {0, 1, 4, 9, 16, 25}));
  EXPECT_EQ(run({split({"x"}), map("x"), at("last", "y", "products")}, positions),
            numbers({2, 3}, {0, 4, 10, 9, 16, 25}));
  EXPECT_EQ(run({split({"x"}), map("x"), at("last", "y", "negatives")}, positions),
            numbers({1, 3}, {-3, -4, -5}));
  EXPECT_THAT(
      error_of_nodes(
          {split({"x"}), node("SequenceConstruct", {"x"}, "short"),
           with(node("SequenceMap", {"parts", "short"}, std::vector<std::string>{"products", "negatives"}),
                {attribute("body", body)}),
           at("zero", "y", "products")},
          positions),
      HasSubstr("operand 1 has 1 tensor, but operand 0 has 2"));
}

TEST(SequencesOfTensors, AreNoTensors) {
  EXPECT_THAT(error_of_nodes({split({"x"}), node("Relu", {"parts"}, "y")}),
              HasSubstr("Relu: operand 0 ('parts') is a sequence of tensors"));
  EXPECT_THAT(error_of_nodes({split({"x"}), node("Identity", {"parts"}, "y")}),
              HasSubstr("the output 'y' is a sequence of tensors"));
  EXPECT_THAT(error_of_nodes({at("zero", "y", "x")}, positions),
              HasSubstr("operand 0 ('x') is a tensor, and not a sequence"));
  EXPECT_THAT(error_of_nodes({split({"x"}), node("SequenceConstruct", {"parts"}, "y")}),
              HasSubstr("SequenceConstruct: operand 0 ('parts') is a sequence of tensors"));
  EXPECT_THAT(error_of_nodes(
                  {split({"x"}), with(node("Loop", {"two", "", "x"}, "y"),
                                      {attribute("body", graph({node("Identity", {"go"}, "on")},
                                                               {value("i"), value("go"), value("v", {2, 3})},
                                                               {value("on"), value("parts")}))})},
                  positions),
              HasSubstr("'v' of body is a sequence of tensors, but is declared with another type"));
}

TEST(SequencesOfTensors, HavePositionsAndTypes) {
  EXPECT_THAT(error_of_nodes({split({"x"}), at("two")}, positions),
              HasSubstr("the position 2 is out of range; there are 2 positions"));
  EXPECT_THAT(error_of_nodes({split({"x"}), at("minus4")}, positions),
              HasSubstr("the position -4 is out of range"));
  EXPECT_THAT(error_of_nodes({node("SequenceEmpty", {}, "none"), node("SequenceErase", {"none"}, "y")}),
              HasSubstr("the position -1 is out of range; there are 0 positions"));
  EXPECT_THAT(
      error_of_nodes({split({"x"}), node("SequenceInsert", {"parts", "x", "minus3"}, "more")}, positions),
      HasSubstr("the position -3 is out of range"));
  EXPECT_THAT(error_of_nodes({node("SequenceEmpty", {}, "none"), join("none", 0)}),
              HasSubstr("an empty sequence is joined"));
  EXPECT_THAT(error_of_nodes({cast("x", "whole", kInt32), node("SequenceConstruct", {"x", "whole"}, "parts"),
                              at("zero")},
                             positions),
              HasSubstr("a sequence has tensors of the element types f32 and i32"));
  EXPECT_THAT(error_of_nodes({with(node("SequenceEmpty", {}, "none"), {attribute("dtype", int64_t{8})}),
                              node("SequenceInsert", {"none", "x"}, "parts"), at("zero")},
                             positions),
              HasSubstr("SequenceEmpty: the sequence"));
  EXPECT_THAT(error_of_nodes({split({"x", "zero"}), at("zero")}, positions),
              HasSubstr("the size of a part is 0"));
  EXPECT_THAT(error_of_nodes({split({"x"}, {attribute("axis", int64_t{2})}), at("zero")}, positions),
              HasSubstr("axis 2 is not a dimension"));
  EXPECT_THAT(error_of_nodes({split({"x"}), node("ConcatFromSequence", {"parts"}, "y")}),
              HasSubstr("the attribute 'axis' is missing"));
}

TEST(SequencesOfTensors, HaveLimits) {
  const std::vector<Message> large = {tensor("shape", kInt64, {1}, raw<int64_t>({int64_t{1} << 40})),
                                      real("r", 1), number("zero", 0)};
  EXPECT_THAT(error_of_nodes({node("Expand", {"r", "shape"}, "long"), split({"long"}), at("zero")}, large),
              HasSubstr("a sequence has more than 10000 tensors"));
  // Each node copies the sequence, so their lengths count together.
  std::vector<Message> nodes = {node("SequenceEmpty", {}, "s0")};
  for (int i = 0; i < 3000; ++i)
    nodes.push_back(node("SequenceInsert", {"s" + std::to_string(i), "x"}, "s" + std::to_string(i + 1)));
  nodes.push_back(at("zero", "y", "s3000"));
  EXPECT_THAT(
      error_of_nodes(nodes, positions),
      HasSubstr(
          "the sequences of tensors have more than 1000000 tensors, counted at each node that makes one"));
}

// If a node reads the result of an unsupported node and has no converter, it is also in the list.
TEST(SequencesOfTensors, AllNodesWithoutAConverterAreListed) {
  EXPECT_THAT(error_of_nodes({node("Strange", {"x"}, "h"), node("Stranger", {"h"}, "y")}),
              ::testing::AllOf(HasSubstr("1 node Strange"), HasSubstr("1 node Stranger")));
  const Message body = graph({node("Stranger", {"v"}, "w"), node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("w")});
  EXPECT_THAT(error_of_nodes({node("Strange", {"x"}, "h"),
                              with(node("Loop", {"two", "", "h"}, "y"), {attribute("body", body)})},
                             positions),
              ::testing::AllOf(HasSubstr("1 node Strange"), HasSubstr("1 node Stranger")));
}

}  // namespace
}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Tests weights whose elements decide what the graph of a model is. A program may run with other values of a
// variable, and they would not change the graph.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns nodes that compute y = x times 2^n, where n is the sum of the elements of the value.
std::vector<Message> doubled_by_sum_of(const std::string& name) {
  const Message body = graph({node("Add", {"v", "v"}, "next")}, {value("i"), value("go"), value("v")},
                             {value("go"), value("next")});
  return {sum(name, "s"), cast("s", "n", kInt64),
          node("Loop", {"n", "", "x"}, "y").nested(5, attribute("body", body)).text(3, "steps")};
}
// Returns a model in which y[i] is the sum of the first w[i] time steps of sample i.
Message sums_of_sequences() {
  const Message step = graph({node("Add", {"s", "e"}, "next")}, {value("s"), value("e")}, {value("next")});
  const Message scan = node("Scan", {"lengths", "zeros", "x"}, "y")
                           .nested(5, attribute("body", step))
                           .nested(5, attribute("num_scan_inputs", int64_t{1}))
                           .text(3, "steps");
  return model(graph({cast("w", "lengths", kInt64), scan}, {value("x", {2, 3, 1})}, {value("y")},
                     {floats("w", {2, 3}), tensor("zeros", kFloat, {2, 1}, raw<float>({0, 0}))}),
               8);
}

struct Ran {
  std::vector<std::string> variables;
  HostTensor y;
};
Ran run(const Message& m, const HostTensor& x) {
  Session session = compile(import_model(bytes_of(m)).graph, {.devices = "reference:0"});
  return {session.variables(), session.run("evaluate", {{"x", x}})["y"]};
}
std::string error_of_model(std::vector<Message> nodes, const std::vector<Message>& more,
                           const std::vector<Message>& weights, const Message& x) {
  nodes.insert(nodes.end(), more.begin(), more.end());
  return testing::error_of([&] { import_model(bytes_of(model(nodes, weights, x))); });
}

TEST(OnnxDecisions, AWeightThatOnlyDecidesIsNoVariable) {
  const HostTensor x({2}, {1.0f, 2.0f});
  const Ran trips = run(model(doubled_by_sum_of("w"), {floats("w", {1, 2})}, value("x", {2})), x);
  EXPECT_THAT(trips.variables, IsEmpty());
  EXPECT_THAT(trips.y.as<float>(), ElementsAre(8, 16));
  // Exporters write such a shape: constants that are joined with computed numbers.
  const std::vector<Message> reshaped = {cast("w", "shape", kInt64), node("Reshape", {"x", "shape"}, "h"),
                                         node("Add", {"h", "b"}, "y")};
  const Ran shape = run(model(reshaped, {floats("w", {2, 1}), floats("b", {4})}, value("x", {2})), x);
  EXPECT_THAT(shape.variables, ElementsAre("b"));
  EXPECT_EQ(shape.y.shape(), (Shape{2, 1}));
}

// A node leaves out a result, and the path from the decision back to the weights contains this node.
TEST(OnnxDecisions, NodesMayLeaveOutResults) {
  const std::vector<Message> nodes = {cast("w", "shape", kInt64), node("Reshape", {"x", "shape"}, "h"),
                                      node("Split", {"h"}, std::vector<std::string>{"", "y"})
                                          .nested(5, attribute("num_outputs", int64_t{2}))};
  const Ran ran = run(model(nodes, {floats("w", {2, 1})}, value("x", {2})), HostTensor({2}, {1.0f, 2.0f}));
  EXPECT_THAT(ran.variables, IsEmpty());
  EXPECT_THAT(ran.y.as<float>(), ElementsAre(2));
}

TEST(OnnxDecisions, AWeightThatNoNodeReadsAsATensorIsNoVariable) {
  const Message m = model({node("Resize", {"x", "", "w"}, "y").text(3, "larger")}, {floats("w", {1, 1, 2})},
                          value("x", {1, 1, 2}));
  const Ran ran = run(m, HostTensor({1, 1, 2}, {1.0f, 2.0f}));
  EXPECT_THAT(ran.variables, IsEmpty());
  EXPECT_EQ(ran.y.shape(), (Shape{1, 1, 4}));
}

// The operands of Range decide its length, and its elements are computed from them.
TEST(OnnxDecisions, AWeightMayHaveTheNumbersOfARange) {
  std::vector<Message> nodes, weights = {floats("w", {1, 7, 2})};
  for (int64_t i = 0; i < 3; ++i) {
    const std::string name = "i" + std::to_string(i);
    weights.push_back(number(name, i));
    nodes.push_back(node("Gather", {"w", name}, "n" + std::to_string(i)));
  }
  nodes.push_back(node("Range", {"n0", "n1", "n2"}, "r"));
  nodes.push_back(node("Add", {"x", "r"}, "y"));
  const Ran ran = run(model(nodes, weights, value("x", {3})), HostTensor({3}, {10.0f, 20.0f, 30.0f}));
  EXPECT_THAT(ran.variables, IsEmpty());
  EXPECT_THAT(ran.y.as<float>(), ElementsAre(11, 23, 35));
}

TEST(OnnxDecisions, AWeightDoesNotDecideWhatIsComputedWithIt) {
  const std::vector<Message> weights = {floats("w", {1, 2})};
  EXPECT_THAT(
      error_of_model({node("Mul", {"u", "w"}, "x")}, doubled_by_sum_of("w"), weights, value("u", {2})),
      AllOf(HasSubstr("the elements of the weight 'w' decide what the node 'steps' becomes, and the outputs "
                      "are computed with the weight"),
            HasSubstr("give the two uses initializers of their own")));
  // The decision reads another name of the same weight.
  EXPECT_THAT(error_of_model({node("Mul", {"u", "w"}, "x"), node("Identity", {"w"}, "copy")},
                             doubled_by_sum_of("copy"), weights, value("u", {2})),
              HasSubstr("decide what the node 'steps' becomes"));
}

// The shape follows from the weight through floats. They are computed, but their elements are not kept.
TEST(OnnxDecisions, AWeightDecidesByFloatsThatFollowFromIt) {
  const std::vector<Message> nodes = {node("Add", {"w", "w"}, "twice"), cast("twice", "shape", kInt64),
                                      node("Expand", {"x", "shape"}, "wide")},
                             weights = {floats("w", {1, 2})};
  std::vector<Message> alone = nodes;
  alone.push_back(node("Neg", {"wide"}, "y"));
  EXPECT_THAT(run(model(alone, weights, value("x", {1})), HostTensor({1}, {1.0f})).variables, IsEmpty());
  EXPECT_THAT(error_of_model(nodes, {node("Mul", {"x", "w"}, "h"), node("Add", {"h", "twice"}, "y")}, weights,
                             value("x", {1})),
              HasSubstr("the elements of the weight 'w' decide what"));
}

TEST(OnnxDecisions, AWeightIsNoVariableIfNoOutputIsComputedWithIt) {
  std::vector<Message> nodes = doubled_by_sum_of("w");
  nodes.push_back(node("Mul", {"x", "w"}, "unread"));
  EXPECT_THAT(
      run(model(nodes, {floats("w", {1, 2})}, value("x", {2})), HostTensor({2}, {1.0f, 2.0f})).variables,
      IsEmpty());
}

// A shape may follow from the shape of a tensor. It does not follow from the weights with which the tensor is
// computed.
TEST(OnnxDecisions, AWeightDoesNotDecideTheShapeOfWhatIsComputedWithIt) {
  const std::vector<Message> nodes = {node("Mul", {"x", "w"}, "h"),    node("Shape", {"h"}, "i"),
                                      cast("i", "f", kFloat),          node("Mul", {"f", "scale"}, "larger"),
                                      cast("larger", "shape", kInt64), node("Expand", {"h", "shape"}, "y")};
  const Ran ran =
      run(model(nodes, {floats("w", {3}), floats("scale", {2})}, value("x", {1})), HostTensor({1}, {5.0f}));
  EXPECT_THAT(ran.variables, ElementsAre("w"));
  EXPECT_THAT(ran.y.as<float>(), ElementsAre(15, 15));
}

TEST(OnnxDecisions, WeightsMayBeLengthsOfSequences) {
  const Ran ran = run(sums_of_sequences(), HostTensor({2, 3, 1}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}));
  EXPECT_THAT(ran.variables, ElementsAre("zeros"));
  EXPECT_THAT(ran.y.as<float>(), ElementsAre(1 + 2, 4 + 5 + 6));
}

}  // namespace
}  // namespace cutset::onnx

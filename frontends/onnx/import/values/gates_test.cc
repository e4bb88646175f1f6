// SPDX-License-Identifier: Apache-2.0
// Tests the gradients of values that If and Loop read where a condition may drop the results (decision 48).
#include <cutset/explain.h>
#include <cutset/layers.h>
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/model_bytes.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

Message loop(const std::vector<std::string>& inputs, const std::string& output, const Message& body) {
  return node("Loop", inputs, output).nested(5, attribute("body", body)).text(3, "steps");
}
Message choice(const std::string& condition, const std::string& output, const std::vector<Message>& yes,
               const std::vector<Message>& no) {
  return node("If", {condition}, output)
      .nested(5, attribute("then_branch", graph(yes, {}, {value("h")})))
      .nested(5, attribute("else_branch", graph(no, {}, {value("h")})));
}

// Returns the gradient of the sum of the elements of y: the number that a step with the rate 1 subtracts from
// the weight w.
std::vector<float> gradient_of(const std::vector<Message>& nodes, std::vector<Message> initializers,
                               const std::vector<float>& w, const std::vector<float>& x,
                               const std::string& devices = "reference:0") {
  initializers.push_back(floats("w", w));
  const auto elements = static_cast<int64_t>(x.size());
  Model made = import_model(bytes_of(model(nodes, initializers, value("x", {elements}))));
  made.graph.minimize(sum(made.results.at("y")), {.learning_rate = 1, .momentum = 0});
  Session session = compile(made.graph, {.devices = devices});
  session.train({{"x", HostTensor({elements}, x)}});
  std::vector<float> gradient;
  const HostTensor after = session.variable("w");
  for (size_t i = 0; i < w.size(); ++i) gradient.push_back(w[i] - after.as<float>()[i]);
  return gradient;
}

// y = sqrt(w) or x w. The derivative of the root at 0 is infinite.
TEST(Gates, ABranchThatIsDroppedDoesNotChangeGradients) {
  const std::vector<Message> nodes = {
      node("ReduceSum", {"x"}, "s").nested(5, attribute("keepdims", int64_t{0})),
      node("Greater", {"s", "zero"}, "c"),
      choice("c", "y", {node("Sqrt", {"w"}, "h")}, {node("Mul", {"x", "w"}, "h")})};
  for (const char* devices : {"reference:0", "cpu:0,sim:0"}) {
    EXPECT_THAT(gradient_of(nodes, {real("zero", 0)}, {0, 4}, {-2, -3}, devices), ElementsAre(-2, -3));
    EXPECT_THAT(gradient_of(nodes, {real("zero", 0)}, {1, 4}, {2, 3}, devices), ElementsAre(0.5f, 0.25f));
  }
}

// v = v + w / n for n = 2, 1, 0 while n > 0. The quotient by 0 is dropped.
TEST(Gates, AnIterationThatIsDroppedDoesNotChangeGradients) {
  const Message body =
      graph({node("Div", {"w", "n"}, "q"), node("Add", {"v", "q"}, "sum"), node("Sub", {"n", "one"}, "less"),
             node("Greater", {"less", "zero"}, "on")},
            {value("i"), value("go"), value("v"), value("n")}, {value("on"), value("sum"), value("less")});
  const std::vector<Message> nodes = {
      node("ReduceMax", {"x"}, "n").nested(5, attribute("keepdims", int64_t{0})),
      node("Greater", {"n", "zero"}, "c"),
      node("Loop", {"m", "c", "x", "n"}, std::vector<std::string>{"y", "rest"})
          .nested(5, attribute("body", body))
          .text(3, "steps")};
  const std::vector<Message> initializers = {number("m", 3), real("zero", 0), real("one", 1)};
  EXPECT_THAT(gradient_of(nodes, initializers, {1, 2}, {2, 1}), ElementsAre(1.5f, 1.5f));
}

// v = v + w^2 if x_i > 0, and v - w otherwise. The square has the same operands in both iterations, and only
// the second iteration keeps it.
TEST(Gates, ANodeOfAnotherIterationHasItsOwnGate) {
  const Message body = graph({node("Gather", {"x", "i"}, "e"), node("Greater", {"e", "zero"}, "c"),
                              choice("c", "b", {node("Mul", {"w", "w"}, "h")}, {node("Neg", {"w"}, "h")}),
                              node("Add", {"v", "b"}, "sum"), node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("sum")});
  const std::vector<Message> nodes = {loop({"m", "", "start"}, "y", body)};
  const std::vector<Message> initializers = {number("m", 2), real("zero", 0),
                                             tensor("start", kFloat, {2}, raw<float>({0, 0}))};
  EXPECT_THAT(gradient_of(nodes, initializers, {3, 5}, {-1, 1}), Pointwise(FloatNear(1e-5f), {5.0f, 9.0f}));
}

// In "evaluate", a gate is the value itself, so the program has no more ops than without the gradients.
TEST(Gates, TakeNoTimeForward) {
  const std::vector<Message> nodes = {
      node("ReduceSum", {"x"}, "s").nested(5, attribute("keepdims", int64_t{0})),
      node("Greater", {"s", "zero"}, "c"),
      choice("c", "y", {node("Sqrt", {"w"}, "h")}, {node("Mul", {"x", "w"}, "h")})};
  const Model made =
      import_model(bytes_of(model(nodes, {real("zero", 0), floats("w", {1, 4})}, value("x", {2}))));
  std::vector<std::string> ops;
  for (const auto& op : explain(made.graph, {.devices = "reference:0", .fuse = false}).ops)
    ops.push_back(op.op);
  EXPECT_THAT(ops, ElementsAre("reduce_sum", "greater", "sqrt", "mul", "where"));
}

}  // namespace
}  // namespace cutset::onnx

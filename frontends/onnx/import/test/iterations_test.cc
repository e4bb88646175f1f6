// SPDX-License-Identifier: Apache-2.0
// Tests which trip counts and conditions of Loop and which lengths of Scan are known. Also tests nodes of
// bodies whose results may be dropped.
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

using Inputs = std::vector<std::string>;

Message loop(const Inputs& inputs, const Inputs& outputs, const Message& body) {
  return node("Loop", inputs, outputs).nested(5, attribute("body", body)).text(3, "steps");
}
Message choice(const std::string& condition, const Message& yes, const Message& no,
               const std::string& output = "y") {
  return node("If", {condition}, output)
      .nested(5, attribute("then_branch", yes))
      .nested(5, attribute("else_branch", no));
}
// Returns a body of Loop whose carried value is v.
Message body_of(const std::vector<Message>& nodes, const std::string& condition = "go",
                const std::string& next = "next") {
  return graph(nodes, {value("i"), value("go"), value("v")}, {value(condition), value(next)});
}
const Message& doubling() {
  static const Message body = body_of({node("Add", {"v", "v"}, "next")});
  return body;
}

std::vector<float> run(const Message& m, const std::vector<float>& x) {
  const Model made = import_model(bytes_of(m));
  Session session = compile(made.graph, {.devices = "reference:0"});
  const HostTensor y = session.run("evaluate", {{"x", HostTensor(made.inputs.at("x").shape(), x)}})["y"];
  return {y.as<float>().begin(), y.as<float>().end()};
}
std::string error_of_model(const Message& m) {
  return testing::error_of([&] { import_model(bytes_of(m)); });
}

TEST(ControlFlowIterations, ANumberWithoutDimensionsIsAConstant) {
  const std::vector<Message> nodes = {cast("c", "n", kInt64), loop({"n", "", "x"}, {"y"}, doubling())};
  EXPECT_THAT(run(model(nodes, {real("c", 3)}, value("x", {2})), {1, 2}), ElementsAre(8, 16));
}

// The first condition reads a weight and the number f. The elements of f are computed for it, but they do not
// depend on the weight, so the second condition, which reads f, is known. If it were unknown, its branches
// would need the same type.
TEST(ControlFlowIterations, ElementsBesideThoseOfAWeightAreConstants) {
  const std::vector<Message> nodes = {
      node("Add", {"one", "one"}, "two"),
      cast("two", "f", kFloat),
      sum("w", "s"),
      node("Less", {"f", "s"}, "c"),
      choice("c", graph({node("Neg", {"x"}, "h")}, {}, {value("h")}), graph({}, {}, {value("x")})),
      node("Less", {"f", "ten"}, "d"),
      choice(
          "d", graph({}, {}, {value("x")}),
          graph({node("Concat", {"x", "x"}, "h").nested(5, attribute("axis", int64_t{0}))}, {}, {value("h")}),
          "z")};
  EXPECT_EQ(
      error_of_model(model(nodes, {number("one", 1), real("ten", 10), floats("w", {1, 2})}, value("x", {2}))),
      "no error");
}

// Exporters write the largest trip count for "while (c)".
TEST(ControlFlowIterations, ATripCountBeyondTheLimitEndsNoLoop) {
  const Message body =
      body_of({node("Add", {"v", "v"}, "next"), sum("next", "s"), node("Less", {"s", "ten"}, "on")}, "on");
  const std::vector<Message> known = {number("m", INT64_MAX), truth("c", true), real("ten", 10)};
  EXPECT_THAT(error_of_model(model({loop({"m", "c", "x"}, {"y"}, body)}, known, value("x", {2}))),
              AllOf(HasSubstr("the condition of the node 'steps' is computed when the program runs"),
                    HasSubstr("the trip count is 9223372036854775807; give the loop a trip count")));
}

TEST(ControlFlowIterations, ALoopThatEndsAtOnceNeedsNoTripCount) {
  const std::vector<Message> nodes = {sum("x", "s"), cast("s", "n", kInt64),
                                      loop({"n", "c", "x"}, {"y"}, doubling())};
  EXPECT_THAT(run(model(nodes, {truth("c", false)}, value("x", {2})), {1, 2}), ElementsAre(1, 2));
  EXPECT_THAT(
      error_of_model(model({loop({"x", "c", "x"}, {"y"}, doubling())}, {truth("c", false)}, value("x", {2}))),
      HasSubstr("has the type 2xf32, but must be one i64"));
}

// for (t = 0; t < 400; t += 1) has 400 iterations. Each value of t is computed from the value before it.
TEST(ControlFlowIterations, FloatsMayCountIterations) {
  const Message body = graph(
      {node("Add", {"t", "one"}, "u"), node("Less", {"u", "end"}, "on"), node("Add", {"v", "step"}, "next")},
      {value("i"), value("go"), value("t"), value("v")}, {value("on"), value("u"), value("next")});
  const Message m =
      model({loop({"", "c", "zero", "x"}, {"", "y"}, body)},
            {truth("c", true), real("zero", 0), real("one", 1), real("end", 400), real("step", 1)},
            value("x", {2}));
  EXPECT_THAT(run(m, {1, 2}), ElementsAre(401, 402));
}

// for (i < 100 && sum(v) < 10) v = v + x[i]: the iterations that would read past the end of x are never
// selected.
TEST(ControlFlowIterations, IndicesOfDroppedIterationsAreNotChecked) {
  const auto of = [](const std::string& condition) {
    const Message body = body_of({node("Gather", {"x", "i"}, "e"), node("Add", {"v", "e"}, "next"),
                                  node("Less", {"next", "ten"}, "on")},
                                 condition);
    return model({loop({"m", "c", "zero"}, {"y"}, body)},
                 {number("m", 100), truth("c", true), real("zero", 0), real("ten", 10)}, value("x", {4}));
  };
  EXPECT_THAT(run(of("on"), {1, 4, 6, 2}), ElementsAre(11));
  EXPECT_THAT(run(of("on"), {20, 4, 6, 2}), ElementsAre(20));
  EXPECT_THAT(error_of_model(of("go")), HasSubstr("element 0 of operand 1 is not an index of dimension 0"));
}

TEST(ControlFlowIterations, IndicesOfDroppedBranchesAreNotChecked) {
  const Message gather = graph({node("Gather", {"x", "five"}, "h")}, {}, {value("h")});
  const Message other = graph({node("Gather", {"x", "one"}, "h")}, {}, {value("h")});
  const std::vector<Message> known = {number("five", 5), number("one", 1), real("zero", 0),
                                      truth("yes", true)};
  const std::vector<Message> condition = {sum("x", "s"), node("Greater", {"s", "zero"}, "c")};
  const auto with = [&](const std::vector<Message>& more) {
    std::vector<Message> nodes = condition;
    nodes.insert(nodes.end(), more.begin(), more.end());
    return model(nodes, known, value("x", {2}));
  };
  const std::string error = "element 0 of operand 1 is not an index of dimension 0";
  EXPECT_THAT(run(with({choice("c", gather, other)}), {-1, -2}), ElementsAre(-2));
  EXPECT_THAT(error_of_model(with({choice("yes", gather, other)})), HasSubstr(error));
  // A branch with a known condition is dropped together with the branch around it.
  const Message inner = graph({choice("yes", gather, other, "g")}, {}, {value("g")});
  EXPECT_THAT(run(with({choice("c", inner, other)}), {-1, -2}), ElementsAre(-2));
  // The nodes after the If are checked, even if a branch has an error.
  const Message strange = graph({node("Strange", {"x"}, "h")}, {}, {value("h")});
  EXPECT_THAT(error_of_model(with({choice("c", gather, other), node("Gather", {"x", "five"}, "z")})),
              HasSubstr(error));
  EXPECT_THAT(error_of_model(with({choice("c", strange, other), node("Gather", {"x", "five"}, "z")})),
              HasSubstr(error));
}

// A length of 9 for a sequence of two steps, whose state is tanh(x).
TEST(ControlFlowIterations, LengthsOfDroppedLayersAreNotChecked) {
  const auto layer = [](const std::string& lengths) {
    return graph({node("RNN", {"x", "w", "r", "", lengths}, Inputs{"", "h"})}, {}, {value("h")});
  };
  const auto of = [&](const std::string& condition) {
    const auto length = [](const char* name, int32_t n) {
      return tensor(name, kInt32, {1}, raw<int32_t>({n}));
    };
    return model(
        {sum("x", "s"), node("Greater", {"s", "zero"}, "c"), choice(condition, layer("nine"), layer("two"))},
        {length("nine", 9), length("two", 2), real("zero", 0), truth("yes", true),
         tensor("w", kFloat, {1, 1, 1}, raw<float>({1})), tensor("r", kFloat, {1, 1, 1}, raw<float>({0}))},
        value("x", {2, 1, 1}));
  };
  EXPECT_THAT(run(of("c"), {-1, 0}), ElementsAre(0));
  EXPECT_THAT(error_of_model(of("yes")), HasSubstr("element 0 of operand 4 is not a number of steps"));
}

// Both iterations select the same branch: the first iteration by a condition on the input, the second by a
// constant. The node in the second iteration is checked, although it has the same operands as in the first.
TEST(ControlFlowIterations, IndicesOfAnIterationThatIsNotDroppedAreChecked) {
  const auto of = [](int64_t index) {
    const Message gather = graph({node("Gather", {"x", "k"}, "h")}, {}, {value("h")});
    const Message body =
        graph({choice("p", gather, graph({}, {}, {value("v")}), "next")},
              {value("i"), value("go"), value("p"), value("v")}, {value("go"), value("yes"), value("next")});
    return model(
        {sum("x", "s"), node("Greater", {"s", "zero"}, "c"), loop({"m", "", "c", "zero"}, {"", "y"}, body)},
        {number("m", 2), number("k", index), real("zero", 0), truth("yes", true)}, value("x", {2}));
  };
  EXPECT_THAT(run(of(1), {-1, -2}), ElementsAre(-2));
  EXPECT_THAT(error_of_model(of(5)), HasSubstr("1 node Gather: element 0 of operand 1 is not an index"));
}

}  // namespace
}  // namespace cutset::onnx

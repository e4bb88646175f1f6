// SPDX-License-Identifier: Apache-2.0
// Tests If, Loop and Scan: nested scopes, conditions that are known or computed when the program runs, and
// training through bodies. tests/onnx has the cases of ONNX. hostile_bodies_test.cc has models that no
// exporter writes.
#include <cutset/explain.h>
#include <cutset/layers.h>
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/onnx/import/test/control_flow_models.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// y is x + 1 or x - 1. Each branch has a value 'h', which the other branch does not see.
TEST(ControlFlow, AKnownConditionConvertsOneBranch) {
  for (const bool condition : {true, false}) {
    const Message m = model({branches("c", "y", branch({node("Add", {"x", "one"}, "h")}, "h"),
                                      branch({node("Sub", {"x", "one"}, "h")}, "h"))},
                            {truth("c", condition), real("one", 1)}, value("x", {2}));
    EXPECT_THAT(values(run(m, {1, 2})), condition ? ElementsAre(2, 3) : ElementsAre(0, 1));
  }
  // The branch that is not taken may have unsupported ops and another type.
  const Message m = model({branches("c", "y", branch({node("Relu", {"x"}, "h")}, "h"),
                                    branch({node("Strange", {"x"}, "h")}, "h"))},
                          {truth("c", true)}, value("x", {2}));
  EXPECT_THAT(values(run(m, {-1, 2})), ElementsAre(0, 2));
}

// For other sizes, a known condition may choose another branch, which reads another input.
TEST(ControlFlow, AConditionOfASizeMayReadAnotherInput) {
  Message shape, type;
  shape.nested(1, Message().text(2, "n")).nested(1, Message().number(1, 2));
  type.number(1, kFloat).nested(2, shape);
  const Message x = Message().text(1, "x").nested(2, Message().nested(1, type));
  const Message chosen =
      graph({node("Shape", {"x"}, "sizes"), node("Gather", {"sizes", "zero"}, "n"),
             node("Greater", {"n", "three"}, "many"),
             branches("many", "v", branch({node("Identity", {"a"}, "h")}, "h"),
                      branch({node("Identity", {"b"}, "h")}, "h")),
             node("Add", {"x", "v"}, "y")},
            {x, value("a", {2}), value("b", {2})}, {value("y")}, {number("zero", 0), number("three", 3)});
  const Model made = import_model(bytes_of(model(chosen)), {.batch = 5});
  Session session = compile(made.graph, {.devices = "reference:0"});
  for (const int64_t n : {5, 2, 4, 1}) {
    const Outputs results = session.evaluate({{"x", HostTensor({f32, {n, 2}})},
                                              {"a", HostTensor({2}, {10.0f, 20.0f})},
                                              {"b", HostTensor({2}, {100.0f, 200.0f})}});
    EXPECT_EQ(results["y"].at(0), n > 3 ? 10 : 100) << n;
    EXPECT_EQ(results["y"].at(2 * n - 1), n > 3 ? 20 : 200) << n;
  }
}

// The condition depends on an input, so both branches are computed.
TEST(ControlFlow, AConditionOfTheInputSelectsResults) {
  const std::vector<Message> nodes = {node("ReduceSum", {"x"}, "s"), node("Greater", {"s", "zero"}, "c"),
                                      branches("c", "y", branch({node("Mul", {"x", "two"}, "h")}, "h"),
                                               branch({node("Neg", {"x"}, "h")}, "h"))};
  const Model m = import_model(bytes_of(model(nodes, {real("zero", 0), real("two", 2)}, value("x", {2}))));
  EXPECT_THAT(values(run(m, {1, 2})), ElementsAre(2, 4));
  EXPECT_THAT(values(run(m, {1, -2})), ElementsAre(-1, 2));
}

TEST(ControlFlow, BranchesOfDifferentTypesNeedAKnownCondition) {
  const std::vector<Message> nodes = {
      node("ReduceSum", {"x"}, "s"), node("Greater", {"s", "zero"}, "c"),
      branches("c", "y",
               branch({node("Concat", {"x", "x"}, "h").nested(5, attribute("axis", int64_t{0}))}, "h"),
               branch({node("Neg", {"x"}, "h")}, "h"))};
  const Message m = model(nodes, {real("zero", 0)}, value("x", {2}));
  EXPECT_THAT(error_of_model(m),
              HasSubstr("If: the result 'y' of the node 'choice' has the type 4xf32 or 2xf32"));
  const HostTensor x({2}, {1.0f, 2.0f});
  Session session =
      compile(import_model(bytes_of(m), {.known = {{"x", x}}}).graph, {.devices = "reference:0"});
  EXPECT_EQ(session.evaluate({})["y"].shape(), (Shape{4}));
}

// The condition reads a weight, whose value may have changed when the program runs.
TEST(ControlFlow, AConditionOfAWeightIsComputedWhenTheProgramRuns) {
  const std::vector<Message> nodes = {node("ReduceSum", {"w"}, "s"), node("Greater", {"s", "zero"}, "c"),
                                      branches("c", "y", branch({node("Add", {"x", "w"}, "h")}, "h"),
                                               branch({node("Neg", {"x"}, "h")}, "h"))};
  const Model m = import_model(bytes_of(
      model(nodes, {real("zero", 0), tensor("w", kFloat, {2}, raw<float>({1, 1}))}, value("x", {2}))));
  Session session = compile(m.graph, {.devices = "reference:0"});
  const Batch batch = {{"x", HostTensor({2}, {1.0f, 2.0f})}};
  EXPECT_THAT(values(session.run("evaluate", batch)["y"]), ElementsAre(2, 3));
  session.set_variable("w", HostTensor({2}, {-1.0f, -1.0f}));
  EXPECT_THAT(values(session.run("evaluate", batch)["y"]), ElementsAre(-1, -2));
}

// s = s + x_t along the second axis. The input is read backwards, and the sums are collected backwards along
// the last axis.
TEST(ControlFlow, AScanHasAxesAndDirections) {
  const Message body =
      graph({node("Add", {"s", "e"}, "next")}, {value("s"), value("e")}, {value("next"), value("next")});
  const auto list = [](const char* name, int64_t v) { return attribute(name, std::vector<int64_t>{v}); };
  const Message m = model({scan({"zero", "x"}, {"last", "y"}, body,
                                {list("scan_input_axes", 1), list("scan_input_directions", 1),
                                 list("scan_output_axes", -1), list("scan_output_directions", 1)})},
                          {tensor("zero", kFloat, {2}, raw<float>({0, 0}))}, value("x", {2, 3}));
  const HostTensor y = run(m, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(y.shape(), (Shape{2, 3}));
  EXPECT_THAT(values(y), ElementsAre(6, 5, 3, 15, 11, 6));
}

// In version 8, the first dimension is the batch, and there are lengths.
TEST(ControlFlow, AScanOfVersion8HasLengths) {
  const Message body =
      graph({node("Add", {"s", "e"}, "next")}, {value("s"), value("e")}, {value("next"), value("next", {1})});
  const auto of = [&](const std::vector<int64_t>& directions, const std::string& first,
                      const std::string& second) {
    const Message n =
        scan({"lengths", "zeros", "x"}, {first, second}, body, {attribute("directions", directions)});
    return model(graph({n}, {value("x", {2, 3, 1})}, {value("y")},
                       {tensor("zeros", kFloat, {2, 1}, raw<float>({0, 0})),
                        tensor("lengths", kInt64, {2}, raw<int64_t>({2, 3}))}),
                 8);
  };
  EXPECT_THAT(values(run(of({0}, "y", ""), {1, 2, 3, 4, 5, 6})), ElementsAre(3, 15));
  EXPECT_THAT(values(run(of({0}, "", "y"), {1, 2, 3, 4, 5, 6})), ElementsAre(1, 3, 0, 4, 9, 15));
  EXPECT_THAT(values(run(of({1}, "", "y"), {1, 2, 3, 4, 5, 6})), ElementsAre(2, 3, 0, 6, 11, 15));
}

// A Scan contains an If, and a branch of the If contains a Loop. Each body reads values of the graphs around
// it, and 'h' is a name in two scopes.
TEST(ControlFlow, BodiesAreNested) {
  const Message add = graph({node("Add", {"v", "e"}, "h"), node("Identity", {"go"}, "on")},
                            {value("i"), value("go"), value("v")}, {value("on"), value("h")});
  const Message repeat = branch({loop({"m", "", "s"}, {"r"}, add)}, "r");
  const Message body = graph({branches("c", "n", repeat, branch({node("Identity", {"s"}, "h")}, "h"))},
                             {value("s"), value("e")}, {value("n")});
  const Message m = model({scan({"zero", "x"}, {"y"}, body)},
                          {real("zero", 0), truth("c", true), number("m", 3)}, value("x", {2}));
  EXPECT_EQ(run(m, {1, 2}).at(0), 9);  // 3 * 1 + 3 * 2
}

// An input of a body hides an outer value with the same name. A result of a node must not.
TEST(ControlFlow, InputsMayHideOuterValues) {
  const auto of = [](const std::string& input, const std::string& result) {
    return model({loop({"m", "", "x"}, {"y"},
                       graph({node("Add", {input, input}, result), node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value(input)}, {value("on"), value(result)}))},
                 {number("m", 2)}, value("x", {2}));
  };
  EXPECT_THAT(values(run(of("x", "next"), {1, 2})), ElementsAre(4, 8));
  EXPECT_THAT(error_of_model(of("v", "x")), HasSubstr("the result 'x' exists already"));
  // Names of a body are unknown after the body.
  const Message after = model({loop({"m", "", "x"}, {"z"}, doubling()), node("Relu", {"next"}, "y")},
                              {number("m", 2), real("two", 2)}, value("x", {2}));
  EXPECT_THAT(error_of_model(after), HasSubstr("no node before it computes the operand 'next'"));
}

TEST(ControlFlow, NodesOfBodiesAreReportedWithTheOthers) {
  const Message body = doubling({node("Strange", {"v"}, "a"), node("Odd", {"v"}, "b")});
  const Message choice =
      branches("c", "z", branch({node("Strange", {"x"}, "h")}, "h"), branch({node("Odd", {"x"}, "h")}, "h"));
  const Message m = model({loop({"m", "", "x"}, {"y"}, body), node("ReduceSum", {"x"}, "s"),
                           node("Greater", {"s", "two"}, "c"), choice, node("Strange", {"x"}, "w"),
                           loop({"unknown", "", "x"}, {"u"}, graph({node("Odd", {"x"}, "p")}, {}, {}))},
                          {number("m", 3), real("two", 2)}, value("x", {2}));
  EXPECT_THAT(error_of_model(m),
              AllOf(HasSubstr("3 nodes Strange: there is no converter"),
                    HasSubstr("3 nodes Odd: there is no converter"),
                    HasSubstr("1 node Loop: no node before it computes the operand 'unknown'")));
}

// Returns the body of h = tanh(h w + x_t). The weight w is one variable, and its gradient is the sum over the
// iterations.
Message cell(const std::string& in, const std::string& step, const std::string& product,
             const std::string& sum, const std::string& out, int part) {
  const Message nodes[] = {node("MatMul", {in, "w"}, product), node("Add", {product, step}, sum),
                           node("Tanh", {sum}, out)};
  return nodes[part];
}
TEST(ControlFlow, TrainingTiesTheWeightsOfIterations) {
  const Message w = tensor("w", kFloat, {2, 2}, raw<float>({0.5f, -0.3f, 0.2f, 0.7f}));
  const Message h = tensor("h", kFloat, {1, 2}, raw<float>({0.1f, 0.2f}));
  std::vector<Message> body_nodes, flat;
  for (int part = 0; part < 3; ++part) body_nodes.push_back(cell("s", "e", "p", "q", "n", part));
  for (int t = 0; t < 3; ++t) {
    const std::string i = std::to_string(t), index = "t" + i;
    flat.push_back(with(node("Gather", {"x", index}, "e" + i), {attribute("axis", int64_t{0})}));
    for (int part = 0; part < 3; ++part)
      flat.push_back(cell(t == 0 ? "h" : "n" + std::to_string(t - 1), "e" + i, "p" + i, "q" + i,
                          t == 2 ? "y" : "n" + i, part));
  }
  const Message x = value("x", {3, 1, 2});
  const Message body = graph(body_nodes, {value("s"), value("e")}, {value("n")}, {w});
  // A Loop passes the weight on as a carried value.
  const Message counted = graph(
      {with(node("Gather", {"x", "i"}, "e"), {attribute("axis", int64_t{0})}),
       cell("s", "e", "p", "q", "n", 0), cell("s", "e", "p", "q", "n", 1), cell("s", "e", "p", "q", "n", 2),
       node("Identity", {"go"}, "on"), node("Identity", {"w"}, "same")},
      {value("i"), value("go"), value("s"), value("w")}, {value("on"), value("n"), value("same")});
  const auto trained = [](const Message& m) {
    Model made = import_model(bytes_of(m));
    made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 1});
    Session session = compile(made.graph, {.devices = "reference:0"});
    const HostTensor batch({3, 1, 2}, {1.0f, 0.5f, -0.2f, 0.3f, 0.4f, -0.6f});
    for (int i = 0; i < 3; ++i) session.train({{"x", batch}});
    EXPECT_THAT(session.variables(), ElementsAre("h", "h/velocity", "w", "w/velocity"));
    return std::pair(values(session.variable("w")), values(session.variable("h")));
  };
  const auto expected = trained(model(flat, {w, h, number("t0", 0), number("t1", 1), number("t2", 2)}, x));
  const auto near = [&](const std::vector<float>& got, const std::vector<float>& from) {
    EXPECT_THAT(got, ::testing::Pointwise(::testing::FloatNear(1e-6f), from));
  };
  const auto by_scan = trained(model({scan({"h", "x"}, {"y"}, body)}, {h}, x));
  const auto by_loop =
      trained(model({loop({"m", "", "h", "w"}, {"y", ""}, counted)}, {w, h, number("m", 3)}, x));
  near(by_scan.first, expected.first);
  near(by_scan.second, expected.second);
  near(by_loop.first, expected.first);
  near(by_loop.second, expected.second);
  EXPECT_NE(expected.first[0], 0.5f);
}

}  // namespace
}  // namespace cutset::onnx

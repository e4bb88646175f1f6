// SPDX-License-Identifier: Apache-2.0
// Tests If, Loop and Scan: nested scopes, conditions that are known or computed when the program runs, and
// training through bodies. tests/onnx has the cases of ONNX, and hostile_bodies_test.cc models that no
// exporter writes.
#include <cutset/explain.h>
#include <cutset/layers.h>
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Message with(Message n, const std::vector<Message>& attributes) {
  for (const Message& a : attributes) n.nested(5, a);
  return n;
}
Message loop(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
             const Message& body) {
  return with(node("Loop", inputs, outputs), {attribute("body", body)}).text(3, "steps");
}
Message scan(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
             const Message& body, std::vector<Message> attributes = {}, int64_t scanned = 1) {
  attributes.insert(attributes.begin(), {attribute("body", body), attribute("num_scan_inputs", scanned)});
  return with(node("Scan", inputs, outputs), attributes).text(3, "steps");
}
Message branches(const std::string& condition, const std::string& output, const Message& yes,
                 const Message& no) {
  return with(node("If", {condition}, output), {attribute("then_branch", yes), attribute("else_branch", no)})
      .text(3, "choice");
}
// Nodes and outputs of a body without inputs.
Message branch(const std::vector<Message>& nodes, const std::string& output) {
  return graph(nodes, {}, {value(output)});
}

HostTensor run(const Model& m, const std::vector<float>& x) {
  Session session = compile(m.graph, {.devices = "reference:0"});
  return session.run("evaluate", {{"x", HostTensor(m.inputs.at("x").shape(), x)}})["y"];
}
HostTensor run(const Message& m, const std::vector<float>& x) { return run(import_model(bytes_of(m)), x); }
std::vector<float> values(const HostTensor& t) { return {t.as<float>().begin(), t.as<float>().end()}; }
std::string error_of_model(const Message& m) {
  return testing::error_of([&] { import_model(bytes_of(m)); });
}

// y = x + 1 or x - 1, and in both branches a value 'h' that the other one does not see.
TEST(ControlFlow, AKnownConditionConvertsOneBranch) {
  for (const bool condition : {true, false}) {
    const Message m = model({branches("c", "y", branch({node("Add", {"x", "one"}, "h")}, "h"),
                                      branch({node("Sub", {"x", "one"}, "h")}, "h"))},
                            {truth("c", condition), real("one", 1)}, value("x", {2}));
    EXPECT_THAT(values(run(m, {1, 2})), condition ? ElementsAre(2, 3) : ElementsAre(0, 1));
  }
  // An op of the other branch need not be supported, and it may have another type.
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

// The condition reads a weight, whose value may be another one when the program runs.
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

// v = 2 v + i, and the values of v are collected. The body reads 'two' of the graph around it.
Message doubling(const std::vector<Message>& more = {}) {
  std::vector<Message> nodes = {node("Mul", {"v", "two"}, "d"),
                                node("Cast", {"i"}, "f").nested(5, attribute("to", int64_t{1})),
                                node("Add", {"d", "f"}, "next"), node("Identity", {"go"}, "on")};
  nodes.insert(nodes.end(), more.begin(), more.end());
  return graph(nodes, {value("i"), value("go"), value("v")},
               {value("on"), value("next"), value("next", {2})});
}

TEST(ControlFlow, ALoopIsUnrolled) {
  const Message m = model({loop({"m", "", "x"}, {"last", "y"}, doubling())}, {number("m", 3), real("two", 2)},
                          value("x", {2}));
  const HostTensor y = run(m, {1, 2});
  EXPECT_EQ(y.shape(), (Shape{3, 2}));
  EXPECT_THAT(values(y), ElementsAre(2, 4, 5, 9, 12, 20));
}

TEST(ControlFlow, IterationsAreLayers) {
  const Message m =
      model({loop({"m", "", "x"}, {"y"}, doubling())}, {number("m", 2), real("two", 2)}, value("x", {2}));
  std::vector<std::string> layers;
  for (const auto& op : explain(import_model(bytes_of(m)).graph, {.devices = "reference:0"}).ops)
    layers.push_back(op.layer);
  EXPECT_THAT(layers, ::testing::Contains("steps/1/Mul"));
}

TEST(ControlFlow, ALoopWithoutIterationsReturnsItsOperands) {
  const auto of = [](const std::string& output) {
    const std::vector<std::string> outputs =
        output == "carried" ? std::vector<std::string>{"y", ""} : std::vector<std::string>{"", "y"};
    return model({loop({"m", "", "x"}, outputs, doubling())}, {number("m", 0), real("two", 2)},
                 value("x", {2}));
  };
  EXPECT_THAT(values(run(of("carried"), {1, 2})), ElementsAre(1, 2));
  EXPECT_EQ(run(of("collected"), {1, 2}).shape(), (Shape{0, 2}));
}

// while (n < 4) { n = n + 1; x = 2 x + i }: there is no trip count, and the condition follows from elements
// that are known.
TEST(ControlFlow, AKnownConditionEndsALoop) {
  const Message body =
      graph({node("Add", {"n", "one"}, "m"), node("Less", {"m", "four"}, "on"),
             node("Add", {"v", "v"}, "next"), node("Shape", {"v"}, "s")},
            {value("i"), value("go"), value("n"), value("v")}, {value("on"), value("m"), value("next")});
  const Message m =
      model({loop({"", "c", "zero", "x"}, {"n_last", "y"}, body)},
            {truth("c", true), number("zero", 0), number("one", 1), number("four", 4)}, value("x", {2}));
  EXPECT_THAT(values(run(m, {1, 2})), ElementsAre(16, 32));
}

// The iteration number decides a shape: iteration i appends i + 1 zeros.
TEST(ControlFlow, TheNumberOfTheIterationIsKnown) {
  const Message body = graph({node("Unsqueeze", {"i", "zero"}, "list"), node("Add", {"list", "one"}, "count"),
                              node("ConstantOfShape", {"count"}, "zeros"),
                              node("Concat", {"v", "zeros"}, "next").nested(5, attribute("axis", int64_t{0})),
                              node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("next")});
  const Message m = model({loop({"m", "", "x"}, {"y"}, body)},
                          {number("m", 3), tensor("zero", kInt64, {1}, raw<int64_t>({0})), number("one", 1)},
                          value("x", {2}));
  EXPECT_EQ(run(m, {1, 2}).shape(), (Shape{8}));
}

// for (i < 4 && sum(x) < 10) x = 2 x: the condition depends on the input.
Message masked(bool collects) {
  const Message body = graph(
      {node("Add", {"v", "v"}, "next"), node("ReduceSum", {"next"}, "s"), node("Less", {"s", "ten"}, "on")},
      {value("i"), value("go"), value("v")},
      collects ? std::vector<Message>{value("on"), value("next"), value("s")}
               : std::vector<Message>{value("on"), value("next")});
  return loop({"m", "c", "x"},
              collects ? std::vector<std::string>{"y", "sums"} : std::vector<std::string>{"y"}, body);
}

TEST(ControlFlow, AConditionOfTheInputKeepsCarriedValues) {
  const std::vector<Message> known = {number("m", 4), real("ten", 10)};
  const Model m = import_model(
      bytes_of(model({node("ReduceSum", {"x"}, "t"), node("Less", {"t", "ten"}, "c"), masked(false)}, known,
                     value("x", {2}))));
  EXPECT_THAT(values(run(m, {1, 2})), ElementsAre(4, 8));     // sums 3, 6, 12
  EXPECT_THAT(values(run(m, {1, 10})), ElementsAre(1, 10));   // no iteration
  EXPECT_THAT(values(run(m, {-1, 0})), ElementsAre(-16, 0));  // four iterations
  EXPECT_THAT(values(run(m, {4, 5})), ElementsAre(8, 10));    // one iteration
}

// A condition that was false once ends the loop, also if the body would compute a true one later: that of
// iteration 1 is false.
TEST(ControlFlow, AFalseConditionOfTheInputEndsALoop) {
  const Message body = graph({node("Add", {"v", "v"}, "next"), node("Equal", {"i", "one"}, "e"),
                              node("Not", {"e"}, "other"), node("And", {"other", "c"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("next")});
  const std::vector<Message> nodes = {node("ReduceSum", {"x"}, "t"), node("Less", {"t", "ten"}, "c"),
                                      loop({"m", "c", "x"}, {"y"}, body)};
  EXPECT_THAT(
      values(run(model(nodes, {number("m", 5), number("one", 1), real("ten", 10)}, value("x", {2})), {1, 2})),
      ElementsAre(4, 8));
}

TEST(ControlFlow, LengthsThatDependOnTheInputAreRefused) {
  const std::vector<Message> known = {truth("c", true), number("m", 4), real("ten", 10)};
  EXPECT_THAT(error_of_model(model({masked(true)}, known, value("x", {2}))),
              AllOf(HasSubstr("the condition of the node 'steps' is computed when the program runs"),
                    HasSubstr("the length of 'sums' is unknown")));
  Message endless = loop({"", "c", "x"}, {"y"},
                         graph({node("Add", {"v", "v"}, "next"), node("ReduceSum", {"v"}, "s"),
                                node("Less", {"s", "ten"}, "on")},
                               {value("i"), value("go"), value("v")}, {value("on"), value("next")}));
  EXPECT_THAT(error_of_model(model({endless}, known, value("x", {2}))),
              HasSubstr("and there is no trip count"));
  const Message cast = node("Cast", {"sum"}, "n").nested(5, attribute("to", int64_t{kInt64}));
  EXPECT_THAT(
      error_of_model(model({node("ReduceSum", {"x"}, "sum").nested(5, attribute("keepdims", int64_t{0})),
                            cast, loop({"n", "", "x"}, {"y"}, doubling())},
                           {real("two", 2)}, value("x", {2}))),
      HasSubstr("the trip count of the node 'steps' is computed when the program runs"));
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

// Version 8 has the batch first, and lengths.
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

// A Loop in a branch of an If in a Scan. Each body reads values of the graphs around it, and 'h' is a name of
// two scopes.
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

// An input of a body hides the outer value of its name, and a result of a node must not.
TEST(ControlFlow, InputsMayHideOuterValues) {
  const auto of = [](const std::string& input, const std::string& result) {
    return model({loop({"m", "", "x"}, {"y"},
                       graph({node("Add", {input, input}, result), node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value(input)}, {value("on"), value(result)}))},
                 {number("m", 2)}, value("x", {2}));
  };
  EXPECT_THAT(values(run(of("x", "next"), {1, 2})), ElementsAre(4, 8));
  EXPECT_THAT(error_of_model(of("v", "x")), HasSubstr("the result 'x' exists already"));
  // Names of a body end with it.
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

// h = tanh(h w + x_t): the weight w of the body is one variable, and its gradient is the sum over the
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
  near(by_scan.first, expected.first), near(by_scan.second, expected.second);
  near(by_loop.first, expected.first), near(by_loop.second, expected.second);
  EXPECT_NE(expected.first[0], 0.5f);
}

}  // namespace
}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Tests models with bodies that no exporter writes. Each model gives an error, in bounded time and memory.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/changed_models.h"
#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::HasSubstr;

using Inputs = std::vector<std::string>;

Message with_body(const std::string& op, const Inputs& inputs, const Inputs& outputs, const Message& body,
                  const std::string& attribute_name = "body") {
  return node(op, inputs, outputs).nested(5, attribute(attribute_name, body));
}
// Returns the error of a model that has these nodes, an input x of two elements, and initializers m, yes and
// no.
std::string error_of_nodes(const std::vector<Message>& nodes, int64_t m = 3) {
  const Message all = model(nodes, {number("m", m), truth("yes", true), truth("no", false)}, value("x", {2}));
  return testing::error_of([&] { import_model(bytes_of(all)); });
}
// Returns a body of Loop with one carried value and these nodes. One of the nodes computes 'next'.
Message body_of(std::vector<Message> nodes, const std::string& condition = "go") {
  return graph(nodes, {value("i"), value("go"), value("v")}, {value(condition), value("next")});
}

TEST(HostileBodies, TripCountsHaveALimit) {
  const std::string limit =
      "the bodies of If, Loop, Scan and SequenceMap become more than 1000000 nodes, operands and results";
  const Message identity = body_of({node("Identity", {"v"}, "next")});
  for (const int64_t m : {int64_t{1} << 62, INT64_MAX, int64_t{1'000'000}}) {
    EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, identity)}, m), HasSubstr(limit))
        << m;
    EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "yes", "x"}, {"y"}, identity)}, m), HasSubstr(limit))
        << m;
  }
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"", "yes", "x"}, {"y"}, identity)}), HasSubstr(limit));
  // No nodes at all: the body returns its inputs.
  const Message empty = graph({}, {value("i"), value("go"), value("v")}, {value("go"), value("v")});
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, empty)}, INT64_MAX), HasSubstr(limit));
  EXPECT_EQ(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, empty)}), "no error");
  // If the body has many outputs, or a node with many operands, a few iterations exceed the limit.
  Message outputs = graph({}, {value("i"), value("go"), value("v")}, {value("go"), value("v")});
  for (int i = 0; i < 10'000; ++i) outputs.nested(12, value("v"));
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, outputs)}, 1000), HasSubstr(limit));
  // The values of such a node reach the limit of the graph first.
  const Message sum = body_of({node("Sum", Inputs(10'000, "v"), "next")});
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, sum)}, 1000),
              HasSubstr("the nodes of the model become more than 250000 values; the import stopped in the "
                        "layer 'Loop/25'"));
  for (const int64_t m : {int64_t{0}, int64_t{-1}, INT64_MIN})
    EXPECT_EQ(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, empty)}, m), "no error") << m;
}

// Each of 12 nested loops runs the next loop 1,000 times. The limit counts the nodes of all loops together.
TEST(HostileBodies, NestedLoopsShareTheLimit) {
  Message body = body_of({node("Add", {"v", "v"}, "next")});
  for (int depth = 0; depth < 12; ++depth) {
    const std::string name = "r" + std::to_string(depth);
    body = graph({with_body("Loop", {"m", "", "v"}, {name}, body)}, {value("i"), value("go"), value("v")},
                 {value("go"), value(name)});
  }
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, body)}, 1000),
              HasSubstr("1000000 nodes"));
}

// The condition of each iteration is computed while the graph is built, which takes longer than a node.
TEST(HostileBodies, ComputedConditionsHaveALimit) {
  const Message body = graph({node("Add", {"i", "i"}, "twice"), node("Less", {"twice", "m"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("v")});
  EXPECT_EQ(error_of_nodes({with_body("Loop", {"m", "yes", "x"}, {"y"}, body)}, 40), "no error");
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "yes", "x"}, {"y"}, body)}, INT64_MAX),
              HasSubstr("the elements that nodes ask for while the graph is built need more than"));
}

TEST(HostileBodies, NestingHasALimit) {
  const auto nested = [](int depth) {
    Message branch = graph({node("Relu", {"x"}, "h")}, {}, {value("h")});
    for (int i = 0; i < depth; ++i) {
      const std::string name = "h" + std::to_string(i);
      Message choice = with_body("If", {"yes"}, {name}, branch, "then_branch");
      choice.nested(5, attribute("else_branch", graph({node("Neg", {"x"}, "g")}, {}, {value("g")})));
      branch = graph({choice}, {}, {value(name)});
    }
    Message all = with_body("If", {"yes"}, {"y"}, branch, "then_branch");
    return all.nested(5, attribute("else_branch", branch));
  };
  EXPECT_EQ(error_of_nodes({nested(10)}), "no error");
  EXPECT_THAT(error_of_nodes({nested(25)}), HasSubstr("bodies are nested in each other more than 20 times"));
  EXPECT_THAT(error_of_nodes({nested(1000)}), HasSubstr("nest more than 100 messages"));
}

TEST(HostileBodies, InputsAndOutputsMustFit) {
  const auto loop = [](const Message& body, const Inputs& inputs = {"m", "", "x"},
                       const Inputs& outputs = {"y"}) {
    return error_of_nodes({with_body("Loop", inputs, outputs, body)});
  };
  const std::vector<Message> relu = {node("Relu", {"v"}, "next")};
  const Message fits = body_of(relu);
  EXPECT_EQ(loop(fits), "no error");
  EXPECT_THAT(loop(fits, {"m", "", "x", "x"}), HasSubstr("body has 3 inputs, but the node gives it 4"));
  EXPECT_THAT(loop(fits, {"m"}), HasSubstr("body has 3 inputs, but the node gives it 2"));
  EXPECT_THAT(loop(fits, {}), HasSubstr("body has 3 inputs, but the node gives it 2"));
  EXPECT_THAT(loop(fits, {"m", "", ""}), HasSubstr("operand 2 is missing"));
  EXPECT_THAT(loop(fits, {"", "", "x"}), HasSubstr("has neither a trip count nor a condition"));
  EXPECT_THAT(loop(fits, {"m", "", "x"}, {"y", "z"}), HasSubstr("has 2 outputs; it needs a condition"));
  EXPECT_THAT(loop(Message()), HasSubstr("body has 0 inputs, but the node gives it 3"));
  EXPECT_THAT(loop(graph(relu, {value("i"), value("go"), value("v")}, {})), HasSubstr("has 0 outputs"));
  EXPECT_THAT(loop(graph(relu, {value("i"), value("v"), value("v")}, {value("i"), value("next")})),
              HasSubstr("body has two inputs 'v'"));
  EXPECT_THAT(loop(graph(relu, {value("i"), value(""), value("v")}, {value("i"), value("next")})),
              HasSubstr("an input of body has no name"));
  EXPECT_THAT(loop(graph(relu, {value("i"), value("go"), value("v")}, {value("go"), value("none")})),
              HasSubstr("nothing computes the output 'none' of the body"));
  EXPECT_THAT(loop(body_of({node("Relu", {"v"}, "next"), node("Neg", {"v"}, "next")})),
              HasSubstr("the result 'next' exists already"));
  EXPECT_THAT(error_of_nodes({node("Loop", {"m", "", "x"}, "y")}),
              HasSubstr("the attribute 'body' is missing"));
  EXPECT_THAT(error_of_nodes({node("Loop", {"m", "", "x"}, "y").nested(5, attribute("body", int64_t{1}))}),
              HasSubstr("the attribute 'body' is not of the kind GRAPH"));
}

// The outputs of a body may be values of the graph around it, or inputs of the body.
TEST(HostileBodies, OutputsMayBeOuterValues) {
  const Message outer =
      graph({}, {value("i"), value("go"), value("v")}, {value("yes"), value("x"), value("i"), value("m")});
  EXPECT_EQ(error_of_nodes({with_body("Loop", {"m", "yes", "x"}, {"y", "a", "b"}, outer)}), "no error");
  Message choice = with_body("If", {"yes"}, {"y"}, graph({}, {}, {value("x")}), "then_branch");
  EXPECT_EQ(error_of_nodes({choice.nested(5, attribute("else_branch", graph({}, {}, {value("x")})))}),
            "no error");
}

TEST(HostileBodies, ConditionsAndTripCountsHaveTypes) {
  const Message fits = body_of({node("Relu", {"v"}, "next")});
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"x", "", "x"}, {"y"}, fits)}),
              HasSubstr("has the type 2xf32, but must be one i64"));
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "x", "x"}, {"y"}, fits)}),
              HasSubstr("has the type 2xf32, but must be one truth value"));
  EXPECT_THAT(error_of_nodes(
                  {with_body("Loop", {"m", "yes", "x"}, {"y"}, body_of({node("Relu", {"v"}, "next")}, "i"))}),
              HasSubstr("the condition that body of the node that computes 'y' computes has the type"));
  EXPECT_THAT(error_of_nodes({with_body("If", {"x"}, {"y"}, graph({}, {}, {value("x")}), "then_branch")}),
              HasSubstr("the condition of the node that computes 'y' has the type 2xf32"));
  const Message declared =
      graph({node("Relu", {"v"}, "next")}, {value("i"), value("go"), value("v", {2}, kInt64)},
            {value("go"), value("next")});
  EXPECT_THAT(error_of_nodes({with_body("Loop", {"m", "", "x"}, {"y"}, declared)}),
              HasSubstr("'v' of body has the type 2xf32, but is declared with the element type i64"));
}

TEST(HostileBodies, BranchesMustFit) {
  const auto choice = [](const std::string& condition, const Message& yes, const Message& no) {
    return error_of_nodes(
        {with_body("If", {condition}, {"y"}, yes, "then_branch").nested(5, attribute("else_branch", no))});
  };
  const Message fits = graph({node("Relu", {"x"}, "h")}, {}, {value("h")});
  EXPECT_EQ(choice("no", fits, fits), "no error");
  EXPECT_THAT(choice("yes", Message(), fits), HasSubstr("has 0 outputs, but the node has 1 result,"));
  EXPECT_THAT(choice("yes", graph({}, {value("a")}, {value("a")}), fits),
              HasSubstr("has 1 input, but the node gives it 0"));
  EXPECT_THAT(choice("", fits, fits), HasSubstr("operand 0 is missing"));
  EXPECT_THAT(error_of_nodes({with_body("If", {"yes"}, {"y"}, fits, "then_branch")}),
              HasSubstr("the attribute 'else_branch' is missing"));
}

TEST(HostileBodies, ScansMustFit) {
  const Message body =
      graph({node("Add", {"s", "e"}, "n")}, {value("s"), value("e")}, {value("n"), value("n")});
  const auto scan = [&](int64_t scanned, const std::vector<Message>& attributes,
                        const Inputs& inputs = {"zero", "x"}) {
    Message n = with_body("Scan", inputs, {"y", "z"}, body).nested(5, attribute("num_scan_inputs", scanned));
    for (const Message& a : attributes) n.nested(5, a);
    const Message zero = node("ReduceSum", {"x"}, "zero").nested(5, attribute("keepdims", int64_t{0}));
    return error_of_nodes({zero, n});
  };
  const auto list = [](const char* name, std::vector<int64_t> v) { return attribute(name, v); };
  EXPECT_EQ(scan(1, {}), "no error");
  for (const int64_t count : {int64_t{0}, int64_t{-1}, int64_t{3}, INT64_MAX, INT64_MIN})
    EXPECT_THAT(scan(count, {}), HasSubstr("num_scan_inputs of the node that computes 'y' is")) << count;
  EXPECT_THAT(scan(2, {}), HasSubstr("axis 0 is not a dimension of a tensor of rank 0"));
  EXPECT_THAT(scan(1, {}, {"zero", "zero"}), HasSubstr("axis 0 is not a dimension"));
  EXPECT_THAT(scan(1, {list("scan_input_axes", {1})}), HasSubstr("axis 1 is not a dimension"));
  EXPECT_THAT(scan(1, {list("scan_input_axes", {INT64_MIN})}), HasSubstr("is not a dimension"));
  EXPECT_THAT(scan(1, {list("scan_input_axes", {0, 0})}), HasSubstr("has 2 elements in place of 1"));
  EXPECT_THAT(scan(1, {list("scan_output_axes", {7})}), HasSubstr("axis 7 is not a dimension"));
  EXPECT_THAT(scan(1, {list("scan_input_directions", {2})}), HasSubstr("has the element 2, not 0 or 1"));
  // Few bytes state a long operand.
  const Message expand = node("Expand", {"x", "size"}, "long");
  const Message n = with_body("Scan", {"zero", "long"}, {"y", "z"}, body)
                        .nested(5, attribute("num_scan_inputs", int64_t{1}));
  const Message all = model({expand, n},
                            {tensor("size", kInt64, {2}, raw<int64_t>({int64_t{1} << 31, 2})),
                             tensor("zero", kFloat, {2}, raw<float>({0, 0}))},
                            value("x", {2}));
  EXPECT_THAT(testing::error_of([&] { import_model(bytes_of(all)); }),
              HasSubstr("has 2147483648 iterations; the limit is 65536"));
}

// Initializers of bodies are checked like initializers of the graph.
TEST(HostileBodies, InitializersAreChecked) {
  const auto of = [](const std::vector<Message>& initializers) {
    return error_of_nodes(
        {with_body("Loop", {"m", "", "x"}, {"y"},
                   graph({node("Add", {"v", "w"}, "next")}, {value("i"), value("go"), value("v")},
                         {value("go"), value("next")}, initializers))});
  };
  const Message fits = tensor("w", kFloat, {2}, raw<float>({1, 2}));
  EXPECT_EQ(of({fits}), "no error");
  EXPECT_THAT(of({fits, fits}), HasSubstr("there are two initializers 'w'"));
  EXPECT_THAT(of({tensor("w", kFloat, {int64_t{1} << 40}, "1234")}),
              HasSubstr("but the message holds fewer"));
  EXPECT_THAT(of({tensor("w", kFloat, {2}, "12345678").number(14, 1)}), HasSubstr("in another file"));
  EXPECT_THAT(of({}), HasSubstr("no node before it computes the operand 'w'"));
}

// Every change of one byte gives a model or a cutset::Error.
TEST(HostileBodies, MutatedModelsDoNotCrash) {
  const Message body =
      graph({node("Mul", {"v", "w"}, "p"), node("Less", {"i", "m2"}, "on"), node("Add", {"p", "x"}, "next")},
            {value("i"), value("go"), value("v")}, {value("on"), value("next"), value("p", {2})},
            {tensor("w", kFloat, {2}, raw<float>({1, 2}))});
  const Message step =
      graph({node("Add", {"s", "e"}, "n")}, {value("s"), value("e")}, {value("n"), value("n")});
  const Message m = model(
      {with_body("Loop", {"m", "yes", "x"}, {"a", "b"}, body),
       with_body("Scan", {"a", "b"}, {"c", "y"}, step).nested(5, attribute("num_scan_inputs", int64_t{1}))},
      {number("m", 3), number("m2", 2), truth("yes", true)}, value("x", {2}));
  EXPECT_EQ(testing::error_of([&] { import_model(bytes_of(m)); }), "no error");
  const int refused = refused_changes(m, 400);
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace cutset::onnx

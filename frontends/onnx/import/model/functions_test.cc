// SPDX-License-Identifier: Apache-2.0
// Tests functions that a model defines: what their calls compute, and how malformed and hostile functions are
// refused.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/changed_models.h"
#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Names = std::vector<std::string>;

constexpr const char* kDomain = "mine";

// Returns a function of the domain `mine`, whose body uses version 20 of ONNX. `attributes` have no defaults.
Message function(const std::string& name, const Names& inputs, const Names& outputs,
                 const std::vector<Message>& nodes, const Names& attributes = {}, uint64_t opset = 20) {
  Message f = Message().text(1, name).text(10, kDomain).nested(9, Message().number(2, opset));
  for (const std::string& input : inputs) f.text(4, input);
  for (const std::string& output : outputs) f.text(5, output);
  for (const std::string& attribute : attributes) f.text(6, attribute);
  for (const Message& n : nodes) f.nested(7, n);
  return f;
}
Message call(const std::string& name, const Names& inputs, const Names& outputs) {
  return node(name, inputs, outputs).text(7, kDomain);
}
// Returns an attribute of a node of a function that refers to the attribute `of` of the call.
Message reference(const std::string& name, const std::string& of, uint64_t type) {
  return Message().text(1, name).text(21, of).number(20, type);
}
// Returns a model with an input x of two elements and an output y.
Message with_functions(const std::vector<Message>& nodes, const std::vector<Message>& functions,
                       const std::vector<Message>& initializers = {}) {
  Message m = model(nodes, initializers, value("x", {2}));
  for (const Message& f : functions) m.nested(25, f);
  return m;
}
std::vector<double> result_of(const Message& m, float first = -1, float second = 3) {
  Session session = compile(import_model(bytes_of(m)).graph, {.devices = "reference:0"});
  const HostTensor y = session.run("evaluate", {{"x", HostTensor({2}, {first, second})}})["y"];
  std::vector<double> elements;
  for (int64_t i = 0; i < y.elements(); ++i) elements.push_back(y.at(i));
  return elements;
}
std::string error_of(const Message& m) {
  return testing::error_of([&] { import_model(bytes_of(m)); });
}

// 'h' is a name in the model, in the function, and in the function that calls it.
TEST(OnnxFunctions, HaveNamesOfTheirOwn) {
  const Message inner =
      function("Square", {"a"}, {"b"}, {node("Mul", {"a", "a"}, "h"), node("Identity", {"h"}, "b")});
  const Message outer = function("SquareAndAdd", {"h", "a"}, {"c"},
                                 {call("Square", {"a"}, {"s"}), node("Add", {"s", "h"}, "c")});
  EXPECT_THAT(result_of(with_functions({node("Neg", {"x"}, "h"), call("SquareAndAdd", {"h", "x"}, {"z"}),
                                        call("SquareAndAdd", {"z", "h"}, {"y"})},
                                       {outer, inner})),
              ElementsAre(1 + 1 + 1, 9 - 3 + 9));
}

TEST(OnnxFunctions, HaveAttributes) {
  const Message relu =
      function("Leaky", {"a"}, {"b"},
               {node("LeakyRelu", {"a"}, "b").nested(5, reference("alpha", "slope", 1))}, {"slope"});
  const auto of = [&](const Message& f, const Message& called) {
    return result_of(with_functions({called}, {f}));
  };
  const Message without = call("Leaky", {"x"}, {"y"}),
                with = Message(without).nested(5, attribute("slope", 0.5f));
  EXPECT_THAT(of(relu, with), ElementsAre(-0.5, 3));
  EXPECT_THAT(of(relu, without),
              ElementsAre(::testing::DoubleNear(-0.01, 1e-8), 3));  // the default of LeakyRelu
  const Message by_default = Message(relu).nested(11, attribute("slope", 0.25f));
  EXPECT_THAT(of(by_default, with), ElementsAre(-0.5, 3));
  EXPECT_THAT(of(by_default, without), ElementsAre(-0.25, 3));
  EXPECT_THAT(
      error_of(with_functions({Message(without).nested(5, attribute("slope", int64_t{1}))}, {relu})),
      HasSubstr("the function 'Leaky': the attribute 'slope' is of another kind than the function says"));
  EXPECT_THAT(error_of(with_functions({Message(without).nested(5, attribute("slop", 1.0f))}, {relu})),
              HasSubstr("the attribute 'slop' has no effect"));
}

// If a call leaves out an input, the node that reads the input also leaves it out. Results may also be left
// out.
TEST(OnnxFunctions, HaveOptionalOperandsAndResults) {
  const Message clip = function("Clip", {"a", "low", "high"}, {"b", "c"},
                                {node("Clip", {"a", "low", "high"}, "b"), node("Neg", {"a"}, "c")});
  const std::vector<Message> half = {real("half", 0.5f)};
  EXPECT_THAT(result_of(with_functions({call("Clip", {"x", "half"}, {"y"})}, {clip}, half)),
              ElementsAre(0.5, 3));
  EXPECT_THAT(result_of(with_functions({call("Clip", {"x", "", "half"}, {"y", ""})}, {clip}, half)),
              ElementsAre(-1, 0.5));
  EXPECT_THAT(result_of(with_functions({call("Clip", {"x"}, {"", "y"})}, {clip})), ElementsAre(1, -3));
}

TEST(OnnxFunctions, MayReturnTheirInputsAndAResultTwice) {
  const Message same = function("Same", {"a", "b"}, {"b", "c", "c"}, {node("Neg", {"a"}, "c")});
  EXPECT_THAT(result_of(with_functions(
                  {call("Same", {"x", "x"}, {"p", "q", "r"}), node("Sum", {"p", "q", "r"}, "y")}, {same})),
              ElementsAre(1, -3));
  EXPECT_THAT(error_of(with_functions({call("Same", {"x"}, {"y"})}, {same})),
              HasSubstr("the function 'Same': it returns an input that a call leaves out"));
}

// The body has an initializer and a value with the name of an input of the function. Bodies also call
// functions.
TEST(OnnxFunctions, HaveBodies) {
  const Message then = graph({node("Add", {"a", "a"}, "s"), node("Mul", {"s", "factor"}, "r")}, {},
                             {value("r")}, {tensor("a", kFloat, {2}, raw<float>({1, 2}))});
  const Message otherwise = graph({call("Twice", {"a"}, {"r"})}, {}, {value("r")});
  const Message choose = function("Choose", {"if", "a", "factor"}, {"b"},
                                  {node("If", {"if"}, "b")
                                       .nested(5, attribute("then_branch", then))
                                       .nested(5, attribute("else_branch", otherwise))});
  const Message twice = function("Twice", {"a"}, {"b"}, {node("Add", {"a", "a"}, "b")});
  const auto of = [&](bool condition) {
    return with_functions({call("Choose", {"c", "x", "x"}, {"y"})}, {choose, twice}, {truth("c", condition)});
  };
  EXPECT_THAT(result_of(of(true)), ElementsAre(-2, 12));
  EXPECT_THAT(result_of(of(false)), ElementsAre(-2, 6));
  EXPECT_THAT(compile(import_model(bytes_of(of(true))).graph, {.devices = "reference:0"}).variables(),
              ElementsAre());
}

// A function passes its attribute on to the function that it calls. The overload selects one of two functions
// with the same name.
TEST(OnnxFunctions, PassAttributesOnAndHaveOverloads) {
  const Message inner =
      function("Leaky", {"a"}, {"b"},
               {node("LeakyRelu", {"a"}, "b").nested(5, reference("alpha", "slope", 1))}, {"slope"});
  const Message twice = function("Leaky", {"a"}, {"b"}, {node("Add", {"a", "a"}, "b")}).text(13, "twice");
  const Message outer = function("Both", {"a"}, {"b"},
                                 {call("Leaky", {"a"}, {"h"}).nested(5, reference("slope", "steep", 1)),
                                  call("Leaky", {"h"}, {"b"}).text(8, "twice")},
                                 {"steep"});
  EXPECT_THAT(result_of(with_functions({call("Both", {"x"}, {"y"}).nested(5, attribute("steep", 0.5f))},
                                       {twice, outer, inner})),
              ElementsAre(-1, 6));
}

// A loop in a function reads a value around it and an operand of the call.
TEST(OnnxFunctions, HaveLoops) {
  const Message body = graph({node("Add", {"v", "step"}, "next"), node("Identity", {"go"}, "on")},
                             {value("i"), value("go"), value("v")}, {value("on"), value("next")});
  const Message repeat = function(
      "Repeat", {"times", "v", "x"}, {"b"},
      {node("Neg", {"x"}, "step"), node("Loop", {"times", "", "v"}, "b").nested(5, attribute("body", body))});
  EXPECT_THAT(result_of(with_functions(
                  {node("Add", {"x", "x"}, "step"), call("Repeat", {"three", "step", "x"}, {"y"})}, {repeat},
                  {number("three", 3)})),
              ElementsAre(-2 + 3, 6 - 9));
}

// Layers have the names of calls, and a weight that two calls read is one variable.
TEST(OnnxFunctions, ShareTheWeightsOfTheModel) {
  const Message scaled = function("Scaled", {"a", "w"}, {"b"}, {node("Mul", {"a", "w"}, "b")});
  Model made =
      import_model(bytes_of(with_functions({call("Scaled", {"x", "w"}, {"h"}).text(3, "first"),
                                            call("Scaled", {"h", "w"}, {"y"}).text(3, "second")},
                                           {scaled}, {tensor("w", kFloat, {2}, raw<float>({2, 3}))})));
  made.graph.minimize(mean(made.results.at("y")), {.learning_rate = 1});
  Session session = compile(made.graph, {.devices = "reference:0"});
  session.train({{"x", HostTensor({2}, {1.0f, 1.0f})}});
  EXPECT_EQ(session.variable("w").at(0), 2 - 2.0);  // the mean of w^2 has the derivative w
  EXPECT_THAT(
      error_of(with_functions({call("Scaled", {"x", "x"}, {"y"}).text(3, "first")},
                              {function("Scaled", {"a", "w"}, {"b"}, {node("Mul2", {"a", "w"}, "b")})})),
      HasSubstr("1 node Mul2: there is no converter for this op, at node 1 'first/Mul2'"));
}

TEST(OnnxFunctions, AreRefusedIfTheyAreMalformed) {
  const Message twice = function("Twice", {"a"}, {"b"}, {node("Add", {"a", "a"}, "b")});
  const Message once = call("Twice", {"x"}, {"y"});
  EXPECT_THAT(error_of(with_functions({once}, {twice, twice})), HasSubstr("two functions 'Twice'"));
  EXPECT_THAT(error_of(with_functions({call("Twice", {"x", "x"}, {"y"})}, {twice})),
              HasSubstr("a call has more operands or results than the function"));
  EXPECT_THAT(error_of(with_functions({call("Twice", {"x"}, {"y", "z"})}, {twice})),
              HasSubstr("a call has more operands or results than the function"));
  EXPECT_THAT(error_of(with_functions({once}, {function("Twice", {"a", "a"}, {"b"}, {})})),
              HasSubstr("two inputs have the name 'a'"));
  EXPECT_THAT(error_of(with_functions(
                  {once}, {function("Twice", {"a", "o"}, {"b"}, {node("Add", {"a", "a"}, "o")})})),
              HasSubstr("a node computes the input 'o'"));
  EXPECT_THAT(error_of(with_functions({once}, {function("Twice", {"a"}, {"b"}, {})})),
              HasSubstr("the function 'Twice': nothing computes its output 'b'"));
  EXPECT_THAT(
      error_of(
          with_functions({once}, {function("Twice", {"a"}, {"b"}, {node("Add", {"a", "a"}, "b")}, {}, 7)})),
      HasSubstr("the function 'Twice': it uses version 7 of the operator set, and the model version 20"));
  EXPECT_THAT(error_of(with_functions({node("Neg", {"x"}, "h of call 1"), once}, {twice})),
              HasSubstr("a value with the name 'h of call 1', which values of functions get"));
  EXPECT_EQ(error_of(with_functions({node("Neg", {"x"}, "number of call signs"), once}, {twice})),
            "no error");
  EXPECT_THAT(error_of(with_functions({once}, {function("Twice", {"a"}, {"a"}, {node("Neg", {"a"}, "a")})})),
              HasSubstr("the function 'Twice': a node computes the input 'a'"));
  const Message with_body =
      function("Body", {"a"}, {"b"}, {node("If", {"a"}, "b").nested(5, reference("then_branch", "body", 5))},
               {"body"});
  EXPECT_THAT(error_of(with_functions(
                  {call("Body", {"x"}, {"y"}).nested(5, attribute("body", graph({}, {}, {value("x")})))},
                  {with_body})),
              HasSubstr("the attribute 'body' is a graph"));
}

// Few bytes may ask for endless or for very many nodes.
TEST(OnnxFunctions, AreLimited) {
  const Message itself = function("F", {"a"}, {"b"}, {call("F", {"a"}, {"h"}), call("F", {"h"}, {"b"})});
  EXPECT_THAT(
      error_of(with_functions({call("F", {"x"}, {"y"})}, {itself})),
      HasSubstr("the function 'F': its calls are nested more than 20 times, or a function calls itself"));
  std::vector<Message> doubling = {function("F0", {"a"}, {"b"}, {node("Neg", {"a"}, "b")})};
  for (int i = 1; i < 20; ++i) {
    const std::string next = "F" + std::to_string(i - 1);
    doubling.push_back(function("F" + std::to_string(i), {"a"}, {"b"},
                                {call(next, {"a"}, {"h"}), call(next, {"h"}, {"b"})}));
  }
  EXPECT_THAT(
      error_of(with_functions({call("F19", {"x"}, {"y"})}, doubling)),
      HasSubstr("the functions of the model become more than 100000 nodes and calls, or 67108864 bytes"));
  // Calls of a function without nodes whose input has a long name.
  const std::string name(1 << 20, 'n');
  EXPECT_THAT(error_of(with_functions(std::vector<Message>(100, call("F", {"x"}, {""})),
                                      {function("F", {name}, {name}, {})})),
              HasSubstr("67108864 bytes"));
  // A function returns a value with a long name many times, each output of a body has the name, or each node
  // reads it. A large attribute belongs to each node.
  Names results = {name};
  for (int i = 0; i < 100; ++i) results.push_back("r" + std::to_string(i));
  EXPECT_THAT(error_of(with_functions({call("F", {"x"}, results)},
                                      {function("F", {"a"}, Names(101, "b"), {node("Neg", {"a"}, "b")})})),
              HasSubstr("67108864 bytes"));
  const Message branch = graph({}, {}, std::vector<Message>(100, value("a")));
  EXPECT_THAT(error_of(with_functions(
                  {node("Neg", {"x"}, name), call("F", {name}, {"y"})},
                  {function("F", {"a"}, {"b"},
                            {node("If", {"a"}, "b").nested(5, attribute("then_branch", branch))})})),
              HasSubstr("67108864 bytes"));
  std::vector<Message> readers;
  for (int i = 0; i < 100; ++i) readers.push_back(node("Neg", {"a"}, i == 0 ? "b" : "h" + std::to_string(i)));
  EXPECT_THAT(error_of(with_functions({node("Neg", {"x"}, name), call("F", {name}, {"y"})},
                                      {function("F", {"a"}, {"b"}, readers)})),
              HasSubstr("67108864 bytes"));
  std::vector<Message> constants;
  for (int i = 0; i < 100; ++i)
    constants.push_back(node("Constant", {}, i == 0 ? "b" : "c" + std::to_string(i))
                            .nested(5, reference("value_string", "text", 3)));
  EXPECT_THAT(error_of(with_functions({call("F", {"x"}, {"y"}).nested(5, attribute("text", name.c_str()))},
                                      {function("F", {"a"}, {"b"}, constants, {"text"})})),
              HasSubstr("67108864 bytes"));
}

// Every change of one byte gives a model or a cutset::Error.
TEST(OnnxFunctions, MutatedModelsDoNotCrash) {
  const Message body = graph({node("Mul", {"a", "w"}, "r")}, {}, {value("r")}, {real("w", 2)});
  const Message choose = function("F", {"c", "a"}, {"b"},
                                  {node("LeakyRelu", {"a"}, "h").nested(5, reference("alpha", "slope", 1)),
                                   node("If", {"c"}, "b")
                                       .nested(5, attribute("then_branch", body))
                                       .nested(5, attribute("else_branch", graph({}, {}, {value("h")})))},
                                  {"slope"});
  const Message m = with_functions(
      {call("F", {"yes", "x"}, {"h"}).nested(5, attribute("slope", 0.5f)), call("F", {"no", "h"}, {"y"})},
      {choose}, {truth("yes", true), truth("no", false)});
  EXPECT_THAT(result_of(m), ElementsAre(::testing::DoubleNear(-0.02, 1e-8), 6));
  const int refused = refused_changes(m, 400);
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 400);
}

}  // namespace
}  // namespace cutset::onnx

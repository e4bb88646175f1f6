// SPDX-License-Identifier: Apache-2.0
// Tests Loop: iterations are unrolled, conditions end them, and results that have no fixed length are
// refused.
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

// Returns a model of for (i < 4 && sum(x) < 10) x = 2 x. The condition depends on the input.
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

// A false condition ends the loop, even if a later condition would be true. The condition of iteration 1 is
// false.
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

}  // namespace
}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Tests ImportOptions::known: inputs whose elements decide what the graph is, and inputs that become
// constants in any case.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

HostTensor whole(std::vector<int64_t> elements) {
  return HostTensor({static_cast<int64_t>(elements.size())}, std::move(elements));
}
Model import_known(const std::vector<Message>& nodes, const std::vector<Message>& inputs,
                   const std::map<std::string, HostTensor>& known) {
  return import_model(bytes_of(model(graph(nodes, inputs, {value("y")}))), {.known = known});
}
std::vector<float> result_of(Session& session, const Batch& batch) {
  const HostTensor y = session.evaluate(batch)["y"];
  return {y.as<float>().begin(), y.as<float>().end()};
}
std::vector<std::string> inputs_of(const Model& m) {
  std::vector<std::string> names;
  for (const auto& [name, type] : m.graph.inputs()) names.push_back(name);
  return names;
}

TEST(KnownInputs, AreConstantsOnRequest) {
  const auto of = [](bool constants) {
    return import_model(
        bytes_of(model(
            graph({node("Mul", {"x", "mask"}, "y")}, {value("x", {2}), value("mask", {2})}, {value("y")}))),
        {.known = {{"mask", HostTensor({2}, {3.0f, 0.0f})}}, .known_are_constants = constants});
  };
  EXPECT_THAT(inputs_of(of(false)), ElementsAre("x", "mask"));
  const Model m = of(true);
  EXPECT_THAT(inputs_of(m), ElementsAre("x"));
  Session session = compile(m.graph, {.devices = "reference:0"});
  EXPECT_THAT(result_of(session, {{"x", HostTensor({2}, {5.0f, 7.0f})}}), ElementsAre(15, 0));
}

TEST(KnownInputs, AreConstantsIfTheyDecideAShape) {
  const Model m = import_known({node("Reshape", {"x", "shape"}, "y")},
                               {value("x", {6}), value("shape", {2}, kInt64)}, {{"shape", whole({2, 3})}});
  EXPECT_THAT(inputs_of(m), ElementsAre("x"));
  EXPECT_EQ(m.inputs.size(), 1u);
  Session session = compile(m.graph, {.devices = "reference:0"});
  const HostTensor x({6}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  EXPECT_EQ(session.evaluate({{"x", x}})["y"].shape(), (Shape{2, 3}));
  // The graph was built for one shape. Another shape would have no effect.
  EXPECT_THAT(testing::error_of([&] { session.evaluate({{"x", x}, {"shape", whole({3, 2})}}); }),
              HasSubstr("the batch has 'shape', which is not an input of the graph"));
}

// The shape is computed from an input, and the graph computes with the same input.
TEST(KnownInputs, AreConstantsIfAShapeFollowsFromThem) {
  const Model m = import_known({node("Add", {"n", "n"}, "shape"), node("Expand", {"x", "shape"}, "wide"),
                                cast("n", "f", kFloat), node("Add", {"wide", "f"}, "y")},
                               {value("x", {1}), value("n", {1}, kInt64)}, {{"n", whole({2})}});
  EXPECT_THAT(inputs_of(m), ElementsAre("x"));
  Session session = compile(m.graph, {.devices = "reference:0"});
  EXPECT_THAT(result_of(session, {{"x", HostTensor({1}, {1.0f})}}), ElementsAre(3, 3, 3, 3));
}

// The shape follows from the input through floats. They are computed, but their elements are not kept.
TEST(KnownInputs, AreConstantsIfAShapeFollowsFromThemByFloats) {
  const std::vector<Message> nodes = {node("Add", {"n", "n"}, "twice"), cast("twice", "shape", kInt64),
                                      node("Expand", {"x", "shape"}, "y")};
  const Model m =
      import_known(nodes, {value("x", {1}), value("n", {2})}, {{"n", HostTensor({2}, {1.0f, 2.0f})}});
  EXPECT_THAT(inputs_of(m), ElementsAre("x"));
  EXPECT_EQ(m.results.at("y").shape(), (Shape{2, 4}));
}

TEST(KnownInputs, AreConstantsIfTheyDecideABranchOrATripCount) {
  const Message doubled = graph({node("Add", {"v", "v"}, "next")}, {value("i"), value("go"), value("v")},
                                {value("go"), value("next")});
  const Model loop = import_known({node("Loop", {"n", "", "x"}, "y").nested(5, attribute("body", doubled))},
                                  {value("x", {1}), value("n", {1}, kInt64)}, {{"n", whole({3})}});
  EXPECT_THAT(inputs_of(loop), ElementsAre("x"));
  Session session = compile(loop.graph, {.devices = "reference:0"});
  EXPECT_THAT(result_of(session, {{"x", HostTensor({1}, {1.0f})}}), ElementsAre(8));
  const std::vector<Message> branch = {node("Greater", {"n", "n"}, "c"),
                                       node("If", {"c"}, "y")
                                           .nested(5, attribute("then_branch", graph({}, {}, {value("x")})))
                                           .nested(5, attribute("else_branch", graph({}, {}, {value("n")})))};
  const Model taken = import_known(branch, {value("x", {1}), value("n", {1}, kInt64)}, {{"n", whole({3})}});
  EXPECT_THAT(inputs_of(taken), ElementsAre("x"));
}

// If a shape follows only from the shape of an input, and not from its elements, the input stays an input.
TEST(KnownInputs, StayInputsIfTheyDecideNothing) {
  const Model m = import_known({node("Shape", {"z"}, "shape"), node("Expand", {"x", "shape"}, "wide"),
                                node("Add", {"wide", "z"}, "y")},
                               {value("x", {1}), value("z", {2})}, {{"z", HostTensor({2}, {1.0f, 2.0f})}});
  EXPECT_THAT(inputs_of(m), ElementsAre("x", "z"));
  Session session = compile(m.graph, {.devices = "reference:0"});
  const Batch other = {{"x", HostTensor({1}, {1.0f})}, {"z", HostTensor({2}, {10.0f, 20.0f})}};
  EXPECT_THAT(result_of(session, other), ElementsAre(11, 21));
}

// The shape follows from the elements of one input and from the shape of another input.
TEST(KnownInputs, StayInputsIfOnlyTheirShapeDecides) {
  const std::vector<Message> nodes = {node("Mul", {"x", "z"}, "h"),    node("Shape", {"h"}, "i"),
                                      cast("i", "f", kFloat),          node("Mul", {"f", "scale"}, "larger"),
                                      cast("larger", "shape", kInt64), node("Expand", {"h", "shape"}, "y")};
  const Model m = import_known(nodes, {value("x", {1}), value("z", {1}), value("scale", {1})},
                               {{"z", HostTensor({1}, {2.0f})}, {"scale", HostTensor({1}, {3.0f})}});
  EXPECT_THAT(inputs_of(m), ElementsAre("x", "z"));
  Session session = compile(m.graph, {.devices = "reference:0"});
  const Batch other = {{"x", HostTensor({1}, {1.0f})}, {"z", HostTensor({1}, {10.0f})}};
  EXPECT_THAT(result_of(session, other), ElementsAre(10, 10, 10));
}

}  // namespace
}  // namespace cutset::onnx

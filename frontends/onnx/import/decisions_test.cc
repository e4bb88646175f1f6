// Tests weights whose elements decide what the graph of a model is. A program may run with other values of a variable, and they would not
// change the graph.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/import/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Message floats(const std::string& name, const std::vector<float>& elements) {
  return tensor(name, kFloat, {static_cast<int64_t>(elements.size())}, raw<float>(elements));
}
Message to_integers(const std::string& from, const std::string& to) {
  return node("Cast", {from}, to).nested(5, attribute("to", int64_t{kInt64}));
}
// y = x, doubled as often as the elements of the value are together.
std::vector<Message> doubled_by_sum_of(const std::string& name) {
  const Message body =
      graph({node("Add", {"v", "v"}, "next")}, {value("i"), value("go"), value("v")}, {value("go"), value("next")});
  return {node("ReduceSum", {name}, "s").nested(5, attribute("keepdims", int64_t{0})), to_integers("s", "n"),
          node("Loop", {"n", "", "x"}, "y").nested(5, attribute("body", body)).text(3, "steps")};
}
// Per sample, the sum of its first time steps, of which the weight `lengths` has the number.
Message sums_of_sequences() {
  const Message step = graph({node("Add", {"s", "e"}, "next")}, {value("s"), value("e")}, {value("next")});
  const Message scan = node("Scan", {"lengths", "zeros", "x"}, "y")
                           .nested(5, attribute("body", step))
                           .nested(5, attribute("num_scan_inputs", int64_t{1}))
                           .text(3, "steps");
  return model(graph({to_integers("w", "lengths"), scan}, {value("x", {2, 3, 1})}, {value("y")},
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
  // The shape of exporters that join constants with what they compute.
  const std::vector<Message> reshaped = {to_integers("w", "shape"), node("Reshape", {"x", "shape"}, "h"),
                                         node("Add", {"h", "b"}, "y")};
  const Ran shape = run(model(reshaped, {floats("w", {2, 1}), floats("b", {4})}, value("x", {2})), x);
  EXPECT_THAT(shape.variables, ElementsAre("b"));
  EXPECT_EQ(shape.y.shape(), (Shape{2, 1}));
}

TEST(OnnxDecisions, AWeightThatNoNodeReadsAsATensorIsNoVariable) {
  const Message m =
      model({node("Resize", {"x", "", "w"}, "y").text(3, "larger")}, {floats("w", {1, 1, 2})}, value("x", {1, 1, 2}));
  const Ran ran = run(m, HostTensor({1, 1, 2}, {1.0f, 2.0f}));
  EXPECT_THAT(ran.variables, IsEmpty());
  EXPECT_EQ(ran.y.shape(), (Shape{1, 1, 4}));
}

TEST(OnnxDecisions, AWeightDoesNotDecideWhatIsComputedWithIt) {
  const std::vector<Message> weights = {floats("w", {1, 2})};
  EXPECT_THAT(error_of_model({node("Mul", {"u", "w"}, "x")}, doubled_by_sum_of("w"), weights, value("u", {2})),
              AllOf(HasSubstr("the elements of the weight 'w' decide what the node 'steps' becomes, and the outputs "
                              "are computed with the weight"),
                    HasSubstr("give the two uses initializers of their own")));
  // The decision reads another name of the same weight.
  EXPECT_THAT(error_of_model({node("Mul", {"u", "w"}, "x"), node("Identity", {"w"}, "copy")}, doubled_by_sum_of("copy"),
                             weights, value("u", {2})),
              HasSubstr("decide what the node 'steps' becomes"));
  // What is computed with the weight is no output.
  EXPECT_EQ(error_of_model({node("Mul", {"x", "w"}, "unread")}, doubled_by_sum_of("w"), weights, value("x", {2})),
            "no error");
}

TEST(OnnxDecisions, WeightsMayBeLengthsOfSequences) {
  const Ran ran = run(sums_of_sequences(), HostTensor({2, 3, 1}, {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f}));
  EXPECT_THAT(ran.variables, ElementsAre("zeros"));
  EXPECT_THAT(ran.y.as<float>(), ElementsAre(1 + 2, 4 + 5 + 6));
}

}  // namespace
}  // namespace cutset::onnx

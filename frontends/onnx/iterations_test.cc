// Tests which trip counts and conditions of Loop are known.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/onnx/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;

using Inputs = std::vector<std::string>;

Message number(const std::string& name, int64_t i) { return tensor(name, kInt64, {}, raw<int64_t>({i})); }
Message truth(const std::string& name, bool b) { return tensor(name, kBool, {}, std::string(1, b ? '\1' : '\0')); }
Message real(const std::string& name, float f) { return tensor(name, kFloat, {}, raw<float>({f})); }
Message floats(const std::string& name, const std::vector<float>& elements) {
  return tensor(name, kFloat, {static_cast<int64_t>(elements.size())}, raw<float>(elements));
}
Message cast(const std::string& from, const std::string& to, int type) {
  return node("Cast", {from}, to).nested(5, attribute("to", static_cast<int64_t>(type)));
}
Message sum(const std::string& from, const std::string& to) {
  return node("ReduceSum", {from}, to).nested(5, attribute("keepdims", int64_t{0}));
}
Message loop(const Inputs& inputs, const Inputs& outputs, const Message& body) {
  return node("Loop", inputs, outputs).nested(5, attribute("body", body)).text(3, "steps");
}
Message choice(const std::string& condition, const Message& yes, const Message& no, const std::string& output = "y") {
  return node("If", {condition}, output)
      .nested(5, attribute("then_branch", yes))
      .nested(5, attribute("else_branch", no));
}
// A body of Loop whose carried value is v.
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

// The condition of an iteration reads a weight and the number n of the iteration. The elements of n, which are computed on the way, do
// not come from the weight, so they are a trip count.
TEST(ControlFlowIterations, ElementsBesideThoseOfAWeightAreConstants) {
  const std::vector<Message> nodes = {
      node("Add", {"one", "one"}, "two"),
      cast("two", "f", kFloat),
      sum("w", "s"),
      node("Less", {"f", "s"}, "c"),
      choice("c", graph({node("Neg", {"x"}, "h")}, {}, {value("h")}), graph({}, {}, {value("x")})),
      loop({"two", "", "x"}, {"z"}, doubling())};
  EXPECT_EQ(error_of_model(model(nodes, {number("one", 1), floats("w", {1, 2})}, value("x", {2}))), "no error");
}

// for (t = 0; t < 400; t += 1) has 400 iterations, and the elements of t are computed from those of the iteration before.
TEST(ControlFlowIterations, FloatsMayCountIterations) {
  const Message body =
      graph({node("Add", {"t", "one"}, "u"), node("Less", {"u", "end"}, "on"), node("Add", {"v", "step"}, "next")},
            {value("i"), value("go"), value("t"), value("v")}, {value("on"), value("u"), value("next")});
  const Message m =
      model({loop({"", "c", "zero", "x"}, {"", "y"}, body)},
            {truth("c", true), real("zero", 0), real("one", 1), real("end", 400), real("step", 1)}, value("x", {2}));
  EXPECT_THAT(run(m, {1, 2}), ElementsAre(401, 402));
}

}  // namespace
}  // namespace cutset::onnx

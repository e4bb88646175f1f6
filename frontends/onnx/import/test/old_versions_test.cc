// SPDX-License-Identifier: Apache-2.0
// Tests nodes of versions 1 to 6 of the operator set, whose attributes newer versions do not have, and
// attributes that no converter reads. The expected values follow from the texts of the old versions.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Floats = std::vector<float>;
using Ints = std::vector<int64_t>;

struct Case {
  const char* what;
  uint64_t version;
  Message node;  // its operands are x and the initializers
  std::vector<Message> initializers;
  HostTensor x;
  Floats expected;
};

Message model_of(const Case& c) {
  return model(graph({c.node}, {value("x", c.x.shape())}, {value("y")}, c.initializers), c.version);
}
Floats results_of(const Case& c) {
  const Model made = import_model(bytes_of(model_of(c)));
  const HostTensor y = compile(made.graph, {.devices = "reference:0"}).run("evaluate", {{"x", c.x}})["y"];
  Floats elements;
  for (int64_t i = 0; i < y.elements(); ++i) elements.push_back(static_cast<float>(y.at(i)));
  return elements;
}
std::string error_of(const Case& c) {
  return testing::error_of([&] { import_model(bytes_of(model_of(c))); });
}

Message with(Message node, const std::vector<Message>& attributes) {
  for (const Message& a : attributes) node.nested(5, a);
  return node;
}
Message of_x(const char* op, const std::vector<Message>& attributes,
             const std::vector<std::string>& others = {}) {
  std::vector<std::string> operands = {"x"};
  operands.insert(operands.end(), others.begin(), others.end());
  return with(node(op, operands, "y"), attributes);
}
Message one(const char* name, int64_t number) { return attribute(name, number); }

const Message kBroadcast = attribute("broadcast", int64_t{1}), kAxis1 = attribute("axis", int64_t{1});
HostTensor zeros(Shape shape) { return HostTensor({f32, std::move(shape)}); }

// The second operand is aligned at an axis, or at the end. Its sizes also fit the last dimension.
TEST(OnnxOldVersions, BroadcastAlongAnAxis) {
  const std::vector<Message> b = {floats("b", {10, 20})};
  const HostTensor x = zeros({1, 2, 2, 2});
  const Floats along_channels = {10, 10, 10, 10, 20, 20, 20, 20};
  const Case cases[] = {
      {"Add", 6, of_x("Add", {kBroadcast, kAxis1}, {"b"}), b, x, along_channels},
      {"Add, a negative axis", 6, of_x("Add", {kBroadcast, one("axis", -3)}, {"b"}), b, x, along_channels},
      {"Add, the last axis", 6, of_x("Add", {kBroadcast}, {"b"}), b, x, {10, 20, 10, 20, 10, 20, 10, 20}},
      {"Sub, version 1",
       1,
       of_x("Sub", {kBroadcast, kAxis1, attribute("consumed_inputs", Ints{0, 0})}, {"b"}),
       b,
       x,
       {-10, -10, -10, -10, -20, -20, -20, -20}},
      {"Add, two axes",
       6,
       of_x("Add", {kBroadcast, kAxis1}, {"b"}),
       {tensor("b", kFloat, {2, 2}, raw<float>({1, 2, 3, 4}))},
       zeros({1, 2, 2, 2}),
       {1, 1, 2, 2, 3, 3, 4, 4}},
      {"Add, one element",
       6,
       of_x("Add", {kBroadcast}, {"b"}),
       {tensor("b", kFloat, {1, 1}, raw<float>({7}))},
       zeros({2}),
       {7, 7}},
      {"Mul",
       6,
       of_x("Mul", {kBroadcast, kAxis1}, {"b"}),
       b,
       HostTensor({1, 2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}),
       {10, 20, 60, 80}},
      {"Div",
       6,
       of_x("Div", {kBroadcast, kAxis1}, {"b"}),
       b,
       HostTensor({1, 2, 2}, {10.0f, 20.0f, 20.0f, 40.0f}),
       {1, 2, 1, 2}},
      {"Pow",
       6,
       of_x("Pow", {kBroadcast, kAxis1}, {"b"}),
       {floats("b", {2, 3})},
       HostTensor({1, 2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}),
       {1, 4, 27, 64}},
      {"Greater",
       6,
       of_x("Greater", {kBroadcast, kAxis1}, {"b"}),
       b,
       HostTensor({1, 2, 2}, {15.0f, 5.0f, 15.0f, 25.0f}),
       {1, 0, 0, 1}},
      {"Less",
       1,
       of_x("Less", {kBroadcast, kAxis1}, {"b"}),
       b,
       HostTensor({1, 2, 2}, {15.0f, 5.0f, 15.0f, 25.0f}),
       {0, 1, 1, 0}},
      {"Equal",
       6,
       of_x("Equal", {kBroadcast, kAxis1}, {"b"}),
       b,
       HostTensor({1, 2, 2}, {10.0f, 20.0f, 10.0f, 20.0f}),
       {1, 0, 0, 1}},
  };
  for (const Case& c : cases) EXPECT_EQ(results_of(c), c.expected) << c.what;
  EXPECT_THAT(error_of({"", 6, of_x("Add", {}, {"b"}), b, zeros({1, 2, 2}), {}}),
              HasSubstr("they need the attribute broadcast = 1"));
  EXPECT_THAT(error_of({"", 6, of_x("Add", {kBroadcast, one("axis", 2)}, {"b"}), b, zeros({1, 2, 3}), {}}),
              HasSubstr("does not fit the dimensions of the first one from axis 2 on"));
  EXPECT_THAT(error_of({"", 6, of_x("Add", {kBroadcast, one("axis", 3)}, {"b"}), b, zeros({1, 2, 2}), {}}),
              HasSubstr("from axis 3 on"));
}

TEST(OnnxOldVersions, ReadTheirOwnAttributes) {
  const HostTensor image({1, 2, 2, 2}, {-1.0f, -2.0f, -3.0f, -4.0f, -1.0f, -2.0f, -3.0f, -4.0f}),
      four({4}, {1.0f, 2.0f, 3.0f, 4.0f}), square({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f});
  const std::vector<Message> slopes = {floats("b", {10, 100})},
                             statistics = {floats("one", {1}), floats("zero", {0}), floats("five", {5}),
                                           floats("spread", {1})};
  const auto batch_norm = [&](std::vector<Message> attributes) {
    attributes.push_back(attribute("epsilon", 0.0f));
    return of_x("BatchNormalization", attributes, {"one", "zero", "five", "spread"});
  };
  const HostTensor column({2, 1}, {1.0f, 3.0f});
  constexpr float kMost = std::numeric_limits<float>::max(), kInfinity = HUGE_VALF;
  const Case cases[] = {
      {"PRelu, a slope per channel",
       6,
       of_x("PRelu", {}, {"b"}),
       slopes,
       image,
       {-10, -20, -30, -40, -100, -200, -300, -400}},
      {"PRelu, the last axis",
       9,
       of_x("PRelu", {}, {"b"}),
       slopes,
       image,
       {-10, -200, -30, -400, -10, -200, -30, -400}},
      {"BatchNormalization, the batch", 6, batch_norm({}), statistics, column, {-1, 1}},
      {"BatchNormalization, running statistics",
       6,
       batch_norm({one("is_test", 1)}),
       statistics,
       column,
       {-4, -2}},
      {"BatchNormalization of each element",
       7,
       with(node("BatchNormalization", {"x", "s", "z", "m", "v"}, "y"),
            {one("spatial", 0), attribute("epsilon", 0.0f)}),
       {tensor("s", kFloat, {1, 2}, raw<float>({2, 1})), tensor("z", kFloat, {1, 2}, raw<float>({0, 10})),
        tensor("m", kFloat, {1, 2}, raw<float>({1, 0})), tensor("v", kFloat, {1, 2}, raw<float>({1, 4}))},
       HostTensor({2, 1, 2}, {1.0f, 2.0f, 3.0f, 4.0f}),
       {0, 11, 4, 12}},
      {"Dropout", 6, of_x("Dropout", {one("is_test", 1)}), {}, four, {1, 2, 3, 4}},
      {"Dropout of nothing", 1, of_x("Dropout", {attribute("ratio", 0.0f)}), {}, four, {1, 2, 3, 4}},
      {"Dropout, inference", 7, of_x("Dropout", {attribute("ratio", 0.5f)}), {}, four, {1, 2, 3, 4}},
      {"Pad",
       1,
       of_x("Pad", {attribute("paddings", Ints{1, 2}), attribute("value", 9.0f)}),
       {},
       four,
       {9, 1, 2, 3, 4, 9, 9}},
      {"Pad",
       2,
       of_x("Pad", {attribute("pads", Ints{0, 1}), attribute("mode", "edge")}),
       {},
       four,
       {1, 2, 3, 4, 4}},
      {"Cast", 1, of_x("Cast", {attribute("to", "INT32")}), {}, HostTensor({2}, {1.5f, -1.5f}), {1, -1}},
      {"Upsample",
       1,
       of_x("Upsample", {attribute("height_scale", 1.0f), attribute("width_scale", 2.0f)}),
       {},
       HostTensor({1, 1, 2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}),
       {1, 1, 2, 2, 3, 3, 4, 4}},
      {"Upsample, bilinear",
       1,
       of_x("Upsample",
            {attribute("height_scale", 1.0f), attribute("width_scale", 2.0f), attribute("mode", "bilinear")}),
       {},
       HostTensor({1, 1, 1, 2}, {1.0f, 3.0f}),
       {1, 2, 3, 3}},
      {"Reshape", 1, of_x("Reshape", {attribute("shape", Ints{4, -1})}), {}, square, {1, 2, 3, 4}},
      {"Tile",
       1,
       of_x("Tile", {}, {"tiles", "axis"}),
       {number("tiles", 2), number("axis", 1)},
       square,
       {1, 2, 1, 2, 3, 4, 3, 4}},
      {"Concat", 1, of_x("Concat", {}, {"x"}), {}, square, {1, 2, 1, 2, 3, 4, 3, 4}},
      {"Slice",
       1,
       of_x("Slice", {attribute("starts", Ints{-2}), attribute("ends", Ints{100})}),
       {},
       four,
       {3, 4}},
      {"Clip",
       6,
       of_x("Clip", {attribute("min", -1.0f)}),
       {},
       HostTensor({2}, {-kInfinity, kInfinity}),
       {-1, kMost}},
      {"Clip, no bounds", 1, of_x("Clip", {}), {}, HostTensor({2}, {-kInfinity, 3.0f}), {-kInfinity, 3}},
      {"LpPool",
       1,
       of_x("LpPool", {attribute("kernel_shape", Ints{2}), attribute("p", 1.0f)}),
       {},
       HostTensor({1, 1, 2}, {-3.0f, 4.0f}),
       {7}},
      {"GlobalLpPool",
       1,
       of_x("GlobalLpPool", {attribute("p", 2.0f)}),
       {},
       HostTensor({1, 1, 2}, {-3.0f, 4.0f}),
       {5}},
      {"Gemm", 6, of_x("Gemm", {kBroadcast}, {"x", "b"}), {floats("b", {10, 20})}, square, {17, 30, 25, 42}},
      {"TopK", 1, of_x("TopK", {one("k", 1)}), {}, four, {4}},
      {"Selu",
       1,
       of_x("Selu", {attribute("consumed_inputs", Ints{0})}),
       {},
       HostTensor({1}, {1.0f}),
       {1.05069994926452636719f}},
      {"Softmax of all behind the axis",
       1,
       of_x("Softmax", {one("axis", 1)}),
       {},
       zeros({1, 2, 2}),
       {0.25f, 0.25f, 0.25f, 0.25f}},
      {"Squeeze", 1, of_x("Squeeze", {attribute("axes", Ints{0})}), {}, zeros({1, 1}), {0}},
  };
  for (const Case& c : cases) EXPECT_EQ(results_of(c), c.expected) << c.what << ", version " << c.version;
}

// The default bounds of Clip are numbers that f16 does not have.
TEST(OnnxOldVersions, LimitElementsOfSixteenBits) {
  constexpr int kHalf = 10;
  const Message clip = with(node("Clip", {"h"}, "z"), {attribute("min", 0.0f)});
  const Model made = import_model(bytes_of(model(
      graph({cast("x", "h", kHalf), clip, cast("z", "y", kFloat)}, {value("x", {2})}, {value("y")}), 6)));
  const HostTensor y = compile(made.graph, {.devices = "reference:0"})
                           .run("evaluate", {{"x", HostTensor({2}, {-1.0f, 3.0f})}})["y"];
  EXPECT_EQ(y.at(0), 0);
  EXPECT_EQ(y.at(1), 3);
}

TEST(OnnxOldVersions, RefuseWhatTheyCannotExpress) {
  const HostTensor x = zeros({2, 3});
  const std::vector<Message> c = {floats("c", {1, 2, 3})};
  EXPECT_THAT(error_of({"", 6, of_x("Dropout", {}), {}, x, {}}), HasSubstr("set is_test (before version 7)"));
  EXPECT_THAT(error_of({"", 5, of_x("Cast", {attribute("to", "NUMBER")}), {}, x, {}}),
              HasSubstr("the element type 'NUMBER' is not one of ONNX"));
  EXPECT_THAT(error_of({"", 1, of_x("Upsample", {}), {}, x, {}}), HasSubstr("'height_scale' is missing"));
  EXPECT_THAT(error_of({"", 1, of_x("Split", {}), {}, x, {}}), HasSubstr("'axis' is missing"));
  EXPECT_THAT(error_of({"", 4, of_x("Concat", {}), {}, x, {}}), HasSubstr("'axis' is missing"));
  EXPECT_THAT(error_of({"", 6, of_x("Gemm", {one("transB", 1)}, {"x", "c"}), c, x, {}}),
              HasSubstr("they need the attribute broadcast = 1"));
  EXPECT_THAT(error_of({"",
                        13,
                        with(node("Split", {"x"}, std::vector<std::string>{"y", "z"}), {one("axis", 1)}),
                        {},
                        x,
                        {}}),
              HasSubstr("no 2 equal parts"));
}

// One attribute belongs to another version, and one to no version. The error contains the name of the node,
// the op and the version.
TEST(OnnxAttributes, WithoutAReaderAreRefused) {
  const auto refused = [](uint64_t version, const Message& n) {
    return error_of({"", version, Message(n).text(3, "layer1"), {floats("b", {1, 2})}, zeros({2, 2}), {}});
  };
  EXPECT_THAT(refused(9, of_x("Add", {kBroadcast, kAxis1}, {"b"})),
              AllOf(HasSubstr("Add: the attribute 'broadcast' is not one that this op has in version 9"),
                    HasSubstr("node 1 'layer1'"), HasSubstr("onnx.version_converter")));
  EXPECT_THAT(refused(13, of_x("Relu", {attribute("slope", 0.1f)})),
              HasSubstr("Relu: the attribute 'slope'"));
  EXPECT_THAT(refused(6, of_x("Relu", {attribute("consumed_inputs", Ints{1})})),
              HasSubstr("the attribute 'consumed_inputs'"));
  EXPECT_THAT(refused(13, of_x("Identity", {attribute("\x1b[2J", "")})), HasSubstr("the attribute '?[2J'"));
  EXPECT_EQ(refused(5, of_x("Relu", {attribute("consumed_inputs", Ints{1})})), "no error");
}

// The list of nodes names the domain, because ONNX has an op of the same name, and says what to do.
TEST(OnnxDomains, AreNamedWhereAnOpHasNoConverter) {
  const auto refused = [](const char* op, const char* domain) {
    return error_of({"", 17, node(op, {"x"}, "y").text(7, domain), {}, zeros({2, 2}), {}});
  };
  EXPECT_THAT(refused("Softmax", "com.microsoft"),
              AllOf(HasSubstr("com.microsoft.Softmax: there is no converter"),
                    HasSubstr("before ONNX Runtime optimizes it")));
  EXPECT_THAT(refused("Scaler", "ai.onnx.ml"), HasSubstr("ai.onnx.ml.Scaler: there is no converter"));
  EXPECT_THAT(refused("Relu", "mine"),
              AllOf(HasSubstr("mine.Relu: there is no converter for this op of the domain 'mine'"),
                    HasSubstr("define it as a function")));
  EXPECT_THAT(refused("NonMaxSuppression", ""), HasSubstr("the shape of its result depends on elements"));
  EXPECT_EQ(refused("Relu", "ai.onnx"), "no error");
}

}  // namespace
}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Tests converters with operands and attributes that the node tests of ONNX do not have.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kHalf = 10, kDouble = 11, kBrain = 16;

HostTensor run(const std::vector<Message>& nodes, const std::vector<Message>& initializers,
               const HostTensor& x) {
  const Model made = import_model(bytes_of(model(nodes, initializers, value("x", x.shape()))));
  return compile(made.graph, {.devices = "reference:0"}).run("evaluate", {{"x", x}})["y"];
}

// Returns the integers from `start` to before `limit` that a node Range makes.
std::vector<int64_t> range(int64_t start, int64_t limit, int64_t step) {
  const std::vector<Message> operands = {number("start", start), number("limit", limit),
                                         number("step", step)};
  const HostTensor y =
      run({node("Range", {"start", "limit", "step"}, "y")}, operands, HostTensor({1}, {0.0f}));
  return {y.as<int64_t>().begin(), y.as<int64_t>().end()};
}

// A double has a significand of 53 bits, in which neither these operands nor their differences are distinct.
TEST(OnnxConverters, CountIntegersOfARangeExactly) {
  constexpr int64_t kLarge = int64_t{1} << 60;
  EXPECT_THAT(range(kLarge + 1, kLarge + 4, 1), ElementsAre(kLarge + 1, kLarge + 2, kLarge + 3));
  EXPECT_THAT(range(kLarge + 5, kLarge, -2), ElementsAre(kLarge + 5, kLarge + 3, kLarge + 1));
  EXPECT_THAT(range((int64_t{1} << 53) + 1, (int64_t{1} << 53) + 3, 1),
              ElementsAre((int64_t{1} << 53) + 1, (int64_t{1} << 53) + 2));
  EXPECT_EQ(range(-5, kLarge, (kLarge >> 2) + 1).size(), 5u);
  EXPECT_THAT(range(INT64_MIN, INT64_MAX, INT64_MAX), ElementsAre(INT64_MIN, -1, INT64_MAX - 1));
  EXPECT_THAT(range(0, 5, 2), ElementsAre(0, 2, 4));
  EXPECT_THAT(range(0, -4, -2), ElementsAre(0, -2));
  EXPECT_THAT(range(0, 4, -1), ElementsAre());
  EXPECT_THAT(range(0, 1, -2), ElementsAre());
  EXPECT_THAT(range(3, 3, 1), ElementsAre());
  EXPECT_THAT(testing::error_of([] { range(0, 4, 0); }),
              HasSubstr("the step is 0, or there are more than 2^24"));
  EXPECT_THAT(testing::error_of([] { range(INT64_MIN, INT64_MAX, 1); }),
              HasSubstr("more than 2^24 elements"));
}

// Slice limits the start of a slice that goes backwards to the existing elements.
TEST(OnnxConverters, BeginBackwardSlicesAtTheFirstElement) {
  const auto of = [](int64_t start, int64_t end) {
    const auto one = [](const char* name, int64_t i) { return tensor(name, kInt64, {1}, raw<int64_t>({i})); };
    const HostTensor y = run({node("Slice", {"x", "start", "end", "axis", "step"}, "y")},
                             {one("start", start), one("end", end), one("axis", 0), one("step", -1)},
                             HostTensor({3}, {1.0f, 2.0f, 3.0f}));
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(of(-5, INT64_MIN), ElementsAre(1));
  EXPECT_THAT(of(INT64_MIN, INT64_MIN), ElementsAre(1));
  EXPECT_THAT(of(-3, INT64_MIN), ElementsAre(1));
  EXPECT_THAT(of(-5, 0), ElementsAre());
  EXPECT_THAT(of(INT64_MAX, -3), ElementsAre(3, 2));
}

// The mean has the type stash_type. A sum of f16 keeps its digits in this type.
TEST(OnnxConverters, ReturnTheStatisticsOfLayersInTheirOwnType) {
  const auto of = [](const char* result, int type, const std::vector<Message>& attributes) {
    Message normalization = node("LayerNormalization", {"h", "s"}, {"z", "mean", "deviation"});
    for (const Message& a : attributes) normalization.nested(5, a);
    return run({cast("x", "h", type), cast("one", "s", type), normalization, node("Identity", {result}, "y")},
               {floats("one", {1, 1, 1, 1})}, HostTensor({1, 4}, {2000.0f, 2001.0f, 2002.0f, 2004.0f}));
  };
  EXPECT_EQ(of("mean", kHalf, {}).dtype(), f32);
  EXPECT_EQ(of("mean", kHalf, {}).at(0), 2001.75);
  EXPECT_NEAR(of("deviation", kHalf, {}).at(0), 1 / std::sqrt(2.1875 + 1e-5), 1e-6);
  EXPECT_EQ(of("z", kHalf, {}).dtype(), f16);
  EXPECT_EQ(of("mean", kDouble, {}).dtype(), f32);
  EXPECT_EQ(of("mean", kDouble, {attribute("stash_type", int64_t{kDouble})}).dtype(), f64);
}

// The square of 300 is not an f16, and the square of 1e30 is not an f32. GroupNormalization of the version of
// these models has one scale per group.
TEST(OnnxConverters, ComputeNormalizationsInTheirStashType) {
  const auto of = [](const std::string& op, int type, int64_t stash, float size) {
    const bool groups = op == "GroupNormalization";
    Message normalization =
        groups
            ? node("GroupNormalization", {"h", "s", "b"}, "z").nested(5, attribute("num_groups", int64_t{2}))
            : node(op.c_str(), {"h", "s"}, "z");
    const std::vector<Message> nodes = {cast("x", "h", type), cast("one", "s", type), cast("zero", "b", type),
                                        normalization.nested(5, attribute("stash_type", stash)),
                                        cast("z", "y", kFloat)};
    const std::vector<float> ones(groups ? 2 : 4, 1), zeros(ones.size());
    const Shape shape = {static_cast<int64_t>(ones.size())};
    const HostTensor y =
        run(nodes, {tensor("one", kFloat, shape, raw(ones)), tensor("zero", kFloat, shape, raw(zeros))},
            HostTensor({1, 4}, {size, -size, size, -size}));
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  for (const char* op : {"RMSNormalization", "GroupNormalization", "LayerNormalization"}) {
    SCOPED_TRACE(op);
    for (const int type : {kHalf, kBrain})
      for (const int stash : {kFloat, kHalf, kDouble})
        EXPECT_THAT(of(op, type, stash, 300), ElementsAre(1, -1, 1, -1));
    EXPECT_THAT(of(op, kFloat, kDouble, 1e30f), ElementsAre(1, -1, 1, -1));
  }
}

// The scale of a layer may have one row, be a scalar, or have one row per row of x. layer_norm itself takes
// only the first kind.
TEST(OnnxConverters, BroadcastTheScaleOfLayers) {
  const auto of = [](const Shape& shape, const std::vector<float>& scale, const std::vector<Message>& bias) {
    std::vector<Message> initializers = {tensor("s", kFloat, shape, raw(scale))};
    std::vector<std::string> operands = {"x", "s"};
    if (!bias.empty()) {
      initializers.push_back(bias[0]);
      operands.emplace_back("b");
    }
    const HostTensor y =
        run({node("LayerNormalization", operands, "y").nested(5, attribute("epsilon", 0.0f))}, initializers,
            HostTensor({2, 2}, {1.0f, 3.0f, 3.0f, 1.0f}));
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(of({2}, {1, 2}, {}), ElementsAre(-1, 2, 1, -2));
  EXPECT_THAT(of({}, {3}, {}), ElementsAre(-3, 3, 3, -3));
  EXPECT_THAT(of({1}, {3}, {floats("b", {10, 20})}), ElementsAre(7, 23, 13, 17));
  EXPECT_THAT(of({2, 1}, {1, 2}, {}), ElementsAre(-1, 1, 2, -2));
  EXPECT_THAT(of({2}, {1, 2}, {tensor("b", kFloat, {2, 1}, raw<float>({10, 20}))}),
              ElementsAre(9, 12, 21, 18));
  EXPECT_THAT(testing::error_of([&] { of({2, 1, 1}, {1, 2}, {}); }), HasSubstr("does not broadcast"));
}

// The positions are (i + 0.5) / scale: 0.33, 1, 1.67, 2.33, 3, 3.67 for a scale of 1.5, and 1 and 3 for 0.5.
TEST(OnnxConverters, ResizeAsAnOldVersionOfTensorFlow) {
  Message resize = node("Resize", {"x", "", "scales"}, "y");
  resize.nested(5, attribute("coordinate_transformation_mode", "tf_half_pixel_for_nn"));
  resize.nested(5, attribute("nearest_mode", "floor"));
  const HostTensor y = run({resize}, {floats("scales", {1.5f, 0.5f})},
                           HostTensor({4, 4}, {0.0f, 1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f,
                                               10.0f, 11.0f, 12.0f, 13.0f, 14.0f, 15.0f}));
  EXPECT_EQ(y.shape(), (Shape{6, 2}));
  EXPECT_THAT(y.as<float>(), ElementsAre(1, 3, 5, 7, 5, 7, 9, 11, 13, 15, 13, 15));
}

// The rows of x repeat in both directions without an end.
TEST(OnnxConverters, WrapMoreRowsThanThereAre) {
  const auto of = [](const std::vector<int64_t>& pads) {
    const HostTensor y = run({node("Pad", {"x", "pads"}, "y").nested(5, attribute("mode", "wrap"))},
                             {tensor("pads", kInt64, {2}, raw(pads))}, HostTensor({3}, {1.0f, 2.0f, 3.0f}));
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(of({4, 3}), ElementsAre(3, 1, 2, 3, 1, 2, 3, 1, 2, 3));
  EXPECT_THAT(of({0, 7}), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2, 3, 1));
  EXPECT_THAT(testing::error_of([&] { of({int64_t{1} << 39, 0}); }), HasSubstr("more than 1024 times"));
}

// A byte has two integers of four bits, the first integer in its lower half: 1 -2 7 and 1 14 7.
TEST(OnnxConverters, DequantizeIntegersOfFourBits) {
  constexpr int kUint4 = 21, kInt4 = 22;
  const auto weights = [](int type, const char* zero_point) {
    return std::vector<Message>{tensor("w", type, {3}, "\xe1\x07"),
                                tensor("s", kFloat, {}, raw<float>({0.5f})),
                                tensor("z", type, {}, zero_point)};
  };
  const std::vector<Message> nodes = {node("DequantizeLinear", {"w", "s", "z"}, "d"),
                                      node("Add", {"x", "d"}, "y")};
  const HostTensor x({3}, {0.0f, 0.0f, 0.0f});
  const auto of = [&](int type, const char* zero_point) {
    const HostTensor y = run(nodes, weights(type, zero_point), x);
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(of(kInt4, "\x0f"), ElementsAre(1, -0.5, 4));  // the zero point is -1
  EXPECT_THAT(of(kUint4, "\x02"), ElementsAre(-0.5, 6, 2.5));
  // Other ops do not take integers of four bits. QuantizeLinear would have to limit numbers to their range.
  const auto refused = [&](const std::vector<Message>& others) {
    return testing::error_of([&] { run(others, weights(kInt4, "\x0f"), x); });
  };
  EXPECT_THAT(refused({nodes[0], node("Identity", {"w"}, "i"), nodes[1]}),
              HasSubstr("the element type INT4"));
  EXPECT_THAT(refused({node("QuantizeLinear", {"x", "s", "z"}, "y")}), HasSubstr("the element type INT4"));
  std::vector<Message> few = weights(kInt4, "\x0f");
  few[0] = tensor("w", kInt4, {5}, "\xe1\x07");
  EXPECT_THAT(testing::error_of([&] { run(nodes, few, x); }),
              HasSubstr("needs 3 bytes, but the message holds fewer"));
}

// The shape of x[mask] follows from the known elements of the mask, even if nodes compute these elements.
TEST(OnnxConverters, FindElementsThatAreKnown) {
  const HostTensor x({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f});
  const std::vector<Message> mask = {tensor("mask", kInt64, {2, 2}, raw<int64_t>({1, 0, 0, -1})),
                                     number("scalar", 5)};
  const std::vector<Message> gather = {node("Transpose", {"found"}, "at"),
                                       node("GatherND", {"x", "at"}, "y")};
  const auto selected = [&](std::vector<Message> nodes) {
    nodes.insert(nodes.end(), gather.begin(), gather.end());
    const HostTensor y = run(nodes, mask, x);
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(selected({node("NonZero", {"mask"}, "found")}), ElementsAre(1, 4));
  EXPECT_THAT(selected({cast("mask", "b", kBool), node("Not", {"b"}, "c"), node("NonZero", {"c"}, "found")}),
              ElementsAre(2, 3));
  const HostTensor shape =
      run({node("NonZero", {"scalar"}, "found"), node("Shape", {"found"}, "y")}, mask, x);
  EXPECT_EQ(shape.at(0), 0);
  EXPECT_EQ(shape.at(1), 1);
  EXPECT_THAT(testing::error_of([&] { run({node("NonZero", {"x"}, "y")}, {}, x); }),
              HasSubstr("computed when the program runs; make them an initializer"));
}

}  // namespace
}  // namespace cutset::onnx

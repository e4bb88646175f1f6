// Tests converters with operands and attributes that the node tests of ONNX do not have.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "frontends/onnx/import/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kHalf = 10, kDouble = 11;

HostTensor run(const std::vector<Message>& nodes, const std::vector<Message>& initializers, const HostTensor& x) {
  const Model made = import_model(bytes_of(model(nodes, initializers, value("x", x.shape()))));
  return compile(made.graph, {.devices = "reference:0"}).run("evaluate", {{"x", x}})["y"];
}

// The integers between `start` and `limit`, or what the import says about them.
std::vector<int64_t> range(int64_t start, int64_t limit, int64_t step) {
  const std::vector<Message> operands = {number("start", start), number("limit", limit), number("step", step)};
  const HostTensor y = run({node("Range", {"start", "limit", "step"}, "y")}, operands, HostTensor({1}, {0.0f}));
  return {y.as<int64_t>().begin(), y.as<int64_t>().end()};
}

// Double has 53 bits, so it tells neither these operands nor their differences apart.
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
  EXPECT_THAT(testing::error_of([] { range(0, 4, 0); }), HasSubstr("the step is 0, or there are more than 2^24"));
  EXPECT_THAT(testing::error_of([] { range(INT64_MIN, INT64_MAX, 1); }), HasSubstr("more than 2^24 elements"));
}

// "Slice" limits the start of a slice that goes backwards to the elements there are.
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

// The mean has the type stash_type, in which a sum of f16 keeps its digits.
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

// A scale of one row, a scalar, and a scale per row of x; layer_norm itself takes the first one only.
TEST(OnnxConverters, BroadcastTheScaleOfLayers) {
  const auto of = [](const Shape& shape, const std::vector<float>& scale, const std::vector<Message>& bias) {
    std::vector<Message> initializers = {tensor("s", kFloat, shape, raw(scale))};
    std::vector<std::string> operands = {"x", "s"};
    if (!bias.empty()) initializers.push_back(bias[0]), operands.emplace_back("b");
    const HostTensor y = run({node("LayerNormalization", operands, "y").nested(5, attribute("epsilon", 0.0f))},
                             initializers, HostTensor({2, 2}, {1.0f, 3.0f, 3.0f, 1.0f}));
    return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
  };
  EXPECT_THAT(of({2}, {1, 2}, {}), ElementsAre(-1, 2, 1, -2));
  EXPECT_THAT(of({}, {3}, {}), ElementsAre(-3, 3, 3, -3));
  EXPECT_THAT(of({1}, {3}, {floats("b", {10, 20})}), ElementsAre(7, 23, 13, 17));
  EXPECT_THAT(of({2, 1}, {1, 2}, {}), ElementsAre(-1, 1, 2, -2));
  EXPECT_THAT(of({2}, {1, 2}, {tensor("b", kFloat, {2, 1}, raw<float>({10, 20}))}), ElementsAre(9, 12, 21, 18));
  EXPECT_THAT(testing::error_of([&] { of({2, 1, 1}, {1, 2}, {}); }), HasSubstr("does not broadcast"));
}

}  // namespace
}  // namespace cutset::onnx

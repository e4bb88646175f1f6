// SPDX-License-Identifier: Apache-2.0
// Tests known values of elementwise ops on every backend: operations of integers that are undefined in C++,
// and ties and signs of floating-point numbers. The conformance cases compare backends with the reference
// kernel, which evaluates the same expressions, so they cannot show that an expression is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using ::testing::ElementsAreArray;

class ElementwiseValues : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the elements of the op's result for one or two operands.
  template <class T>
  std::vector<T> run(const char* op, DType type, const std::vector<std::vector<T>>& operands) {
    Case c{op, {}, {}};
    std::vector<HostTensor> in;
    for (const std::vector<T>& values : operands) {
      c.operands.push_back({{type, {static_cast<int64_t>(values.size())}}});
      in.emplace_back(c.operands.back().type);
      std::copy(values.begin(), values.end(), in.back().as<T>().begin());
    }
    const auto device = open_device(GetParam());
    std::string kernel;
    const auto got = run_on(*device, *find_op(op), c, in, &kernel);
    EXPECT_TRUE(got.ok()) << got.error().text();
    if (!got.ok()) return {};
    const auto result = (*got)[0].as<T>();
    return std::vector<T>(result.begin(), result.end());
  }
};
INSTANTIATE_TEST_SUITE_P(All, ElementwiseValues, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

template <class T>
constexpr T kLowest = std::numeric_limits<T>::lowest();
template <class T>
constexpr T kLargest = std::numeric_limits<T>::max();

template <class T>
using Lists = std::vector<std::vector<T>>;

TEST_P(ElementwiseValues, Squares) {
  const Lists<float> f = {{1.5, -3, 0, -std::numeric_limits<float>::infinity()}};
  EXPECT_THAT(run("square", f32, f),
              ElementsAreArray<float>({2.25, 9, 0, std::numeric_limits<float>::infinity()}));
  const Lists<int32_t> i = {{3, -4, 65536, 46341}};
  EXPECT_THAT(run("square", i32, i), ElementsAreArray<int32_t>({9, 16, 0, -2147479015}));
  const Lists<uint8_t> b = {{5, 15, 16, 17, 255}};
  EXPECT_THAT(run("square", u8, b), ElementsAreArray<uint8_t>({25, 225, 0, 33, 1}));
}

TEST_P(ElementwiseValues, QuotientsOfIntegers) {
  const Lists<int32_t> i = {{7, -7, 7, -7, 5, kLowest<int32_t>, 0}, {2, 2, -2, -2, 0, -1, 3}};
  EXPECT_THAT(run("div", i32, i), ElementsAreArray({3, -3, -3, 3, 0, kLowest<int32_t>, 0}));
  EXPECT_THAT(run("mod", i32, i), ElementsAreArray({1, 1, -1, -1, 0, 0, 0}));
  EXPECT_THAT(run("fmod", i32, i), ElementsAreArray({1, -1, 1, -1, 0, 0, 0}));
  const Lists<int16_t> s = {{7, -7, kLowest<int16_t>}, {-2, 2, -1}};
  EXPECT_THAT(run("div", i16, s), ElementsAreArray<int16_t>({-3, -3, kLowest<int16_t>}));
  EXPECT_THAT(run("mod", i16, s), ElementsAreArray<int16_t>({-1, 1, 0}));
  const Lists<int64_t> l = {{kLowest<int64_t>, kLowest<int64_t>, -9}, {-1, 10, 0}};
  EXPECT_THAT(run("div", i64, l), ElementsAreArray<int64_t>({kLowest<int64_t>, -922337203685477580, 0}));
  EXPECT_THAT(run("mod", i64, l), ElementsAreArray<int64_t>({0, 2, 0}));
  const Lists<uint32_t> u = {{kLargest<uint32_t>, 5, 9}, {kLargest<uint32_t>, kLargest<uint32_t>, 0}};
  EXPECT_THAT(run("div", u32, u), ElementsAreArray<uint32_t>({1, 0, 0}));
  EXPECT_THAT(run("mod", u32, u), ElementsAreArray<uint32_t>({0, 5, 0}));
}

TEST_P(ElementwiseValues, PowersOfIntegers) {
  EXPECT_THAT(
      run<int32_t>("pow", i32, {{2, -3, 0, 0, 1, -1, -1, 2, 2, 3}, {10, 3, 0, -1, -5, -5, -4, -1, 32, 21}}),
      ElementsAreArray({1024, -27, 1, 0, 1, -1, 1, 0, 0, 1870418611}));
  EXPECT_THAT(run<uint16_t>("pow", u16, {{65535, 256}, {3, 2}}), ElementsAreArray<uint16_t>({65535, 0}));
  EXPECT_THAT(run<uint64_t>("pow", u64, {{3, 2}, {40, 63}}),
              ElementsAreArray<uint64_t>({12157665459056928801ull, 1ull << 63}));
}

TEST_P(ElementwiseValues, ShiftsOfBits) {
  EXPECT_THAT(run<int32_t>("shift_left", i32, {{1, -1, 3, 1, 1}, {4, 31, 31, 32, -1}}),
              ElementsAreArray({16, kLowest<int32_t>, kLowest<int32_t>, 0, 0}));
  EXPECT_THAT(run<int32_t>("shift_right", i32, {{16, -16, -1, 5, 5, -5}, {2, 2, 31, 32, -1, 99}}),
              ElementsAreArray({4, -4, -1, 0, 0, -1}));
  EXPECT_THAT(run<uint64_t>("shift_right", u64, {{kLargest<uint64_t>, kLargest<uint64_t>, 8}, {63, 64, 1}}),
              ElementsAreArray<uint64_t>({1, 0, 4}));
  EXPECT_THAT(run<uint8_t>("shift_left", u8, {{255, 255, 1}, {7, 8, 9}}),
              ElementsAreArray<uint8_t>({128, 0, 0}));
  EXPECT_THAT(run<uint8_t>("bitwise_not", u8, {{0, 255, 15}}), ElementsAreArray<uint8_t>({255, 0, 240}));
  EXPECT_THAT(run<int32_t>("bitwise_xor", i32, {{12, -1}, {10, 5}}), ElementsAreArray({6, -6}));
}

TEST_P(ElementwiseValues, LogicOfFlags) {
  const auto flags = [&](const char* op, int operands) {
    std::string text;
    HostTensor x({i1, {4}}), y({i1, {4}});
    for (int64_t i = 0; i < 4; ++i) {
      x.set(i, i / 2);
      y.set(i, i % 2);
    }
    std::vector<HostTensor> in = {x};
    if (operands == 2) in.push_back(y);
    const Case c{op, {}, std::vector<Operand>(in.size(), Operand{{i1, {4}}})};
    const auto device = open_device(GetParam());
    const auto got = run_on(*device, *find_op(op), c, in, &text);
    EXPECT_TRUE(got.ok()) << got.error().text();
    text.clear();
    for (int64_t i = 0; i < 4; ++i) text += std::to_string(static_cast<int>((*got)[0].at(i)));
    return text;
  };
  EXPECT_EQ(flags("bitwise_and", 2), "0001");
  EXPECT_EQ(flags("bitwise_or", 2), "0111");
  EXPECT_EQ(flags("bitwise_xor", 2), "0110");
  EXPECT_EQ(flags("bitwise_not", 1), "1100");
}

TEST_P(ElementwiseValues, SignsAndTies) {
  EXPECT_THAT(run<int32_t>("abs", i32, {{-3, 3, 0, kLowest<int32_t>}}),
              ElementsAreArray({3, 3, 0, kLowest<int32_t>}));
  EXPECT_THAT(run<int32_t>("sign", i32, {{-3, 3, 0}}), ElementsAreArray({-1, 1, 0}));
  EXPECT_THAT(run<uint32_t>("sign", u32, {{kLargest<uint32_t>, 0}}), ElementsAreArray<uint32_t>({1, 0}));
  EXPECT_THAT(run<float>("round", f32, {{0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4f}}),
              ElementsAreArray<float>({0, 2, 2, 0, -2, 2}));
  EXPECT_THAT(run<float>("floor", f32, {{-0.5f, 2.5f, -2}}), ElementsAreArray<float>({-1, 2, -2}));
  EXPECT_THAT(run<float>("ceil", f32, {{-0.5f, 2.5f, -2}}), ElementsAreArray<float>({0, 3, -2}));
  EXPECT_FALSE(std::signbit(run<float>("abs", f32, {{-0.f}})[0]));
  EXPECT_THAT(run<float>("mod", f32, {{7.5f, -7.5f, 7.5f, -7.5f}, {2, 2, -2, -2}}),
              ElementsAreArray<float>({1.5f, 0.5f, -0.5f, -1.5f}));
  EXPECT_THAT(run<float>("fmod", f32, {{7.5f, -7.5f, 7.5f, -7.5f}, {2, 2, -2, -2}}),
              ElementsAreArray<float>({1.5f, -1.5f, 1.5f, -1.5f}));
  EXPECT_TRUE(std::isnan(run<float>("mod", f32, {{1}, {0}})[0]));
}

// Numbers at which a simpler formula would overflow, lose all digits, or reduce the angle wrongly.
TEST_P(ElementwiseValues, LargeAndSmallNumbers) {
  const auto near = [&](const char* op, float x, double want) {
    EXPECT_NEAR(run<float>(op, f32, {{x}})[0], want, std::abs(want) * 2e-6) << op << " of " << x;
  };
  near("softplus", 200, 200);
  near("softplus", -80, std::exp(-80.));
  near("expm1", 1e-7f, std::expm1(double{1e-7f}));
  near("log1p", 1e-7f, std::log1p(double{1e-7f}));
  near("silu", -80, -80 * std::exp(-80.));
  near("gelu", -3, -1.5 * std::erfc(3 / std::sqrt(2.)));
  near("sin", 1e6f, std::sin(1e6));
  near("cos", 1e6f, std::cos(1e6));
  near("tan", 1e10f, std::tan(1e10));
  near("erf", 1e-5f, std::erf(double{1e-5f}));
}

}  // namespace
}  // namespace cutset::testing

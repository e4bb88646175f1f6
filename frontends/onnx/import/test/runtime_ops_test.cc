// SPDX-License-Identifier: Apache-2.0
// Tests the ops of ONNX Runtime that are imported. The expected values follow from its documentation,
// computed in f64.
#include <cutset/onnx.h>
#include <cutset/session.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "frontends/onnx/import/test/model_bytes.h"
#include "tests/errors.h"

namespace cutset::onnx {
namespace {

using Numbers = std::vector<double>;
constexpr int kU8 = 2, kI8 = 3;

struct Case {
  Message node;
  std::vector<Message> initializers;
  HostTensor x;
  Numbers expected;
};

Message of_runtime(const char* op, const std::vector<std::string>& operands,
                   const std::vector<Message>& attributes = {},
                   const std::vector<std::string>& results = {"y"}) {
  Message n = node(op, operands, results).text(7, "com.microsoft");
  for (const Message& a : attributes) n.nested(5, a);
  return n;
}

void expect(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(&c - cases.data());
    const Message m = model(graph({c.node}, {value("x", c.x.shape())}, {value("y")}, c.initializers), 17);
    const Model made = import_model(bytes_of(m));
    const HostTensor y = compile(made.graph, {.devices = "reference:0"}).run("evaluate", {{"x", c.x}})["y"];
    ASSERT_EQ(static_cast<size_t>(y.elements()), c.expected.size());
    for (int64_t i = 0; i < y.elements(); ++i)
      EXPECT_NEAR(y.at(i), c.expected[static_cast<size_t>(i)], 2e-6) << i;
  }
}

Numbers each(const Numbers& x, const std::function<double(double)>& function) {
  Numbers y;
  for (const double v : x) y.push_back(function(v));
  return y;
}
double erf_gelu(double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); }
double tanh_gelu(double v) {
  return v / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
}

TEST(OnnxRuntimeOps, Activations) {
  const HostTensor x({1, 2}, {-0.5f, 1.5f});
  const std::vector<Message> b = {floats("b", {0.25f, -0.5f})};
  const Numbers given = {-0.5, 1.5}, biased = {-0.25, 1};
  expect({{of_runtime("Gelu", {"x"}), {}, x, each(given, erf_gelu)},
          {of_runtime("BiasGelu", {"x", "b"}), b, x, each(biased, erf_gelu)},
          {of_runtime("FastGelu", {"x"}), {}, x, each(given, tanh_gelu)},
          {of_runtime("FastGelu", {"x", "b"}), b, x, each(biased, tanh_gelu)},
          {of_runtime("QuickGelu", {"x"}),
           {},
           x,
           each(given, [](double v) { return v / (1 + std::exp(-1.702 * v)); })},
          {of_runtime("QuickGelu", {"x"}, {attribute("alpha", 1.0f)}), {}, x, each(given, [](double v) {
             return v / (1 + std::exp(-v));
           })}});
}

TEST(OnnxRuntimeOps, ProductsAndConvolutions) {
  const HostTensor x({2, 2}, {1.0f, 2.0f, 3.0f, 4.0f}), image({1, 1, 3}, {1.0f, -2.0f, 3.0f});
  const std::vector<Message> w = {tensor("w", kFloat, {2, 2}, raw<float>({1, -1, 0, 2})),
                                  floats("c", {-10, 1})},
                             filter = {tensor("w", kFloat, {1, 1, 1}, raw<float>({2})), floats("b", {1}),
                                       tensor("z", kFloat, {1, 1, 3}, raw<float>({0, 0, -20}))};
  const Message trans_a = attribute("transA", int64_t{1}), trans_b = attribute("transB", int64_t{1});
  const auto activation = [](const char* name) { return attribute("activation", name); };
  expect({{of_runtime("FusedMatMul", {"x", "w"}, {attribute("alpha", 0.5f)}), w, x, {0.5, 1.5, 1.5, 2.5}},
          {of_runtime("FusedMatMul", {"x", "w"}, {trans_a}), w, x, {1, 5, 2, 6}},
          {of_runtime("FusedMatMul", {"x", "w"}, {trans_b}), w, x, {-1, 4, -1, 8}},
          {of_runtime("TransposeMatMul", {"x", "w"}, {trans_a, trans_b}), w, x, {-2, 6, -2, 8}},
          {of_runtime("FusedGemm", {"x", "w", "c"}, {activation("Relu")}), w, x, {0, 4, 0, 6}},
          {of_runtime("FusedGemm", {"x", "w", "c"},
                      {activation("LeakyRelu"), attribute("activation_alpha", 0.5f)}),
           w,
           x,
           {-4.5, 4, -3.5, 6}},
          {of_runtime("FusedConv", {"x", "w", "b"}, {activation("Relu")}), filter, image, {3, 0, 7}},
          {of_runtime("FusedConv", {"x", "w", "b", "z"},
                      {activation("Clip"), attribute("activation_params", std::vector<float>{-5, 2})}),
           filter,
           image,
           {2, -3, -5}},
          {of_runtime(
               "FusedConv", {"x", "w", "", "z"},
               {activation("HardSigmoid"), attribute("activation_params", std::vector<float>{0.1f, 0.5f})}),
           filter,
           image,
           {0.7, 0.1, 0}}});
}

TEST(OnnxRuntimeOps, NormalizationsOfSums) {
  const HostTensor x({1, 1, 2}, {1.0f, 3.0f});
  const std::vector<Message> w = {tensor("s", kFloat, {1, 1, 2}, raw<float>({1, 1})), floats("g", {2, 3}),
                                  floats("b", {10, 20}), floats("c", {0, 4})};
  // The sums are 2 4, and with the bias 2 8: mean 5, deviation 3.
  const double mean_square = std::sqrt((4 + 16) / 2.0), with_bias = std::sqrt((4 + 64) / 2.0);
  expect({{of_runtime("SkipLayerNormalization", {"x", "s", "g"}), w, x, {-2, 3}},
          {of_runtime("SkipLayerNormalization", {"x", "s", "g", "b", "c"}), w, x, {8, 23}},
          {of_runtime("SkipLayerNormalization", {"x", "s", "g", "b", "c"}, {}, {"z", "", "", "y"}),
           w,
           x,
           {2, 8}},
          {of_runtime("SkipSimplifiedLayerNormalization", {"x", "s", "g"}),
           w,
           x,
           {2 * 2 / mean_square, 3 * 4 / mean_square}},
          {of_runtime("SkipSimplifiedLayerNormalization", {"x", "s", "g", "c"}),
           w,
           x,
           {2 * 2 / with_bias, 3 * 8 / with_bias}}});
  // The node is in ONNX's own domain.
  const double root = std::sqrt((1 + 9) / 2.0 + 0.5);
  Message simplified = node("SimplifiedLayerNormalization", {"x", "g"}, "y");
  simplified.nested(5, attribute("epsilon", 0.5f)).nested(5, attribute("stash_type", int64_t{1}));
  expect({{simplified, w, x, {2 / root, 9 / root}}});
  Message with_deviation =
      node("SimplifiedLayerNormalization", {"x", "g"}, std::vector<std::string>{"z", "y"});
  expect({{with_deviation.nested(5, attribute("epsilon", 0.5f)), w, x, {1 / root}}});
}

// Integers a stand for the numbers scale * (a - zero point). A result is rounded to the nearest integer.
TEST(OnnxRuntimeOps, IntegersForNumbers) {
  const auto scale = [](const char* name, float v) { return tensor(name, kFloat, {}, raw<float>({v})); };
  const auto bytes = [](const char* name, int type, const std::vector<int64_t>& dims,
                        const std::vector<uint8_t>& v) { return tensor(name, type, dims, raw(v)); };
  const std::vector<Message> w = {bytes("a", kU8, {1, 2}, {12, 8}),
                                  scale("as", 0.5f),
                                  bytes("az", kU8, {}, {10}),
                                  bytes("b", kU8, {2, 2}, {3, 5, 4, 1}),
                                  scale("bs", 0.25f),
                                  bytes("bz", kU8, {}, {1}),
                                  bytes("e", kU8, {1, 2}, {5, 1}),
                                  scale("ys", 0.125f),
                                  bytes("yz", kU8, {}, {100}),
                                  tensor("c", kInt32, {2}, raw<int32_t>({4, -8})),
                                  floats("bias", {10, 20})};
  // a is 1 -1, e is 1 0, and b is 0.5 1, 0.75 0. x makes the results floats that depend on an input.
  const HostTensor nothing({1, 2}, {0.0f, 0.0f});
  const auto check = [&](const Message& n, const Numbers& expected) {
    const Message m = model(graph({n, cast("r", "f", kFloat), node("Add", {"f", "x"}, "y")},
                                  {value("x", {1, 2})}, {value("y")}, w),
                            17);
    const Model made = import_model(bytes_of(m));
    const HostTensor y =
        compile(made.graph, {.devices = "reference:0"}).run("evaluate", {{"x", nothing}})["y"];
    ASSERT_EQ(static_cast<size_t>(y.elements()), expected.size());
    for (int64_t i = 0; i < y.elements(); ++i)
      EXPECT_NEAR(y.at(i), expected[static_cast<size_t>(i)], 1e-5) << i;
  };
  const auto binary = [&](const char* op) {
    return of_runtime(op, {"a", "as", "az", "e", "bs", "bz", "ys", "yz"}, {}, {"r"});
  };
  check(binary("QLinearAdd"), {100 + 16, 100 - 8});
  check(binary("QLinearMul"), {100 + 8, 100});
  check(of_runtime("QLinearSigmoid", {"a", "as", "az", "ys", "yz"}, {}, {"r"}), {106, 102});  // 5.85 and 2.15
  check(of_runtime("QLinearLeakyRelu", {"a", "as", "az", "ys", "yz"}, {attribute("alpha", 0.25f)}, {"r"}),
        {108, 98});
  // a b is -0.25 1. The bias c has the scale 0.125 of the products: 0.5 and -1.
  const std::vector<std::string> gemm = {"a", "as", "az", "b", "bs", "bz"};
  const auto and_then = [](std::vector<std::string> operands, const std::vector<std::string>& more) {
    operands.insert(operands.end(), more.begin(), more.end());
    return operands;
  };
  check(of_runtime("QGemm", gemm, {}, {"r"}), {-0.25, 1});
  check(of_runtime("QGemm", and_then(gemm, {"c", "ys", "yz"}), {}, {"r"}), {102, 100});
  check(of_runtime("QGemm", and_then(gemm, {"c"}), {attribute("alpha", 2.0f)}, {"r"}), {0.5, 0});
  check(of_runtime("MatMulIntegerToFloat", {"a", "b", "as", "bs", "az", "bz", "bias"}, {}, {"r"}),
        {9.75, 21});
  check(of_runtime("QLinearConcat", {"ys", "yz", "a", "as", "az"}, {attribute("axis", int64_t{0})}, {"r"}),
        {108, 92});
  // 2 and -1 become 255 and 0 with the scale 3 / 255, so the product is exact up to half a step.
  Message x = of_runtime("DynamicQuantizeMatMul", {"x", "w", "s"});
  expect(
      {{x, {bytes("w", kI8, {2, 1}, {2, 3}), scale("s", 0.5f)}, HostTensor({1, 2}, {2.0f, -1.0f}), {0.5}}});
}

}  // namespace
}  // namespace cutset::onnx

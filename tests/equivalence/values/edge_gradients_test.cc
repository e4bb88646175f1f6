// SPDX-License-Identifier: Apache-2.0
// Tests gradients where a function has a kink, a pole or no derivative, on every kind of device. The expected
// values are PyTorch's. The comment before each row gives the formula. For example, torch.linalg.vector_norm
// has the gradient 0 at 0, amax divides the gradient among ties, and clamp passes the gradient at its bounds.
#include <cutset/activations.h>
#include <cutset/cutset.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/onnx_ops/pooling.h>
#include <cutset/pooling.h>
#include <cutset/reductions.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compositions.h"
#include "tests/conformance/on_device.h"
#include "tests/errors.h"

namespace cutset::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pointwise;
using Build = std::function<Tensor(const Tensor&)>;

// Returns the gradient of the sum of build(x) with respect to x.
std::vector<double> gradient(const std::string& kind, const Shape& shape, const std::vector<double>& x,
                             const Build& build) {
  Graph g;
  const Tensor v = g.variable("x", filled(f32, shape, x));
  const Tensor y = build(v);
  g.minimize(y.shape().empty() ? y : sum(y), {.learning_rate = 0});
  Session session = compile(g, {.devices = kind + ":0", .gradients = true});
  return elements(session.train({})["gradient:x"]);
}

struct Row {
  const char* name;
  Shape shape;
  std::vector<double> x;
  Build build;
  std::vector<double> expected;
};
const std::vector<Row>& rows() {
  const PoolOptions windows{.kernel_size = 2};
  static const std::vector<Row> all = {
      // x / norm, and 0 where the norm is 0.
      {"l2_norm", {2, 2}, {3, 4, 0, 0}, [](auto& x) { return l2_norm(x, {1}); }, {0.6, 0.8, 0, 0}},
      {"l2_norm of zeros", {3}, {0, 0, 0}, [](auto& x) { return l2_norm(x); }, {0, 0, 0}},
      {"l1_norm", {3}, {-2, 0, 3}, [](auto& x) { return l1_norm(x); }, {-1, 0, 1}},
      // 1 / norm - x * (sum of x) / norm^3; a line of zeros is divided by 1.
      {"lp_normalize",
       {2, 2},
       {3, 4, 0, 0},
       [](auto& x) { return onnx_ops::lp_normalize(x); },
       {0.032, -0.024, 1, 1}},
      // 1 / norm - sign(x) * (sum of x) / norm^2.
      {"lp_normalize, p = 1",
       {2, 2},
       {3, -1, 0, 0},
       [](auto& x) { return onnx_ops::lp_normalize(x, 1, 1); },
       {0.125, 0.375, 1, 1}},
      // (|x| / norm)^(p - 1) sign(x), and 0 in the window of zeros and at each 0.
      {"lp_pool",
       {1, 1, 2, 4},
       {3, 0, 0, 0, -4, 0, 0, 0},
       [=](auto& x) { return lp_pool(x, 2, windows); },
       {0.6, 0, 0, 0, -0.8, 0, 0, 0}},
      {"lp_pool, p = 3",
       {1, 1, 2, 4},
       {1, 0, 0, 0, 2, 0, 0, 0},
       [=](auto& x) { return lp_pool(x, 3, windows); },
       {std::pow(9, -2. / 3), 0, 0, 0, 4 * std::pow(9, -2. / 3), 0, 0, 0}},
      {"lp_pool, p = 1/2",
       {1, 1, 2, 4},
       {1, 0, 0, 0, 4, 0, 0, 0},
       [=](auto& x) { return lp_pool(x, 0.5, windows); },
       {3, 0, 0, 0, 1.5, 0, 0, 0}},
      {"global_lp_pool",
       {2, 1, 2},
       {3, 4, 0, 0},
       [](auto& x) { return onnx_ops::global_lp_pool(x, 2); },
       {0.6, 0.8, 0, 0}},
      {"variance of one element", {2, 1}, {3, 0}, [](auto& x) { return variance(x, {1}); }, {0, 0}},
      {"mean_variance_norm of equal elements",
       {1, 2},
       {3, 3},
       [](auto& x) { return onnx_ops::mean_variance_norm(x, {1}); },
       {0, 0}},
      // Ties share the gradient.
      {"reduce_max",
       {4},
       {2, 2, 1, 2},
       [](auto& x) { return ops::reduce_max(x); },
       {1. / 3, 1. / 3, 0, 1. / 3}},
      {"reduce_min", {3}, {2, 1, 1}, [](auto& x) { return ops::reduce_min(x); }, {0, 0.5, 0.5}},
      {"maximum", {3}, {-1, 0, 1}, [](auto& x) { return maximum(x, x * 0.0); }, {0, 0.5, 1}},
      {"minimum", {3}, {-1, 0, 1}, [](auto& x) { return minimum(x, x * 0.0); }, {1, 0.5, 0}},
      // The products of the other elements.
      {"reduce_prod",
       {2, 3},
       {0, 2, 3, 0, 0, 3},
       [](auto& x) { return ops::reduce_prod(x, {.axes = {1}}); },
       {6, 0, 0, 0, 0, 0}},
      {"clip",
       {5},
       {-2, -1, 0, 1, 2},
       [](auto& x) { return clip(x, constant(x, -1), constant(x, 1)); },
       {0, 1, 1, 1, 0}},
      {"abs", {3}, {-2, 0, 2}, [](auto& x) { return abs(x); }, {-1, 0, 1}},
      {"relu", {3}, {-2, 0, 2}, [](auto& x) { return relu(x); }, {0, 0, 1}},
      // Slopes of the negative half: 0.1, alpha, and scale * alpha.
      {"leaky_relu", {3}, {-2, 0, 2}, [](auto& x) { return leaky_relu(x, 0.1); }, {0.1, 0.1, 1}},
      {"elu", {2}, {0, 2}, [](auto& x) { return elu(x, 2.0); }, {2, 1}},
      {"selu", {1}, {0}, [](auto& x) { return selu(x); }, {1.0507009873554805 * 1.6732632423543772}},
      {"slope of prelu", {2}, {3, 3}, [](auto& x) { return prelu(x * 0.0, x); }, {0, 0}},
      // p x^(p - 1), which is 0 for p = 0.
      {"pow, of the base", {2}, {0, 3}, [](auto& x) { return pow(x, constant(x, 2)); }, {0, 6}},
      {"pow to the 0, of the base", {2}, {0, 3}, [](auto& x) { return pow(x, constant(x, 0)); }, {0, 0}},
      // x^p log(x), and 0 where x is 0 and p is not negative.
      {"pow of 0, of the exponent",
       {3},
       {0, 1, 2},
       [](auto& p) { return pow(constant(p, 0), p); },
       {0, 0, 0}},
      {"pow of 2, of the exponent",
       {2},
       {0, 1},
       [](auto& p) { return pow(constant(p, 2), p); },
       {std::log(2.), 2 * std::log(2.)}},
      // other / (self^2 + other^2), and 0 at the origin.
      {"atan2", {2}, {0, 1}, [](auto& x) { return atan2(x, x * 0.0); }, {0, 0}},
      // exp(x - result): elements at -infinity have no share.
      {"log_sum_exp",
       {2},
       {0, 5},
       [](auto& x) { return log_sum_exp(where(greater(x, constant(x, 1)), constant(x, -HUGE_VAL), x)); },
       {1, 0}},
  };
  return all;
}

class EdgeGradients : public ::testing::TestWithParam<std::string> {};

TEST_P(EdgeGradients, AreThoseOfPyTorch) {
  for (const Row& row : rows())
    EXPECT_THAT(gradient(GetParam(), row.shape, row.x, row.build), Pointwise(DoubleNear(2e-6), row.expected))
        << row.name;
}

// These gradients are also infinite in PyTorch. A step with such a gradient fails and names the element.
TEST_P(EdgeGradients, PolesHaveASign) {
  const auto refusal = [&](double x, const Build& build) {
    return error_of([&] { gradient(GetParam(), {2}, {x, x < 1 ? 0.5 : 2}, build); });
  };
  const auto is = [](const std::string& number) {
    return HasSubstr("the gradient of variable 'x' is " + number + " at element [0]");
  };
  EXPECT_THAT(refusal(1, [](auto& x) { return acosh(x); }), is("inf"));
  EXPECT_THAT(refusal(-1, [](auto& x) { return asin(x); }), is("inf"));
  EXPECT_THAT(refusal(-1, [](auto& x) { return acos(x); }), is("-inf"));
  EXPECT_THAT(refusal(0, [](auto& x) { return sqrt(x); }), is("inf"));
  EXPECT_THAT(refusal(0, [](auto& x) { return log(x); }), is("inf"));
  // d/dp of 0^p is -infinity for p < 0.
  EXPECT_THAT(refusal(-1, [](auto& p) { return pow(constant(p, 0), p); }), Not(is("0")));
}
INSTANTIATE_TEST_SUITE_P(All, EdgeGradients, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Tests the activation functions that append several ops: their values against formulas in f64, and their
// gradients.
#include <cutset/activations.h>
#include <cutset/onnx_ops/activations.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

struct Activation {
  const char* name;
  std::function<Tensor(const Tensor&)> build;
  std::function<double(double)> value;
};
const std::vector<Activation>& activations() {
  static const auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  static const auto elu_of = [](double x, double alpha) { return x < 0 ? alpha * (std::exp(x) - 1) : x; };
  static const auto hard = [](double v) { return std::fmin(std::fmax(v, 0), 1); };
  static const std::vector<Activation> all = {
      {"leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.1); },
       [](double x) { return x < 0 ? 0.1 * x : x; }},
      {"elu", [](const Tensor& x) { return elu(x, 2.0); }, [](double x) { return elu_of(x, 2); }},
      {"celu", [](const Tensor& x) { return celu(x, 2.0); }, [](double x) { return 2 * elu_of(x / 2, 1); }},
      {"celu_below_zero", [](const Tensor& x) { return celu(x, -8.0); },
       [](double x) { return x < 0 ? -8 * (std::exp(x / -8) - 1) : x; }},
      {"selu", [](const Tensor& x) { return selu(x); },
       [](double x) { return 1.0507009873554805 * elu_of(x, 1.6732632423543772); }},
      {"gelu_tanh", [](const Tensor& x) { return gelu_tanh(x); },
       [](double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }},
      {"gelu", [](const Tensor& x) { return gelu(x); },
       [](double x) { return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0))); }},
      {"silu", [](const Tensor& x) { return silu(x); }, [](double x) { return x * sigmoid_of(x); }},
      {"softplus", [](const Tensor& x) { return softplus(x); },
       [](double x) { return std::log(1 + std::exp(x)); }},
      {"swish", [](const Tensor& x) { return onnx_ops::swish(x, 1.7); },
       [](double x) { return x * sigmoid_of(1.7 * x); }},
      {"mish", [](const Tensor& x) { return mish(x); },
       [](double x) { return x * std::tanh(std::log(1 + std::exp(x))); }},
      {"softsign", [](const Tensor& x) { return softsign(x); },
       [](double x) { return x / (1 + std::fabs(x)); }},
      {"hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); },
       [](double x) { return hard(x / 6 + 0.5); }},
      {"onnx_ops::hard_sigmoid", [](const Tensor& x) { return onnx_ops::hard_sigmoid(x); },
       [](double x) { return hard(0.2 * x + 0.5); }},
      {"onnx_ops::hard_sigmoid/steep", [](const Tensor& x) { return onnx_ops::hard_sigmoid(x, 0.5, 0.6); },
       [](double x) { return hard(0.5 * x + 0.6); }},
      {"hard_swish", [](const Tensor& x) { return hard_swish(x); },
       [](double x) { return x * hard(x / 6 + 0.5); }},
      {"thresholded_relu", [](const Tensor& x) { return onnx_ops::thresholded_relu(x, 0.7); },
       [](double x) { return x > 0.7 ? x : 0; }},
      {"shrink", [](const Tensor& x) { return onnx_ops::shrink(x, 0.9, 0.4); },
       [](double x) { return x < -0.9  ? x + 0.4
                             : x > 0.9 ? x - 0.4
                                       : 0; }},
  };
  return all;
}
// Returns points that are at least 0.03 from all kinks, which lie at multiples of 0.1.
HostTensor points() {
  HostTensor x({f32, {60}});
  for (int i = 0; i < 60; ++i) x.as<float>()[i] = static_cast<float>(-5.96 + 0.2 * i);
  return x;
}

struct Activations : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Activations);

TEST_P(Activations, EqualTheirFormulas) {
  Graph g;
  Tensor x = g.input("x", f32, {60});
  for (const Activation& a : activations()) g.output(a.name, a.build(x));
  Session session = compile(g, {.devices = device()});
  HostTensor in = points();
  in.as<float>()[7] = std::nanf("");
  const auto out = session.run("evaluate", {{"x", in}});
  for (const Activation& a : activations()) {
    const HostTensor y = out[a.name];
    for (int64_t i = 0; i < 60; ++i) {
      if (i == 7)
        EXPECT_TRUE(std::isnan(y.at(i))) << a.name;
      else
        EXPECT_NEAR(y.at(i), a.value(in.at(i)), 2e-6) << a.name << " of " << in.at(i);
    }
  }
}

TEST(Activations, HaveTheGradientsOfTheirFormulas) {
  Graph g;
  Tensor x = g.variable("x", f32, {60}, Initializer::zeros());
  Tensor y = g.input("w", f32, {});
  Tensor loss;
  for (const Activation& a : activations()) {
    Tensor term = sum(a.build(x) * y);
    loss = loss.defined() ? loss + term : term;
  }
  g.minimize(loss, {.learning_rate = 1});
  Session session = compile(g, {.devices = "reference:0"});
  session.set_variable("x", points());
  HostTensor w({f32, {}});
  w.as<float>()[0] = 1;
  session.run("train", {{"w", w}});
  const HostTensor before = points(), after = session.variable("x");
  for (int64_t i = 0; i < 60; ++i) {
    double slope = 0;
    for (const Activation& a : activations())
      slope += (a.value(before.at(i) + 1e-6) - a.value(before.at(i) - 1e-6)) / 2e-6;
    EXPECT_NEAR(before.at(i) - after.at(i), slope, 2e-5) << before.at(i);
  }
}

TEST(Activations, RefuseIntegersAndEmptyTensors) {
  Graph g;
  Tensor i = g.input("i", i32, {3});
  const std::string before = g.text();
  EXPECT_THAT(error_of([&] { celu(i); }), HasSubstr("celu of 3xi32 needs a floating-point type"));
  EXPECT_THAT(error_of([&] { celu(i); }), HasSubstr(CUTSET_HERE));
  EXPECT_EQ(g.text(), before);
  Tensor x = g.input("x", f32, {3});
  const std::string with_input = g.text();
  EXPECT_THAT(error_of([&] { celu(x, 0); }), HasSubstr("celu divides by alpha, which is 0"));
  EXPECT_THAT(error_of([&] { mish(Tensor()); }), HasSubstr("operand 0 ('x') of 'mish' is an empty Tensor"));
  EXPECT_EQ(g.text(), with_input);
}

}  // namespace
}  // namespace cutset

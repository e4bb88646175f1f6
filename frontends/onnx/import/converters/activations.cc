// SPDX-License-Identifier: Apache-2.0
// Activation functions, and functions that are applied to lines.
#include <cutset/activations.h>
#include <cutset/constants.h>
#include <cutset/indexing.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/activations.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// Before version 13, softmax, log_softmax and hardmax take their operand as a matrix: the dimensions from
// `axis` on become its columns.
template <class Function>
Results along_axis(Node& n, Function function) {
  const Tensor x = n.in(0);
  const int64_t rank = x.type().rank(), axis = dimension(n.number("axis", n.opset() < 13 ? 1 : -1), rank);
  if (n.opset() >= 13 || axis == rank - 1) return {function(x, axis)};
  int64_t columns = 1;
  for (int64_t d = axis; d < rank; ++d) columns *= x.shape()[static_cast<size_t>(d)];
  if (columns == 0) return {x};
  return {ops::reshape_like(function(reshape(x, {.shape = {-1, columns}}), 1), x)};
}

Results softmax_of(Node& n) {
  return along_axis(n, [](const Tensor& x, int64_t axis) { return softmax(x, {.axis = axis}); });
}
Results log_softmax_of(Node& n) {
  return along_axis(n, [](const Tensor& x, int64_t axis) { return log_softmax(x, {.axis = axis}); });
}
Results hardmax(Node& n) {
  return along_axis(n, [](const Tensor& x, int64_t axis) {
    const int64_t depth = x.shape()[static_cast<size_t>(axis)];
    return move_axis(one_hot(argmax(x, {.axis = axis}), {.depth = depth, .dtype = x.dtype()}), -1, axis);
  });
}

Results gelu_of(Node& n) {
  const std::string form = n.text("approximate", "none");
  if (form != "none" && form != "tanh") invalid("approximate = '" + form + "' is not none or tanh");
  return {form == "tanh" ? gelu_tanh(n.in(0)) : gelu(n.in(0))};
}

// Computes gamma * x where x is positive, and gamma * alpha * (exp(x) - 1) elsewhere. The defaults have more
// digits since version 6.
Results selu_of(Node& n) {
  const bool old = n.opset() < 6;
  const double alpha = old ? 1.67320001125335693359375 : 1.67326319217681884765625,
               gamma = old ? 1.05069994926452636718750 : 1.05070102214813232421875;
  return {elu(n.in(0), n.real("alpha", alpha)) * n.real("gamma", gamma)};
}

// The slope broadcasts to x, but x does not broadcast to the slope. Before version 7, a list of slopes has
// one slope per channel.
Results prelu_of(Node& n) {
  const Tensor x = n.in(0);
  Tensor slope = n.in(1);
  if (n.opset() < 7 && slope.type().rank() == 1 && slope.shape()[0] != 1) {
    if (x.type().rank() < 2 || x.shape()[1] != slope.shape()[0])
      invalid("there are " + std::to_string(slope.shape()[0]) + " slopes for the channels of " +
              to_string(x.type()));
    std::vector<int64_t> behind;
    for (int64_t d = 1; d < x.type().rank() - 1; ++d) behind.push_back(d);
    if (!behind.empty()) slope = unsqueeze(slope, behind);
  }
  return {prelu(x, broadcast_to(slope, x.shape()))};
}

// The ops below are ops of ONNX Runtime, which its optimizer writes.
Results biased_gelu(Node& n) { return {gelu(n.in(0) + n.in(1))}; }
Results fast_gelu(Node& n) { return {gelu_tanh(n.has(1) ? n.in(0) + n.in(1) : n.in(0))}; }

}  // namespace

static void add_activations(Converters& table) {
  table.insert({
      {"Sigmoid", [](Node& n) -> Results { return {sigmoid(n.in(0))}; }},
      {"Relu", [](Node& n) -> Results { return {relu(n.in(0))}; }},
      {"Softplus", [](Node& n) -> Results { return {softplus(n.in(0))}; }},
      {"Softsign", [](Node& n) -> Results { return {softsign(n.in(0))}; }},
      {"Mish", [](Node& n) -> Results { return {mish(n.in(0))}; }},
      {"HardSwish", [](Node& n) -> Results { return {hard_swish(n.in(0))}; }},
      {"Elu", [](Node& n) -> Results { return {elu(n.in(0), n.real("alpha", 1))}; }},
      {"Celu", [](Node& n) -> Results { return {celu(n.in(0), n.real("alpha", 1))}; }},
      {"LeakyRelu", [](Node& n) -> Results { return {leaky_relu(n.in(0), n.real("alpha", 0.01))}; }},
      {"ThresholdedRelu",
       [](Node& n) -> Results { return {onnx_ops::thresholded_relu(n.in(0), n.real("alpha", 1))}; }},
      {"Swish", [](Node& n) -> Results { return {onnx_ops::swish(n.in(0), n.real("alpha", 1))}; }},
      {"SwiGLU", [](Node& n) -> Results { return {onnx_ops::swish(n.in(0), n.real("alpha", 1)) * n.in(1)}; }},
      {"Shrink",
       [](Node& n) -> Results {
         return {onnx_ops::shrink(n.in(0), n.real("lambd", 0.5), n.real("bias", 0))};
       }},
      {"HardSigmoid",
       [](Node& n) -> Results {
         return {onnx_ops::hard_sigmoid(n.in(0), n.real("alpha", 0.2), n.real("beta", 0.5))};
       }},
      {"Gelu", gelu_of},
      {"com.microsoft.Gelu", [](Node& n) -> Results { return {gelu(n.in(0))}; }},
      {"com.microsoft.BiasGelu", biased_gelu},
      {"com.microsoft.FastGelu", fast_gelu},
      {"com.microsoft.QuickGelu",
       [](Node& n) -> Results { return {onnx_ops::swish(n.in(0), n.real("alpha", 1.702))}; }},
      {"Selu", selu_of},
      {"PRelu", prelu_of},
      {"Softmax", softmax_of},
      {"LogSoftmax", log_softmax_of},
      {"Hardmax", hardmax},
  });
}

static const ConverterFamily kActivationsConverters(add_activations);

}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/reductions.h>

#include <algorithm>

#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/response_norm.h"

namespace cutset {
namespace {

using Where = std::source_location;

std::vector<int64_t> axes_from(int64_t first, const Tensor& x) {
  std::vector<int64_t> axes;
  for (int64_t d = first; d < x.type().rank(); ++d) axes.push_back(d);
  return axes;
}

Tensor root_of(const Tensor& squares, double epsilon, Where source) {
  return sqrt(add(squares, constant(squares, Number(epsilon, source)), source), source);
}

// Returns a tensor [channels] in a shape that broadcasts to x, [n, channels, ...].
Tensor per_channel(const Tensor& x, const Tensor& of_channels, const char* function, Where source) {
  if (of_channels.shape() != Shape{x.shape()[1]})
    refuse(x, function,
           "a scale and a bias with one element per channel, not " + to_string(of_channels.type()), source);
  Shape shape(x.shape().size() - 1, 1);
  shape[0] = -1;
  return reshape(of_channels, {.shape = shape}, source);
}

}  // namespace

Tensor layer_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, WholeNumber axis,
                  RealNumber epsilon, Where source) {
  if (scale.defined()) return ops::layer_norm(x, scale, bias, axis, epsilon, source);
  const auto again = [x = kept(x), bias = kept(bias), axis, epsilon, source](const Counterpart& now) {
    return layer_norm(now(x), {}, now(bias), axis, epsilon, source);
  };
  return compose(x, "layer_norm", source, again, [&] {
    const auto first = static_cast<size_t>(axis_of(x, "layer_norm", axis, source));
    const TensorType type{x.dtype(), Shape(x.shape().begin() + static_cast<int64_t>(first), x.shape().end())};
    const Tensor ones = ops::expand(constant(x, Number(1, source)), type_only(x, type, source), {}, source);
    return ops::layer_norm(x, ones, bias, axis, epsilon, source);
  });
}

Tensor layer_norm(const Tensor& x, const AxisList& normalized_shape, const Tensor& scale, const Tensor& bias,
                  RealNumber epsilon, Where source) {
  require_tensor(x, "layer_norm", source);
  const Shape& shape = normalized_shape.list();
  const size_t sizes = shape.size(), rank = x.shape().size();
  if (sizes == 0 || sizes > rank ||
      !std::equal(shape.begin(), shape.end(), x.shape().end() - static_cast<int64_t>(sizes)))
    refuse(x, "layer_norm", "the sizes " + to_string(shape) + " at the end of its shape", source,
           "to normalize over the dimensions from an axis on, give the axis by name: {.axis = 1}");
  return layer_norm(x, scale, bias, -static_cast<int64_t>(sizes), epsilon, source);
}

Tensor group_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, int64_t groups,
                  RealNumber epsilon, Where source) {
  const auto again = [x = kept(x), scale = kept(scale), bias = kept(bias), groups, epsilon,
                      source](const Counterpart& now) {
    return group_norm(now(x), now(scale), now(bias), groups, epsilon, source);
  };
  return compose_in_f32(
      x, "group_norm", source, again, std::tie(x, scale, bias),
      [&](const Tensor& x, const Tensor& scale, const Tensor& bias) {
        if (x.type().rank() < 2 || groups < 1 || x.shape()[1] % groups)
          refuse(x, "group_norm",
                 "a number of groups that divides the channels in dimension 1, not " + std::to_string(groups),
                 source);
        const auto scaled = [&](const Tensor& normal) {
          const Tensor y =
              scale.defined() ? mul(normal, per_channel(x, scale, "group_norm", source), source) : normal;
          return bias.defined() ? add(y, per_channel(x, bias, "group_norm", source), source) : y;
        };
        int64_t size = groups ? x.shape()[1] / groups : 0;
        for (size_t d = 2; d < x.shape().size(); ++d) size *= x.shape()[d];
        if (size == 0) return scaled(x);  // there are no elements
        const Tensor parts = reshape(x, {.shape = {0, groups, size}}, source);
        const Tensor normal =
            ops::reshape_like(onnx_ops::mean_variance_norm(parts, {2}, epsilon, source), x, source);
        return scaled(normal);
      });
}

Tensor instance_norm(const Tensor& x, const Tensor& scale, const Tensor& bias, RealNumber epsilon,
                     Where source) {
  const auto again = [x = kept(x), scale = kept(scale), bias = kept(bias), epsilon,
                      source](const Counterpart& now) {
    return instance_norm(now(x), now(scale), now(bias), epsilon, source);
  };
  return compose(x, "instance_norm", source, again, [&] {
    if (x.type().rank() < 2) refuse(x, "instance_norm", "channels in dimension 1", source);
    return group_norm(x, scale, bias, std::max<int64_t>(x.shape()[1], 1), epsilon, source);
  });
}

Tensor rms_norm(const Tensor& x, const Tensor& scale, WholeNumber axis, RealNumber epsilon, Where source) {
  return compose_in_f32(x, "rms_norm", source, std::tie(x, scale), [&](const Tensor& x, const Tensor& scale) {
    const std::vector<int64_t> axes = axes_from(axis_of(x, "rms_norm", axis, source), x);
    const Tensor root = root_of(mean(mul(x, x, source), axes, true, source), epsilon, source);
    const Tensor normal = div(x, root, source);
    return scale.defined() ? mul(normal, scale, source) : normal;
  });
}

Tensor local_response_norm(const Tensor& x, int64_t size, RealNumber alpha, RealNumber beta, RealNumber bias,
                           Where source) {
  return response_norm(x, {size, size / 2, alpha, beta, bias}, source);
}

}  // namespace cutset

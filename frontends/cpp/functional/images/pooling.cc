// SPDX-License-Identifier: Apache-2.0
#include <cutset/ops.h>
#include <cutset/pooling.h>
#include <cutset/reductions.h>

#include <cmath>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/pooled.h"
#include "frontends/cpp/functional/norms.h"

namespace cutset {
namespace {

// Returns the number of axes of an image of the batch x. The op refuses a batch of another rank.
size_t axes_of(const Tensor& x) { return x.shape().size() > 2 ? x.shape().size() - 2 : 1; }

Attributes window_of(const Tensor& x, const PoolOptions& o) {
  const size_t axes = axes_of(x);
  return {{"kernel", (o.kernel_size.empty() ? AxisSizes(2) : o.kernel_size).list(axes)},
          {"stride", o.stride.list(axes)},
          {"padding", o.padding.list(axes)},
          {"dilation", o.dilation.list(axes)},
          {"ceil_mode", o.ceil_mode}};
}

}  // namespace

const AxisSizes& only_kernel(const AxisSizes& kernel_size, const AxisSizes& of_options,
                             std::source_location source) {
  if (!of_options.empty())
    raise(invalid_argument("kernel_size is given twice", "leave out the one in braces"), source);
  return kernel_size;
}

Tensor max_pool(const Tensor& x, const AxisSizes& kernel_size, const AxisSizes& stride,
                const AxisSizes& padding, const AxisSizes& dilation, bool ceil_mode,
                std::source_location source) {
  require_tensor(x, "max_pool", source);
  return append("max_pool", {{x}}, window_of(x, {kernel_size, stride, padding, dilation, ceil_mode}),
                source)[0];
}

Tensor max_pool_indices(const Tensor& x, const AxisSizes& kernel_size, const AxisSizes& stride,
                        const AxisSizes& padding, const AxisSizes& dilation, bool ceil_mode,
                        std::source_location source) {
  require_tensor(x, "max_pool_indices", source);
  return append("max_pool_indices", {{x}}, window_of(x, {kernel_size, stride, padding, dilation, ceil_mode}),
                source)[0];
}

Tensor avg_pool(const Tensor& x, const AxisSizes& kernel_size, const AxisSizes& stride,
                const AxisSizes& padding, bool ceil_mode, bool count_include_pad, int64_t divisor_override,
                const AxisSizes& dilation, std::source_location source) {
  require_tensor(x, "avg_pool", source);
  Attributes attributes = window_of(x, {kernel_size, stride, padding, dilation, ceil_mode});
  attributes.push_back({"count_include_pad", count_include_pad});
  attributes.push_back({"divisor_override", divisor_override});
  return append("avg_pool", {{x}}, std::move(attributes), source)[0];
}

// The sum of a window is its mean with the divisor 1.
Tensor lp_pool(const Tensor& x, double p, const AxisSizes& kernel_size, const AxisSizes& stride,
               bool ceil_mode, const AxisSizes& padding, const AxisSizes& dilation,
               std::source_location source) {
  require_power(p, "lp_pool", source);
  return compose_in_f32(x, "lp_pool", source, std::tie(x), [&](const Tensor& x) {
    const Tensor sums = avg_pool(power_of_norm(x, p, source), kernel_size, stride, padding, ceil_mode, true,
                                 /*divisor_override=*/1, dilation, source);
    return root_of_norm(sums, p, source);
  });
}

Tensor global_max_pool(const Tensor& x, std::source_location source) {
  return ops::reduce_max(x, image_axes(x, "global_max_pool", source), true, source);
}

Tensor global_avg_pool(const Tensor& x, std::source_location source) {
  return mean(x, image_axes(x, "global_avg_pool", source), true, source);
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Poolings: the mean, the maximum or the norm of windows of images of one to three dimensions.
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/pooling.h>
#include <cutset/ops.h>
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/windows.h"
#include "ir/core/check_types.h"

namespace cutset::onnx {
namespace {

Windows pool_windows(const Node& n) {
  return windows_of(n, n.numbers("kernel_shape").value_or(std::vector<int64_t>{}), spatial_size(n.type(0)));
}
bool ceil_mode(const Node& n) { return n.number("ceil_mode", 0) != 0; }

PoolOptions pool_options(const Node& n) {
  const Windows w = pool_windows(n);
  return {.kernel_size = w.kernel,
          .stride = w.strides,
          .padding = both_sides(w),
          .dilation = w.dilations,
          .ceil_mode = ceil_mode(n)};
}

Results average_of_windows(Node& n) {
  const Windows w = pool_windows(n);
  return {avg_pool(n.in(0), {.kernel_size = w.kernel,
                             .stride = w.strides,
                             .padding = both_sides(w),
                             .dilation = w.dilations,
                             .ceil_mode = ceil_mode(n),
                             .count_include_pad = n.number("count_include_pad", 0) != 0})};
}

// Converts indices to ONNX's indices, which count the elements of the whole tensor. With storage_order 1, the
// first dimension of an image varies fastest.
Tensor as_onnx_counts(Node& n, const Tensor& indices, int64_t storage_order) {
  const Tensor x = n.in(0);
  const std::vector<int64_t> size = spatial_size(x.type());
  const int64_t elements = TensorType(x.dtype(), size).elements();
  Tensor in_image = indices;
  if (storage_order) {
    in_image = constant(indices, 0);
    Tensor rest = indices;
    int64_t distance = elements;
    for (size_t d = size.size(); d-- > 0; rest = rest / size[d]) {
      distance /= size[d];
      in_image = in_image + (rest - rest / size[d] * size[d]) * distance;
    }
  }
  const int64_t images = x.shape()[0] * x.shape()[1];
  std::vector<int64_t> each(x.shape().size(), 1);
  each[0] = x.shape()[0];
  each[1] = x.shape()[1];
  return in_image + reshape(arange(n.graph(), images, i64), {.shape = each}) * elements;
}

Results maximum_of_windows(Node& n) {
  const Tensor x = n.in(0);
  const PoolOptions options = pool_options(n);
  const int64_t storage_order = n.number("storage_order", 0);
  Results results = {max_pool(x, options)};
  if (n.wants(1)) results.push_back(as_onnx_counts(n, max_pool_indices(x, options), storage_order));
  return results;
}

// Puts each element at its index in a tensor of zeros.
Results unpooled(Node& n) {
  const Tensor x = n.in(0);
  const Windows w = pool_windows(n);
  const std::vector<int64_t> size = spatial_size(x.type());
  std::vector<int64_t> shape = {x.shape()[0], x.shape()[1]};
  for (size_t d = 0; d < size.size(); ++d)
    shape.push_back((size[d] - 1) * w.strides[d] + w.kernel[d] - w.before[d] - w.after[d]);
  std::vector<int64_t> sizes = n.has(2) ? n.known_ints(2) : shape;
  if (sizes.size() != shape.size()) invalid("output_shape has " + std::to_string(sizes.size()) + " elements");
  for (const Shape& s : {shape, sizes})
    if (const Status valid = check_type({x.dtype(), s}); !valid.ok()) invalid(valid.error().what);
  const Tensor zeros = broadcast_to(constant(x, 0), {TensorType(x.dtype(), shape).elements()});
  Tensor y =
      scatter_elements(zeros, reshape(n.in(1), {.shape = {-1}}), reshape(x, {.shape = {-1}}), {.axis = 0});
  y = reshape(y, {.shape = shape});
  // The indices refer to the shape that the windows decide. The result has the wanted shape, and the images
  // are in its corner.
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto axis = static_cast<int64_t>(d);
    if (sizes[d] < shape[d]) invalid("output_shape has the element " + std::to_string(sizes[d]));
    if (sizes[d] > shape[d]) y = ops::pad(y, {.axis = axis, .before = 0, .after = sizes[d] - shape[d]});
  }
  return {y};
}

// Returns the exponent of a norm, which is a floating-point number in version 1.
double exponent_of(const Node& n) {
  return n.opset() < 2 ? n.real("p", 2) : static_cast<double>(n.number("p", 2));
}

Results norm_of_windows(Node& n) { return {lp_pool(n.in(0), exponent_of(n), pool_options(n))}; }
Results global_average(Node& n) { return {global_avg_pool(n.in(0))}; }
Results global_maximum(Node& n) { return {global_max_pool(n.in(0))}; }
Results global_norm(Node& n) { return {onnx_ops::global_lp_pool(n.in(0), exponent_of(n))}; }

}  // namespace

static void add_poolings(Converters& table) {
  table.insert({{"AveragePool", average_of_windows},
                {"GlobalAveragePool", global_average},
                {"GlobalLpPool", global_norm},
                {"GlobalMaxPool", global_maximum},
                {"LpPool", norm_of_windows},
                {"MaxPool", maximum_of_windows},
                {"MaxUnpool", unpooled}});
}

static const ConverterFamily kPoolingsConverters(add_poolings);

}  // namespace cutset::onnx

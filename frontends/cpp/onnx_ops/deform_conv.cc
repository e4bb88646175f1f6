// SPDX-License-Identifier: Apache-2.0
#include <cutset/constants.h>
#include <cutset/onnx_ops/deform_conv.h>

#include "frontends/cpp/functional/arange.h"
#include "frontends/cpp/functional/compose_in_f32.h"
#include "frontends/cpp/functional/images/image_windows.h"
#include "frontends/cpp/functional/images/sample_images.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;
using ImageWindows = std::vector<ImageWindow>;

ImageWindows checked_windows(const Tensor& x, const Tensor& weight, const DeformConvOptions& o,
                             Where source) {
  const std::vector<int64_t> sizes = image_sizes(x, "deform_conv", source);
  require_tensor(weight, "deform_conv", source);
  const int64_t channels = x.shape()[1];
  if (o.groups < 1 || o.offset_groups < 1 || channels % o.groups || channels % o.offset_groups)
    refuse(x, "deform_conv", "groups and offset_groups that divide the number of channels", source);
  if (weight.type().rank() != x.type().rank() || weight.dtype() != x.dtype() ||
      weight.shape()[1] != channels / o.groups || weight.shape()[0] < 1 || weight.shape()[0] % o.groups)
    refuse(x, "deform_conv",
           "weights [o, c / groups, kernel...] of its type, where groups divide o, not " +
               to_string(weight.type()),
           source);
  return windows_of(x, "deform_conv", sizes,
                    {std::vector<int64_t>(weight.shape().begin() + 2, weight.shape().end()), o.stride,
                     o.padding, o.dilation},
                    source);
}

// Throws unless `operand` is [n, channels, windows...] of the type of x.
void require_operand(const Tensor& x, const Tensor& operand, const char* name, int64_t channels,
                     const ImageWindows& axes, Where source) {
  require_tensor(operand, "deform_conv", source);
  Shape expected = {x.shape()[0], channels};
  for (const ImageWindow& a : axes) expected.push_back(a.count);
  if (operand.shape() != expected || operand.dtype() != x.dtype())
    refuse(x, "deform_conv",
           std::string("the operand '") + name + "' of its type and the shape " + to_string(expected) +
               ", not " + to_string(operand.type()),
           source);
}

// Returns the positions [n * offset groups, elements of the kernel * windows] along each axis.
std::vector<Tensor> positions_of(const Tensor& offset, const ImageWindows& axes, int64_t kernel,
                                 int64_t windows, Where source) {
  const size_t rank = 1 + 2 * axes.size();
  Shape by_axis = {-1, kernel, static_cast<int64_t>(axes.size())},
        of_axis = {-1};  // of_axis: [n, kernel..., windows...]
  for (const ImageWindow& a : axes) {
    by_axis.push_back(a.count);
    of_axis.push_back(a.kernel);
  }
  for (const ImageWindow& a : axes) of_axis.push_back(a.count);
  const Tensor offsets = reshape(offset, {.shape = by_axis}, source);
  // Returns the numbers first, first + step, ... along a dimension of a tensor of this shape.
  const auto steps = [&](int64_t count, int64_t first, int64_t step, size_t dimension) {
    Shape along(rank - dimension, 1);
    along[0] = count;
    const Tensor numbers = arange_of(offset.graph(), count, offsets.dtype(), source);
    const auto number = [&](int64_t n) { return constant(numbers, Number(n, source)); };
    return reshape(add(mul(numbers, number(step), source), number(first), source), {.shape = along}, source);
  };
  std::vector<Tensor> positions;
  for (size_t d = 0; d < axes.size(); ++d) {
    const ImageWindow& a = axes[d];
    const Tensor grid = add(steps(a.kernel, 0, a.dilation, 1 + d),
                            steps(a.count, -a.before, a.stride, 1 + axes.size() + d), source);
    const Tensor moved =
        ops::slice(offsets, {.axis = 2, .start = static_cast<int64_t>(d), .length = 1}, source);
    const Tensor position = add(grid, reshape(moved, {.shape = of_axis}, source), source);
    positions.push_back(reshape(position, {.shape = {-1, kernel * windows}}, source));
  }
  return positions;
}

}  // namespace

Tensor deform_conv(const Tensor& x, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                   const Tensor& bias, const DeformConvOptions& o, Where source) {
  const auto again = [x = kept(x), weight = kept(weight), offset = kept(offset), mask = kept(mask),
                      bias = kept(bias), o, source](const Counterpart& now) {
    return deform_conv(now(x), now(weight), now(offset), now(mask), now(bias), o, source);
  };
  const auto build = [&](const Tensor& x, const Tensor& weight, const Tensor& offset, const Tensor& mask,
                         const Tensor& bias) {
    const ImageWindows axes = checked_windows(x, weight, o, source);
    const int64_t kernel =
        product_of(x, "deform_conv", axes, [](const ImageWindow& a) { return a.kernel; }, source);
    const int64_t windows =
        product_of(x, "deform_conv", axes, [](const ImageWindow& a) { return a.count; }, source);
    const int64_t channels = x.shape()[1], filters = weight.shape()[0], planes = o.offset_groups * kernel;
    require_operand(x, offset, "offset", planes * static_cast<int64_t>(axes.size()), axes, source);
    if (mask.defined()) require_operand(x, mask, "mask", planes, axes, source);
    if (bias.defined() && (bias.shape() != Shape{filters} || bias.dtype() != x.dtype()))
      refuse(x, "deform_conv", "a bias [o] of its type, not " + to_string(bias.type()), source);
    // Each group of channels with separate offsets is a separate image.
    Shape images(x.shape());
    images[0] = -1;
    images[1] = channels / o.offset_groups;
    Tensor samples = sampled(reshape(x, {.shape = images}, source),
                             positions_of(offset, axes, kernel, windows, source), {}, source);
    if (mask.defined())
      samples = mul(samples, reshape(mask, {.shape = {-1, 1, kernel * windows}}, source), source);
    const int64_t products = channels / o.groups * kernel;
    const Tensor y =
        matmul(reshape(weight, {.shape = {o.groups, filters / o.groups, products}}, source),
               reshape(samples, {.shape = {-1, o.groups, products, windows}}, source), {}, source);
    Shape shape = {-1, filters}, beside(axes.size() + 1, 1);
    for (const ImageWindow& a : axes) shape.push_back(a.count);
    beside[0] = filters;
    const Tensor sums = reshape(y, {.shape = shape}, source);
    return bias.defined() ? add(sums, reshape(bias, {.shape = beside}, source), source) : sums;
  };
  return compose_in_f32(x, "deform_conv", source, again, std::tie(x, weight, offset, mask, bias), build);
}

}  // namespace cutset::onnx_ops

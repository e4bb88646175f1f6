// SPDX-License-Identifier: Apache-2.0
// Convolutions of numbers and of integers, and transposed convolutions. Images have one to three dimensions.
#include <cutset/constants.h>
#include <cutset/convolutions.h>
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/ops.h>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/activation_functions.h"
#include "frontends/onnx/import/nodes/windows.h"

namespace cutset::onnx {
namespace {

// Returns the sizes of a filter after its channels.
std::vector<int64_t> kernel_of(const Tensor& x, const Tensor& filter) {
  if (filter.type().rank() != x.type().rank())
    invalid("the filter is " + to_string(filter.type()) + ", and the images are " + to_string(x.type()));
  return spatial_size(filter.type());
}

ConvOptions options_of(const Node& n, const Tensor& x, const Tensor& filter) {
  const Windows w = windows_of(n, kernel_of(x, filter), spatial_size(x.type()));
  return {
      .stride = w.strides, .padding = both_sides(w), .dilation = w.dilations, .groups = n.number("group", 1)};
}

Results convolution(Node& n) {
  const Tensor x = n.in(0), filter = n.in(1);
  return {conv(x, filter, n.optional(2), options_of(n, x, filter))};
}

// Converts ONNX Runtime's convolution, which adds operand 3 and then applies an activation function.
Results fused_convolution(Node& n) {
  Tensor y = convolution(n)[0].tensor;
  if (n.has(3)) y = y + n.in(3);
  const std::string activation = n.text("activation", "");
  const std::vector<double> numbers = n.reals("activation_params").value_or(std::vector<double>{});
  if (activation.empty()) return {y};
  if (numbers.size() > 2) invalid("activation_params has " + std::to_string(numbers.size()) + " elements");
  if (activation == "Clip") {
    if (numbers.size() != 2) invalid("activation_params of Clip has no minimum and maximum");
    return {clip(y, constant(y, numbers[0]), constant(y, numbers[1]))};
  }
  const auto number = [&](size_t i) { return i < numbers.size() ? std::optional(numbers[i]) : std::nullopt; };
  return {activation_function(activation, number(0), number(1))(y)};
}

Results convolution_of_integers(Node& n) {
  const Tensor x = n.in(0), filter = n.in(1);
  return {onnx_ops::conv_integer({x, n.optional(2)}, {filter, n.optional(3)}, options_of(n, x, filter))};
}

Results quantized_convolution(Node& n) {
  const Tensor x = n.in(0), filter = n.in(3);
  return {onnx_ops::qlinear_conv({x, n.in(2)}, n.in(1), {filter, n.in(5)}, n.in(4), {n.in(6), n.in(7)},
                                 n.optional(8), options_of(n, x, filter))};
}

// Returns the wanted size of the result along each axis, or an empty list if the padding decides the size.
std::vector<int64_t> wanted_sizes(const Node& n, const std::vector<int64_t>& size, const Windows& w) {
  if (n.has_attribute("output_shape")) {
    auto shape = *n.numbers("output_shape");
    if (shape.size() == size.size() + 2) shape.erase(shape.begin(), shape.begin() + 2);
    if (shape.size() != size.size())
      invalid("output_shape has " + std::to_string(shape.size()) + " elements");
    return shape;
  }
  if (!n.text("auto_pad", "NOTSET").starts_with("SAME")) return {};
  std::vector<int64_t> shape;
  for (size_t d = 0; d < size.size(); ++d) shape.push_back(size[d] * w.strides[d]);
  return shape;
}

Results transposed_convolution(Node& n) {
  const Tensor x = n.in(0), filter = n.in(1);
  const std::vector<int64_t> size = spatial_size(x.type());
  Windows w = windows_of(n, kernel_of(x, filter), size);
  std::vector<int64_t> extra = numbers_per_axis(n, "output_padding", size.size(), 0, 0);
  const std::vector<int64_t> output_sizes = wanted_sizes(n, size, w);
  for (size_t d = 0; d < output_sizes.size(); ++d) {
    const int64_t full_size = (size[d] - 1) * w.strides[d] + (w.kernel[d] - 1) * w.dilations[d] + 1;
    if (output_sizes[d] < 1 || output_sizes[d] > full_size + w.strides[d])
      invalid("output_shape has the element " + std::to_string(output_sizes[d]));
    const int64_t cut = std::max<int64_t>(full_size + extra[d] - output_sizes[d], 0);
    if (full_size + extra[d] < output_sizes[d]) extra[d] = output_sizes[d] - full_size;
    w.before[d] = n.text("auto_pad", "NOTSET") == "SAME_UPPER" ? cut / 2 : cut - cut / 2;
    w.after[d] = cut - w.before[d];
  }
  Tensor y = conv_transpose(x, filter, {},
                            {.stride = w.strides,
                             .padding = both_sides(w),
                             .output_padding = extra,
                             .groups = n.number("group", 1),
                             .dilation = w.dilations});
  if (!n.has(2)) return {y};
  std::vector<int64_t> channels(x.shape().size() - 1, 1);
  channels[0] = y.shape()[1];
  return {y + reshape(n.in(2), {.shape = channels})};
}

}  // namespace

static void add_convolutions(Converters& table) {
  table.insert({{"Conv", convolution},
                {"ConvInteger", convolution_of_integers},
                {"com.microsoft.FusedConv", fused_convolution},
                {"ConvTranspose", transposed_convolution},
                {"QLinearConv", quantized_convolution}});
}

static const ConverterFamily kConvolutionsConverters(add_convolutions);

}  // namespace cutset::onnx

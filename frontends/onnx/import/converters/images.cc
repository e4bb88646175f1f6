// SPDX-License-Identifier: Apache-2.0
// Ops that read images at positions between pixels, or in windows.
#include <cutset/images.h>
#include <cutset/onnx_ops/deform_conv.h>
#include <cutset/onnx_ops/roi_align.h>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/windows.h"

namespace cutset::onnx {
namespace {

Results grid_sample_of(Node& n) {
  GridSampleOptions o;
  const std::string mode = n.text("mode", "linear"), border = n.text("padding_mode", "zeros");
  if (mode == "nearest")
    o.mode = Interpolation::kNearest;
  else if (mode == "cubic" || mode == "bicubic")
    o.mode = Interpolation::kCubic;
  else if (mode != "linear" && mode != "bilinear")
    invalid("the mode is '" + mode + "'");
  if (border == "border")
    o.border = BorderMode::kBorder;
  else if (border == "reflection")
    o.border = BorderMode::kReflection;
  else if (border != "zeros")
    invalid("padding_mode is '" + border + "'");
  o.align_corners = n.number("align_corners", 0) != 0;
  o.moves_inside = true;
  return {grid_sample(n.in(0), n.in(1), o)};
}

Results affine_grid_of(Node& n) {
  const Tensor theta = n.in(0);
  const std::vector<int64_t> size = n.known_ints(1);  // [n, c, ...]
  if (size.size() < 3 || theta.type().rank() == 0 || size[0] != theta.shape()[0])
    invalid("the size does not fit theta of " + to_string(theta.type()));
  return {affine_grid(theta, {size.begin() + 2, size.end()}, n.number("align_corners", 0) != 0)};
}

Results roi_align_of(Node& n) {
  onnx_ops::RoiAlignOptions o;
  o.output_size = {n.number("output_height", 1), n.number("output_width", 1)};
  o.spatial_scale = n.real("spatial_scale", 1);
  o.sampling_ratio = n.number("sampling_ratio", 0);
  const std::string shift =
      n.text("coordinate_transformation_mode", n.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if (shift != "half_pixel" && shift != "output_half_pixel")
    invalid("coordinate_transformation_mode is '" + shift + "'");
  o.aligned = shift == "half_pixel";
  const std::string mode = n.text("mode", "avg");
  if (mode != "avg" && mode != "max") invalid("the mode is '" + mode + "'");
  if (mode == "max") o.pooling = onnx_ops::RoiPooling::kMaximum;
  if (mode == "max" && o.sampling_ratio == 0)
    unsupported(
        "the maximum of a number of samples that depends on the regions (mode max with sampling_ratio 0)");
  return {onnx_ops::roi_align(n.in(0), n.in(1), n.in(2), o)};
}

Results fold_of(Node& n) {
  const std::vector<int64_t> size = n.known_ints(1);
  const Windows w = windows_of(n, n.known_ints(2), size);
  return {fold(
      n.in(0), size,
      {.kernel_size = w.kernel, .stride = w.strides, .padding = both_sides(w), .dilation = w.dilations})};
}

Results deform_conv_of(Node& n) {
  const Tensor x = n.in(0), weight = n.in(1);
  const std::vector<int64_t> kernel = spatial_size(weight.type());
  const Windows w = windows_of(n, kernel, spatial_size(x.type()));
  return {onnx_ops::deform_conv(x, weight, n.in(2), n.optional(4), n.optional(3),
                                {.stride = w.strides,
                                 .padding = both_sides(w),
                                 .dilation = w.dilations,
                                 .groups = n.number("group", 1),
                                 .offset_groups = n.number("offset_group", 1)})};
}

}  // namespace

static void add_images(Converters& table) {
  table.insert({{"AffineGrid", affine_grid_of},
                {"Col2Im", fold_of},
                {"DeformConv", deform_conv_of},
                {"GridSample", grid_sample_of},
                {"RoiAlign", roi_align_of}});
}

static const ConverterFamily kImagesConverters(add_images);

}  // namespace cutset::onnx

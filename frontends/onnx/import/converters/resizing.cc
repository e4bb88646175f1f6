// SPDX-License-Identifier: Apache-2.0
// Ops that change the size of images.
#include <cutset/interpolate.h>
#include <cutset/onnx_ops/resize.h>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// Returns the choice that the attribute names.
template <class T>
T choice(const Node& n, const char* name, const char* otherwise, const std::map<std::string, T>& choices) {
  const std::string text = n.text(name, otherwise);
  const auto found = choices.find(text);
  if (found == choices.end()) invalid(std::string(name) + " is '" + text + "'");
  return found->second;
}

Interpolation mode_of(const Node& n) {
  const char* linear = n.opset() < 7 ? "bilinear" : "linear";
  return choice<Interpolation>(n, "mode", "nearest",
                               {{"nearest", Interpolation::kNearest},
                                {linear, Interpolation::kLinear},
                                {"cubic", Interpolation::kCubic}});
}

// Returns the elements of an operand, or no elements if it is left out. In old versions, an operand without
// elements is left out.
std::vector<double> numbers_of(Node& n, int i) {
  std::vector<double> numbers;
  if (!n.has(i)) return numbers;
  const HostTensor& elements = n.known(i);
  for (int64_t k = 0; k < elements.elements(); ++k) numbers.push_back(elements.at(k));
  return numbers;
}

// Converts Upsample, and Resize of version 10. Linear modes interpolate at index / scale. The mode "nearest"
// takes the row at floor(index / scale), or at the ceiling if the scale is below 1. The text of version 10
// leaves the rounding open. ONNX's node tests and ONNX Runtime round so.
Results resized_by(const Tensor& x, const std::vector<double>& scales, Interpolation mode) {
  if (static_cast<int>(scales.size()) != x.type().rank())
    invalid("there are " + std::to_string(scales.size()) + " scales for " + std::to_string(x.type().rank()) +
            " dimensions");
  Tensor y = x;
  for (const bool smaller : {true, false}) {
    onnx_ops::ResizeOptions o{
        .f32_scales = true,
        .mode = mode,
        .positions = onnx_ops::ResizePositions::kAsymmetric,
        .nearest = smaller ? onnx_ops::NearestPixel::kCeil : onnx_ops::NearestPixel::kFloor};
    for (size_t d = 0; d < scales.size(); ++d)
      if (smaller == (scales[d] < 1)) {
        o.axes.push_back(static_cast<int64_t>(d));
        o.scales.push_back(scales[d]);
      }
    if (!o.axes.empty()) y = onnx_ops::resize(y, o);
  }
  return {y};
}

Results upsample_of(Node& n) {
  if (n.opset() < 7) {
    for (const char* name : {"height_scale", "width_scale"})
      if (!n.has_attribute(name)) invalid("the attribute '" + std::string(name) + "' is missing");
    return resized_by(n.in(0), {1, 1, n.real("height_scale", 1), n.real("width_scale", 1)}, mode_of(n));
  }
  const auto attribute = n.reals("scales");
  return resized_by(n.in(0), attribute ? *attribute : numbers_of(n, 1), mode_of(n));
}

Results resize_of(Node& n) {
  const Tensor x = n.in(0);
  if (n.opset() < 11) return resized_by(x, numbers_of(n, 1), mode_of(n));
  // Exporters write a region of interest in every mode, and only tf_crop_and_resize uses it. This call marks
  // the operand as read in the other modes.
  n.has(1);
  onnx_ops::ResizeOptions o;
  o.mode = mode_of(n);
  o.axes = n.numbers("axes").value_or(std::vector<int64_t>{});
  o.scales = numbers_of(n, 2);
  o.f32_scales = true;
  if (n.has(3)) o.sizes = n.known_ints(3);
  o.aspect_ratio = choice<onnx_ops::AspectRatio>(n, "keep_aspect_ratio_policy", "stretch",
                                                 {{"stretch", onnx_ops::AspectRatio::kStretch},
                                                  {"not_larger", onnx_ops::AspectRatio::kNotLarger},
                                                  {"not_smaller", onnx_ops::AspectRatio::kNotSmaller}});
  o.positions = choice<onnx_ops::ResizePositions>(
      n, "coordinate_transformation_mode", "half_pixel",
      {{"half_pixel", onnx_ops::ResizePositions::kHalfPixel},
       {"half_pixel_symmetric", onnx_ops::ResizePositions::kHalfPixelSymmetric},
       {"pytorch_half_pixel", onnx_ops::ResizePositions::kPytorchHalfPixel},
       {"align_corners", onnx_ops::ResizePositions::kAlignCorners},
       {"asymmetric", onnx_ops::ResizePositions::kAsymmetric},
       {"tf_half_pixel_for_nn", onnx_ops::ResizePositions::kTfHalfPixelForNn},
       {"tf_crop_and_resize", onnx_ops::ResizePositions::kCrop}});
  o.nearest =
      choice<onnx_ops::NearestPixel>(n, "nearest_mode", "round_prefer_floor",
                                     {{"round_prefer_floor", onnx_ops::NearestPixel::kRoundPreferFloor},
                                      {"round_prefer_ceil", onnx_ops::NearestPixel::kRoundPreferCeil},
                                      {"floor", onnx_ops::NearestPixel::kFloor},
                                      {"ceil", onnx_ops::NearestPixel::kCeil}});
  o.cubic_coefficient = n.real("cubic_coeff_a", -0.75);
  o.exclude_outside = n.number("exclude_outside", 0) != 0;
  o.antialias = n.number("antialias", 0) != 0;
  o.extrapolation_value = n.real("extrapolation_value", 0);
  if (o.positions == onnx_ops::ResizePositions::kCrop) {
    const std::vector<double> part = numbers_of(n, 1);  // all starts, and then all ends
    if (part.size() % 2) invalid("the region of interest has " + std::to_string(part.size()) + " numbers");
    const auto middle = part.begin() + static_cast<int64_t>(part.size() / 2);
    o.crop_start.assign(part.begin(), middle);
    o.crop_end.assign(middle, part.end());
  }
  return {onnx_ops::resize(x, o)};
}

}  // namespace

static void add_resizing(Converters& table) {
  table.insert({{"Resize", resize_of}, {"Upsample", upsample_of}});
}

static const ConverterFamily kResizingConverters(add_resizing);

}  // namespace cutset::onnx

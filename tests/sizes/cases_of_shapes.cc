// SPDX-License-Identifier: Apache-2.0
// The cases of functions that change shapes, the order of elements, and images.
#include <cutset/onnx_ops/deform_conv.h>
#include <cutset/onnx_ops/pooling.h>
#include <cutset/onnx_ops/resize.h>
#include <cutset/onnx_ops/roi_align.h>
#include <cutset/onnx_ops/shapes.h>

#include "tests/sizes/size_case.h"

namespace cutset {
namespace {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;
constexpr int64_t kEnd = INT64_MAX;

void add_slices(std::vector<SizeCase>& all) {
  const auto slices = [&](const char* name, int64_t axis, int64_t start, int64_t end, int64_t step) {
    all.push_back({std::string("slice:") + name, rows,
                   [=](Graph&, const In& x) { return Out{slice(x[0], axis, start, end, step)}; }, true, true,
                   /*joins_samples=*/axis == 0});
  };
  slices("last", 1, -1, kEnd, 1);
  slices("all but the first", 1, 1, kEnd, 1);
  slices("all but the last", 1, 0, -1, 1);
  slices("from -3", 1, -3, 100, 1);
  slices("backward", 1, kEnd, INT64_MIN, -1);
  slices("every second", 1, 0, kEnd, 2);
  slices("last samples", 0, -2, kEnd, 1);
  slices("every second sample", 0, 0, kEnd, 2);
  slices("features", 2, 1, kEnd, 2);
  slices("first samples", 0, 0, 3, 1);
  slices("beyond", 1, 1, 1000, 1);
  slices("all", 1, 0, 6, 1);
  slices("samples backward", 0, kEnd, INT64_MIN, -1);
  all.push_back({"flip", rows, [](Graph&, const In& x) { return Out{flip(x[0], {1}), flip(x[0], {1, 2})}; }});
  all.push_back({"flip:samples", rows, [](Graph&, const In& x) { return Out{flip(x[0], {0, 1})}; }, true,
                 true,
                 /*joins_samples=*/true});
  all.push_back({"sort", rows, [](Graph&, const In& x) { return Out{sort(x[0], 1)}; }});
  all.push_back({"sort:samples", rows, [](Graph&, const In& x) { return Out{sort(x[0], 0, true)}; }, true,
                 true,
                 /*joins_samples=*/true});
  all.push_back(
      {"argsort", rows, [](Graph&, const In& x) { return Out{argsort(x[0], 1), argsort(x[0], 0)}; }, false});
  all.push_back({"pad", rows, [](Graph&, const In& x) {
                   return Out{pad(x[0], {0, 0, 1, 2}, PadMode::kConstant, 7),
                              pad(x[0], {1, 0, -1, -2}, PadMode::kConstant, constant(x[0], 7)),
                              pad(x[0], {1, 1, 2, 2}, PadMode::kEdge)};
                 }});
  all.push_back(
      {"pad:samples", rows,
       [](Graph&, const In& x) { return Out{pad(x[0], {0, 0, 0, 0, 0, 1}, PadMode::kConstant, 7)}; }, true,
       true, /*joins_samples=*/true});
  all.push_back({"layer_norm:plain", rows,
                 [](Graph&, const In& x) { return Out{layer_norm(x[0]), layer_norm(x[0], {.axis = 1})}; }});
  all.push_back({"transpose:reversed", rows, [](Graph&, const In& x) { return Out{transpose(x[0])}; }});
  all.push_back({"split", rows, [](Graph&, const In& x) {
                   const Tensor twice = concat({x[0], x[0]}, 1);  // has an even number of rows for each size
                   return Out{split(twice, 2, 1)[1]};
                 }});
  all.push_back({"dropout", rows, [](Graph&, const In& x) { return Out{dropout(x[0], 0.3)}; }});
  all.push_back({"triu", rows, [](Graph&, const In& x) { return Out{triu(x[0], 1)}; }});
  all.push_back({"tril", rows, [](Graph&, const In& x) { return Out{tril(x[0], -1)}; }});
}

void add_dimensions(std::vector<SizeCase>& all) {
  all.push_back(
      {"squeeze",
       [](const Sizes& s) { return std::vector<SizedInput>{{{1, s.batch, s.length}, f32, 0.2, 0.9, 1}}; },
       [](Graph&, const In& x) { return Out{squeeze(x[0], {0})}; }});
  all.push_back({"squeeze:last",
                 [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length, 1}}}; },
                 [](Graph&, const In& x) { return Out{squeeze(x[0], {-1})}; }});
  all.push_back({"unsqueeze", rows, [](Graph&, const In& x) {
                   return Out{unsqueeze(x[0], {0}), unsqueeze(x[0], {1}), unsqueeze(x[0], {-1})};
                 }});
  all.push_back({"stack", rows, [](Graph&, const In& x) {
                   return Out{stack({x[0], x[0] * 2}, 0), stack({x[0], x[0] * 2}, 2)};
                 }});
  all.push_back({"tile", rows, [](Graph&, const In& x) {
                   return Out{tile(x[0], {1, 2, 1}), tile(x[0], {1, 3, 2}), tile(x[0], {1, 1, 1})};
                 }});
  all.push_back({"tile:samples", rows, [](Graph&, const In& x) { return Out{tile(x[0], {2, 1, 3})}; }, true,
                 true,
                 /*joins_samples=*/true});
  all.push_back({"move_axis", rows,
                 [](Graph&, const In& x) { return Out{move_axis(x[0], 0, 2), move_axis(x[0], 1, 1)}; }});
  all.push_back({"broadcast_to",
                 [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 1, s.length}}}; },
                 [](Graph&, const In& x) {
                   const Shape& s = x[0].shape();
                   return Out{broadcast_to(x[0], {s[0], 3, s[2]}), broadcast_to(x[0], {2, s[0], 3, s[2]}),
                              broadcast_to(x[0], {-1, 4, -1}), broadcast_to(x[0], s)};
                 }});
  all.push_back({"arange_like", rows, [](Graph&, const In& x) {
                   return Out{x[0] * cast(unsqueeze(arange_like(x[0], 1), {1}), {.dtype = f32}),
                              arange_like(x[0], 0, i32)};
                 }});
  all.push_back({"arange", rows, [](Graph& g, const In& x) { return Out{x[0] + arange(g, 5, f32)}; }});
  all.push_back({"flatten", rows, [](Graph&, const In& x) { return Out{flatten(x[0])}; }});
  all.push_back({"onnx_ops::depth_to_space",
                 [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 8, s.height, s.width}}}; },
                 [](Graph&, const In& x) {
                   return Out{onnx_ops::depth_to_space(x[0], 2),
                              onnx_ops::depth_to_space(x[0], 2, onnx_ops::BlockOrder::kColumnRowDepth)};
                 }});
  all.push_back(
      {"onnx_ops::space_to_depth",
       [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 3, 2 * s.height, 2 * s.width}}}; },
       [](Graph&, const In& x) { return Out{onnx_ops::space_to_depth(x[0], 2)}; }});
  all.push_back({"einsum", rows, [](Graph&, const In& x) {
                   return Out{einsum("bti,bsi->bts", {x[0], x[0]}), einsum("bti->ti", {x[0]}),
                              einsum("bti,bui->tu", {x[0], x[0]})};
                 }});
}

void add_images(std::vector<SizeCase>& all) {
  const auto pool = [&](const char* name, std::function<Tensor(const Tensor&)> f, bool trains = true) {
    all.push_back({name, images, [f](Graph&, const In& x) { return Out{f(x[0])}; }, trains});
  };
  pool("max_pool", [](const Tensor& x) { return max_pool(x, {.kernel_size = 2, .stride = 1}); });
  pool("max_pool_indices", [](const Tensor& x) { return max_pool_indices(x, {.kernel_size = 2}); }, false);
  pool("avg_pool", [](const Tensor& x) { return avg_pool(x, {.kernel_size = 3, .padding = 1}); });
  pool("lp_pool", [](const Tensor& x) { return lp_pool(x, 2, {.kernel_size = 2}); });
  pool("global_max_pool", [](const Tensor& x) { return global_max_pool(x); });
  pool("global_avg_pool", [](const Tensor& x) { return global_avg_pool(x); });
  pool("onnx_ops::global_lp_pool", [](const Tensor& x) { return onnx_ops::global_lp_pool(x, 2); });
  pool("interpolate", [](const Tensor& x) { return interpolate(x, {.scale_factor = {2}}); });
  pool("interpolate:linear", [](const Tensor& x) {
    return interpolate(x, {.scale_factor = {0.5}, .mode = Interpolation::kLinear});
  });
  pool("interpolate:size",
       [](const Tensor& x) { return interpolate(x, {.size = {3, 4}, .mode = Interpolation::kLinear}); });
  pool("onnx_ops::resize", [](const Tensor& x) {
    return onnx_ops::resize(x, {.axes = {2, 3}, .scales = {1.5, 2}, .mode = Interpolation::kCubic});
  });
  pool("unfold", [](const Tensor& x) { return unfold(x, {.kernel_size = 3, .padding = 1}); });
  all.push_back({"fold", [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 8, 20}}}; },
                 [](Graph&, const In& x) { return Out{fold(x[0], {5, 6}, {.kernel_size = 2})}; }, true,
                 false});
  all.push_back({"grid_sample",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, 3, s.height, s.width}},
                                                  {{s.batch, 2, s.length, 2}, f32, -1, 1}};
                 },
                 [](Graph&, const In& x) { return Out{grid_sample(x[0], x[1])}; }});
  all.push_back({"affine_grid", [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 2, 3}}}; },
                 [](Graph&, const In& x) { return Out{affine_grid(x[0], {3, 4})}; }});
  all.push_back(
      {"onnx_ops::roi_align",
       [](const Sizes& s) {
         return std::vector<SizedInput>{
             {{s.batch, 3, s.height, s.width}}, {{s.batch, 4}, f32, 1, 4}, {{s.batch}, i32, 0, 1}};
       },
       [](Graph&, const In& x) { return Out{onnx_ops::roi_align(x[0], x[1], x[2], {.output_size = 2})}; },
       true, true,
       /*joins_samples=*/true});
  all.push_back({"onnx_ops::deform_conv",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, 3, s.height, s.width}},
                                                  {{s.batch, 8, s.height - 1, s.width - 1}, f32, -1, 1}};
                 },
                 [](Graph& g, const In& x) {
                   const Tensor filter = g.variable("filter", f32, {2, 3, 2, 2}, Initializer::uniform(-1, 1));
                   return Out{onnx_ops::deform_conv(x[0], filter, x[1], {}, {})};
                 }});
}

}  // namespace

std::vector<SizeCase> size_cases_of_shapes() {
  std::vector<SizeCase> all;
  add_slices(all);
  add_dimensions(all);
  add_images(all);
  return all;
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests the errors of resize and interpolate.
#include <cutset/interpolate.h>
#include <cutset/onnx_ops/resize.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

using testing::evaluated, testing::expect_elements, testing::filled;
using Build = std::function<Tensor(const Tensor&)>;

TEST(ResizeErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const Tensor x = g.input("x", f32, {1, 2, 4, 6}), whole = g.input("whole", i32, {1, 2, 4, 6}),
               list = g.input("list", f32, {4}), none = g.input("none", f32, {1, 2, 0, 6});
  const std::string before = g.text();
  const double inf = HUGE_VAL, nan = std::nan("");
  const std::vector<int64_t> all = {1, 2, 3, 3};
  const Interpolation linear = Interpolation::kLinear;
  EXPECT_ERROR_HERE("either sizes or scales", onnx_ops::resize(x, {}));
  EXPECT_ERROR_HERE("either sizes or scales",
                    onnx_ops::resize(x, {.sizes = {1, 2, 4, 6}, .scales = {1, 1, 1, 1}}));
  EXPECT_ERROR_HERE("one size or scale per axis", onnx_ops::resize(x, {.sizes = {3, 3}}));
  EXPECT_ERROR_HERE("axes that differ", onnx_ops::resize(x, {.axes = {2, -2}, .sizes = {3, 3}}));
  EXPECT_ERROR_HERE("an axis from -4 to 3, not 4", onnx_ops::resize(x, {.axes = {4}, .sizes = {3}}));
  for (const double scale : {0.0, -1.0, inf, nan})
    EXPECT_ERROR_HERE("scales that are positive and finite",
                      onnx_ops::resize(x, {.axes = {3}, .scales = {scale}}));
  EXPECT_ERROR_HERE("new sizes from 0 to 2^20", onnx_ops::resize(x, {.axes = {3}, .scales = {1e300}}));
  EXPECT_ERROR_HERE("scales of f32",
                    onnx_ops::resize(x, {.axes = {3}, .scales = {1e300}, .f32_scales = true}));
  EXPECT_ERROR_HERE("new sizes from 0 to 2^20",
                    onnx_ops::resize(x, {.axes = {3}, .scales = {3e38}, .f32_scales = true}));
  EXPECT_ERROR_HERE("new sizes from 0 to 2^20", onnx_ops::resize(x, {.axes = {3}, .scales = {200000}}));
  EXPECT_ERROR_HERE("sizes from 0 to 2^20", onnx_ops::resize(x, {.axes = {3}, .sizes = {int64_t{1} << 62}}));
  EXPECT_ERROR_HERE("sizes from 0 to 2^20", onnx_ops::resize(x, {.axes = {3}, .sizes = {-1}}));
  EXPECT_ERROR_HERE("at most 2^20 taps",
                    onnx_ops::resize(x, {.axes = {3}, .sizes = {1 << 20}, .mode = linear}));
  EXPECT_ERROR_HERE("a floating-point type", onnx_ops::resize(whole, {.sizes = all, .mode = linear}));
  EXPECT_ERROR_HERE("a row in dimension 2", onnx_ops::resize(none, {.sizes = all}));
  EXPECT_ERROR_HERE("antialias", onnx_ops::resize(x, {.sizes = all, .antialias = true}));
  EXPECT_ERROR_HERE("cubic coefficient", onnx_ops::resize(x, {.sizes = all, .cubic_coefficient = nan}));
  EXPECT_ERROR_HERE(
      "sizes, not scales",
      onnx_ops::resize(x, {.scales = {1, 1, 1, 2}, .aspect_ratio = onnx_ops::AspectRatio::kNotLarger}));
  EXPECT_ERROR_HERE("one crop_start",
                    onnx_ops::resize(x, {.sizes = all, .positions = onnx_ops::ResizePositions::kCrop}));
  EXPECT_ERROR_HERE("that are finite", onnx_ops::resize(list, {.sizes = {3},
                                                               .positions = onnx_ops::ResizePositions::kCrop,
                                                               .crop_start = {nan},
                                                               .crop_end = {1}}));
  // The filter is stretched over 2e9 rows, because the crop is much larger than the tensor.
  EXPECT_ERROR_HERE("fewer rows under the filter",
                    onnx_ops::resize(list, {.scales = {1e-9},
                                            .mode = linear,
                                            .positions = onnx_ops::ResizePositions::kCrop,
                                            .antialias = true,
                                            .crop_start = {0},
                                            .crop_end = {1e9}}));
  EXPECT_ERROR_HERE("images [n, c, ...] of at least one axis", interpolate(list, {.size = 3}));
  EXPECT_ERROR_HERE("one size or scale per axis", interpolate(x, {.size = {3, 3, 3}}));
  EXPECT_ERROR_HERE("empty Tensor", interpolate(Tensor(), {.size = 3}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset

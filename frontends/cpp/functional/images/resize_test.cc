// SPDX-License-Identifier: Apache-2.0
// Tests resize and interpolate: their values, their gradients, and their errors. The values of interpolate
// equal PyTorch's; the values of resize are worked out by hand.
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

struct Resizing : testing::PerBackend {
  HostTensor run(const HostTensor& x, const Build& build) {
    return evaluated(device(), {x}, [&](const auto& in) { return build(in[0]); });
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(Resizing);

const HostTensor& image() {
  static const HostTensor x =
      filled(f32, {1, 1, 4, 6}, {1, -2, 3, 0, 5, 2, 4, 4, -1, 6, 0, 3, 7, 1, 2, -3, 2, 8, -2, 0, 5, 1, 9, 4});
  return x;
}

// A long axis has several constants of weights, which are larger in a program that is compiled for f64.
TEST(ResizeInDouble, HasTheWeightsOfALongAxis) {
  Graph g;
  const Tensor x = g.input("x", f32, {1, 1, 2});
  g.output("y", interpolate(x, {.size = {300}, .mode = Interpolation::kLinear, .align_corners = true}));
  const HostTensor y = compile(g, {.devices = "reference:0", .f64 = true})
                           .run("evaluate", {{"x", filled(f32, {1, 1, 2}, {0, 299})}})["y"];
  for (int64_t i = 0; i < 300; ++i) EXPECT_NEAR(y.at(i), static_cast<double>(i), 1e-4) << i;
}

// Compares with torch.nn.functional.interpolate of PyTorch 2.15 in f64.
TEST_P(Resizing, InterpolatesAsPyTorch) {
  const auto of = [&](const InterpolateOptions& o) {
    return run(image(), [&](const Tensor& x) { return interpolate(x, o); });
  };
  expect_elements(of({.size = {3, 8}, .mode = Interpolation::kLinear}), {1, 1, 3, 8},
                  {1.5,  -0.0625,     0.25,     2.166667, 1.166667,  2.979167, 3.416667, 2.166667,
                   5.5,  3.625,       1.75,     0.625,    1.375,     1.1875,   2.6875,   5.5,
                   -0.5, -0.08333333, 1.791667, 3.979167, 0.8541667, 5.020833, 6.645833, 4.666667});
  expect_elements(of({.size = {3, 4}, .mode = Interpolation::kLinear, .align_corners = true}), {1, 1, 3, 4},
                  {1, 1.333333, 1.666667, 2, 5.5, 1.166667, 1.333333, 5.5, -2, 3.333333, 3.666667, 4});
  expect_elements(of({.size = {2, 3}, .mode = Interpolation::kLinear, .antialias = true}), {1, 1, 2, 3},
                  {1.938776, 1.660714, 2.755102, 2, 1.785714, 4.408163});
  expect_elements(of({.size = {5, 3}, .mode = Interpolation::kCubic}), {1, 1, 5, 3},
                  {-1.299078, 1.433555, 4.152898, 3.013703, 2.671023, 1.283648, 5.201172, 0.625, 2.751953,
                   2.344609, -0.2547734, 6.465289, -1.795281, 2.93707, 7.358211});
  expect_elements(of({.size = {3, 2}, .mode = Interpolation::kCubic, .align_corners = true}), {1, 1, 3, 2},
                  {1, 2, 6.625, 5.96875, -2, 4});
  expect_elements(of({.size = {2, 3}, .mode = Interpolation::kCubic, .antialias = true}), {1, 1, 2, 3},
                  {1.972509, 1.550675, 2.698485, 2.048653, 1.535313, 4.796691});
  expect_elements(of({.size = {3, 8}}), {1, 1, 3, 8},
                  {1, 1, -2, 3, 0, 0, 5, 2, 4, 4, 4, -1, 6, 6, 0, 3, 7, 7, 1, 2, -3, -3, 2, 8});
  expect_elements(of({.scale_factor = {0.7, 1.3}, .mode = Interpolation::kLinear}), {1, 1, 2, 7},
                  {1.642857, 0.1016484, 0.4945055, 1.978022, 1.318681, 3.217033, 3.071429, 5.928571, 3.406593,
                   1.587912, 0.7912088, 0.2417582, 0.9972527, 3.75});
  expect_elements(of({.scale_factor = {0.7, 1.3}}), {1, 1, 2, 7},
                  {1, 1, -2, 3, 0, 0, 5, 4, 4, 4, -1, 6, 6, 0});
}

TEST_P(Resizing, ImagesOfOneAndThreeAxes) {
  expect_elements(
      run(filled(f32, {1, 1, 3}, {1, 5, 2}),
          [](const Tensor& x) { return interpolate(x, {.size = 5, .mode = Interpolation::kLinear}); }),
      {1, 1, 5}, {1, 2.6, 5, 3.2, 2});
  expect_elements(run(filled(f32, {1, 1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}),
                      [](const Tensor& x) {
                        return interpolate(x, {.size = {3, 1, 2}, .mode = Interpolation::kLinear});
                      }),
                  {1, 1, 3, 1, 2}, {1, 2, 3, 4, 5, 6});
}

// Resizes a row of four elements with each way to find positions. The positions are in the comments.
TEST_P(Resizing, Positions) {
  const auto row = [&](onnx_ops::ResizePositions positions, std::vector<double> scales) {
    return run(filled(f32, {4}, {10, 20, 40, 80}), [&](const Tensor& x) {
      return onnx_ops::resize(x, {.scales = scales, .mode = Interpolation::kLinear, .positions = positions});
    });
  };
  expect_elements(row(onnx_ops::ResizePositions::kHalfPixel, {0.6}), {2}, {10 + 10. / 3, 40});  // 1/3, 2
  expect_elements(row(onnx_ops::ResizePositions::kHalfPixelSymmetric, {0.6}), {2},
                  {10 + 20. / 3, 40 + 40. / 3});  // 2/3, 7/3
  expect_elements(row(onnx_ops::ResizePositions::kPytorchHalfPixel, {0.6}), {2}, {10 + 10. / 3, 40});
  expect_elements(row(onnx_ops::ResizePositions::kPytorchHalfPixel, {0.3}), {1}, {10});  // 0
  expect_elements(row(onnx_ops::ResizePositions::kHalfPixel, {0.3}), {1},
                  {20 + 20 * (0.5 / 0.3 - 1.5)});                                        // 7/6
  expect_elements(row(onnx_ops::ResizePositions::kAlignCorners, {0.6}), {2}, {10, 80});  // 0, 3
  expect_elements(row(onnx_ops::ResizePositions::kAsymmetric, {0.6}), {2},
                  {10, 20 + 20 * (1 / 0.6 - 1)});  // 0, 1 / 0.6
  expect_elements(row(onnx_ops::ResizePositions::kAsymmetric, {1.5}), {6},
                  {10, 10 + 20. / 3, 20 + 20. / 3, 40, 40 + 80. / 3, 80});  // 0, 2/3, 4/3, 2, 8/3, 10/3
}

TEST_P(Resizing, NearestPixels) {
  const auto row = [&](onnx_ops::NearestPixel nearest) {
    return run(filled(f32, {4}, {0, 1, 2, 3}), [&](const Tensor& x) {
      return onnx_ops::resize(
          x, {.scales = {2}, .positions = onnx_ops::ResizePositions::kAsymmetric, .nearest = nearest});
    });
  };
  expect_elements(row(onnx_ops::NearestPixel::kRoundPreferFloor), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_elements(row(onnx_ops::NearestPixel::kRoundPreferCeil), {8}, {0, 1, 1, 2, 2, 3, 3, 3});
  expect_elements(row(onnx_ops::NearestPixel::kFloor), {8}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect_elements(row(onnx_ops::NearestPixel::kCeil), {8}, {0, 1, 1, 2, 2, 3, 3, 3});
}

// Ratios that were rounded to f32 give the sizes and the rows of the ratios: in f64, 3 rows times 2.3333333
// are six rows, and row 7 / 2.3333333 is 2.
TEST_P(Resizing, ScalesThatWereRoundedToF32) {
  const auto row = [&](int64_t n, double scale, bool f32_scales, onnx_ops::ResizePositions positions,
                       onnx_ops::NearestPixel nearest) {
    std::vector<double> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return run(filled(f32, {n}, numbers), [&](const Tensor& x) {
      return onnx_ops::resize(
          x, {.scales = {scale}, .f32_scales = f32_scales, .positions = positions, .nearest = nearest});
    });
  };
  const auto floor = [&](int64_t n, double scale, bool f32_scales) {
    return row(n, scale, f32_scales, onnx_ops::ResizePositions::kAsymmetric, onnx_ops::NearestPixel::kFloor);
  };
  expect_elements(floor(3, 7.F / 3, true), {7}, {0, 0, 0, 1, 1, 2, 2});
  expect_elements(floor(6, 7.F / 3, true), {14}, {0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5});
  expect_elements(floor(11, 1.7F, true), {18}, {0, 0, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 7, 7, 8, 8, 9, 10});
  expect_elements(floor(3, 7.F / 3, false), {6}, {0, 0, 0, 1, 1, 2});  // as PyTorch's interpolate
  // Sizes give exact positions. From 0.1 to 0.9 of five rows, row 26 of 33 is at 3 in f64, and below it in
  // f32.
  const auto crop = [&](bool f32_scales) {
    return run(filled(f32, {5}, {0, 1, 2, 3, 4}), [&](const Tensor& x) {
      return onnx_ops::resize(x, {.sizes = {33},
                                  .f32_scales = f32_scales,
                                  .positions = onnx_ops::ResizePositions::kCrop,
                                  .nearest = onnx_ops::NearestPixel::kFloor,
                                  .crop_start = {0.1F},
                                  .crop_end = {0.9F}});
    });
  };
  EXPECT_EQ(crop(true), crop(false));
  // Positions in the middle between two rows: 0.5 / 0.75 - 0.5 + 1/3 and 1.5 / (2/3) - 0.5 - 0.25.
  const auto middle = [&](double scale, onnx_ops::NearestPixel nearest) {
    return row(2, scale, true, onnx_ops::ResizePositions::kHalfPixelSymmetric, nearest);
  };
  expect_elements(middle(0.75, onnx_ops::NearestPixel::kRoundPreferFloor), {1}, {0});
  expect_elements(middle(0.75, onnx_ops::NearestPixel::kRoundPreferCeil), {1}, {1});
  expect_elements(middle(2.F / 3, onnx_ops::NearestPixel::kRoundPreferFloor), {1}, {0});
}

// A crop begins and ends at parts of x; beyond x, it has the extrapolation value. A crop may run backwards.
TEST_P(Resizing, Crops) {
  const auto crop = [&](double start, double end, std::vector<int64_t> sizes, std::vector<double> scales,
                        DType type = f32) {
    return run(filled(type, {2, 5}, {0, 1, 2, 3, 4, 10, 11, 12, 13, 14}), [&](const Tensor& x) {
      return onnx_ops::resize(x, {.axes = {-1},
                                  .sizes = sizes,
                                  .scales = scales,
                                  .mode = type == f32 ? Interpolation::kLinear : Interpolation::kNearest,
                                  .positions = onnx_ops::ResizePositions::kCrop,
                                  .crop_start = {start},
                                  .crop_end = {end},
                                  .extrapolation_value = -7});
    });
  };
  expect_elements(crop(0.25, 0.75, {3}, {}), {2, 3}, {1, 2, 3, 11, 12, 13});
  expect_elements(crop(0.5, 1.5, {5}, {}), {2, 5}, {2, 3, 4, -7, -7, 12, 13, 14, -7, -7});
  expect_elements(crop(1, 0, {3}, {}), {2, 3}, {4, 2, 0, 14, 12, 10});
  expect_elements(crop(0.2, 0.8, {1}, {}), {2, 1}, {2, 12});
  expect_elements(crop(0, 0.8, {}, {0.5}), {2, 2}, {0, 3.2, 10, 13.2});
  expect_elements(crop(0, 1, {}, {0.5}), {2, 2}, {0, 4, 10, 14});  // 2.5 rows are two
  expect_elements(crop(0.5, 1.5, {5}, {}, i32), {2, 5}, {2, 3, 4, -7, -7, 12, 13, 14, -7, -7});
}

TEST_P(Resizing, AspectRatios) {
  const auto shape = [&](onnx_ops::AspectRatio ratio) {
    return run(filled(f32, {2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), [&](const Tensor& x) {
      return onnx_ops::resize(x, {.sizes = {3, 10}, .aspect_ratio = ratio});
    });
  };
  expect_elements(shape(onnx_ops::AspectRatio::kNotLarger), {3, 6},
                  {0, 0, 1, 2, 2, 3, 0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7});
  EXPECT_EQ(shape(onnx_ops::AspectRatio::kNotSmaller).shape(), (Shape{5, 10}));
  EXPECT_EQ(shape(onnx_ops::AspectRatio::kStretch).shape(), (Shape{3, 10}));
}

// A filter that is stretched over three rows gives means. Without the rows beyond the border, the weights of
// the other rows add up to 1.
TEST_P(Resizing, Borders) {
  const auto row = [&](bool exclude_outside, bool antialias, double scale, Interpolation mode,
                       double coefficient) {
    return run(filled(f32, {6}, {0, 3, 6, 9, 12, 30}), [&](const Tensor& x) {
      return onnx_ops::resize(x, {.scales = {scale},
                                  .mode = mode,
                                  .cubic_coefficient = coefficient,
                                  .exclude_outside = exclude_outside,
                                  .antialias = antialias});
    });
  };
  // Positions 1 and 4 with the weights 1/9, 2/9, 3/9, 2/9, 1/9.
  expect_elements(row(false, true, 1. / 3, Interpolation::kLinear, 0), {2},
                  {(0 + 0 + 9 + 12 + 9) / 9., (6 + 18 + 36 + 60 + 30) / 9.});
  expect_elements(row(true, true, 1. / 3, Interpolation::kLinear, 0), {2},
                  {(0 + 9 + 12 + 9) / 8., (6 + 18 + 36 + 60) / 8.});
  // Positions 0.5, 2.5, 4.5 with the weights a / 8, 1 / 2 - a / 8, ...: for a = -0.5, -1/16, 9/16, 9/16,
  // -1/16.
  expect_elements(row(false, false, 0.5, Interpolation::kCubic, -0.5), {3},
                  {(0 + 27 - 6) / 16., (-3 + 54 + 81 - 12) / 16., (-9 + 108 + 270 - 30) / 16.});
  expect_elements(row(true, false, 0.5, Interpolation::kCubic, -0.5), {3},
                  {(27 - 6) / 17., (-3 + 54 + 81 - 12) / 16., (-9 + 108 + 270) / 17.});
}

TEST_P(Resizing, NanStaysUnderItsFilter) {
  const double nan = std::nan("");
  expect_elements(
      run(filled(f32, {1, 1, 5}, {1, 2, 3, nan, 5}),
          [](const Tensor& x) { return interpolate(x, {.size = 10, .mode = Interpolation::kLinear}); }),
      {1, 1, 10}, {1, 1.25, 1.75, 2.25, 2.75, nan, nan, nan, nan, 5});
}

// More rows than one constant holds, empty results, sizes that stay, and other element types.
TEST_P(Resizing, Sizes) {
  const HostTensor large = run(filled(f32, {1, 1, 2}, {0, 1}), [](const Tensor& x) {
    return interpolate(x, {.size = 2000, .mode = Interpolation::kLinear, .align_corners = true});
  });
  for (const int64_t i : {0, 127, 128, 999, 1999})
    EXPECT_NEAR(large.at(i), static_cast<double>(i) / 1999, 1e-6);
  EXPECT_EQ(run(image(), [](const Tensor& x) { return interpolate(x, {.size = {0, 3}}); }).shape(),
            (Shape{1, 1, 0, 3}));
  EXPECT_EQ(
      run(HostTensor({f32, {0, 1, 2}}), [](const Tensor& x) { return interpolate(x, {.size = 3}); }).shape(),
      (Shape{0, 1, 3}));
  EXPECT_EQ(run(filled(u8, {1, 1, 2}, {7, 9}), [](const Tensor& x) { return interpolate(x, {.size = 4}); }),
            filled(u8, {1, 1, 4}, {7, 7, 9, 9}));
  EXPECT_EQ(run(image(),
                [](const Tensor& x) {
                  return onnx_ops::resize(x, {.scales = {1, 1, 1, 1}, .mode = Interpolation::kCubic});
                }),
            image());
}

TEST_P(Resizing, SixteenBits) {
  expect_elements(run(filled(f16, {1, 1, 2}, {1, 5}),
                      [](const Tensor& x) {
                        return interpolate(
                            x, {.size = 5, .mode = Interpolation::kLinear, .align_corners = true});
                      }),
                  {1, 1, 5}, {1, 2, 3, 4, 5});
}

// Another size may need ops, so the result is a view of x.
TEST(ResizeGraph, ASizeThatStaysAddsOnlyViews) {
  Graph g;
  const Tensor x = g.input("x", f32, {1, 2, 5, 7});
  for (const onnx_ops::ResizePositions positions :
       {onnx_ops::ResizePositions::kHalfPixel, onnx_ops::ResizePositions::kHalfPixelSymmetric,
        onnx_ops::ResizePositions::kPytorchHalfPixel, onnx_ops::ResizePositions::kAlignCorners,
        onnx_ops::ResizePositions::kAsymmetric})
    for (const Interpolation mode : {Interpolation::kNearest, Interpolation::kLinear, Interpolation::kCubic})
      onnx_ops::resize(x, {.sizes = {1, 2, 5, 7}, .mode = mode, .positions = positions});
  std::istringstream lines(g.text());
  int views = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("cutset.reshape %arg0 <{shape = array<i64: 0, 0, 0, 0>}>") != std::string::npos)
      ++views;
    else
      EXPECT_EQ(line.find(" = cutset."), std::string::npos) << line;
  }
  EXPECT_EQ(views, 15);
}

// The function that is compiled for another batch size repeats no size of the batch.
TEST(ResizeGraph, AnotherBatchSize) {
  Graph g;
  g.output("y", interpolate(g.input("x", f32, {2, 1, 2}), {.size = 3, .mode = Interpolation::kLinear}));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(session.run("evaluate", {{"x", HostTensor({f32, {5, 1, 2}})}})["y"].shape(), (Shape{5, 1, 3}));
}

TEST(ResizeGradients, MatchFiniteDifferences) {
  for (const Interpolation mode : {Interpolation::kNearest, Interpolation::kLinear, Interpolation::kCubic})
    for (const bool larger : {false, true})
      for (const bool antialias : {false, true}) {
        if (antialias && (mode == Interpolation::kNearest || larger)) continue;
        EXPECT_GRADIENTS(
            testing::weighted_sum({{1, 2, 4, 5}},
                                  [&](const auto& in) {
                                    const AxisSizes size = larger ? AxisSizes{6, 7} : AxisSizes{2, 3};
                                    return interpolate(in[0],
                                                       {.size = size, .mode = mode, .antialias = antialias});
                                  }),
            {}, 40);
      }
}

}  // namespace
}  // namespace cutset

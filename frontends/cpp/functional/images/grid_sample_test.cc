// SPDX-License-Identifier: Apache-2.0
// Tests grid_sample and affine_grid: their values, which equal PyTorch 2.15's in f64, their gradients, and
// their errors.
#include <cutset/grid_sample.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::evaluated, testing::expect_elements, testing::filled;

struct GridSampling : testing::PerBackend {
  HostTensor sample(const HostTensor& x, const HostTensor& grid, const GridSampleOptions& o) {
    return evaluated(device(), {x, grid}, [&](const auto& in) { return grid_sample(in[0], in[1], o); });
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(GridSampling);

constexpr auto kNearest = Interpolation::kNearest, kLinear = Interpolation::kLinear,
               kCubic = Interpolation::kCubic;
constexpr auto kZeros = BorderMode::kZeros, kBorder = BorderMode::kBorder,
               kReflection = BorderMode::kReflection;

TEST_P(GridSampling, SamplesAsPyTorch) {
  const HostTensor x =
      filled(f32, {1, 2, 3, 3}, {1, -2, 3, 4, 0, 6, -5, 8, 2, 10, 20, 30, 40, 50, 60, 70, 80, 90});
  const HostTensor grid =
      filled(f32, {1, 2, 3, 2}, {-0.9, -0.5, 0.2, 0.3, 1.3, -0.2, 0.95, 1.0, -2.5, 3.1, 0, 0});
  const struct {
    GridSampleOptions options;
    std::vector<double> expected;
  } cases[] = {
      {{kLinear, kZeros, false}, {1.1375, 3.78, 0.255, 0.575, 0, 0, 11.375, 66.5, 2.55, 25.875, 0, 50}},
      {{kLinear, kZeros, true}, {2.15, 2.88, 3.78, 2.3, 0, 0, 26, 61, 37.8, 89.5, 0, 50}},
      {{kLinear, kBorder, false}, {1.75, 3.78, 5.1, 2, -5, 0, 17.5, 66.5, 51, 90, 70, 50}},
      {{kLinear, kBorder, true}, {2.15, 2.88, 5.4, 2.3, -5, 0, 26, 61, 54, 89.5, 70, 50}},
      {{kLinear, kReflection, false}, {1.75, 3.78, 5.1, 2, 1.75, 0, 17.5, 66.5, 51, 90, 27.5, 50}},
      {{kLinear, kReflection, true}, {2.15, 2.88, 3.66, 2.3, 0.75, 0, 26, 61, 51, 89.5, 28, 50}},
      {{kNearest, kZeros, false}, {1, 0, 0, 2, 0, 0, 10, 50, 0, 90, 0, 50}},
      {{kNearest, kZeros, true}, {1, 0, 6, 2, 0, 0, 10, 50, 60, 90, 0, 50}},
      {{kNearest, kBorder, false}, {1, 0, 6, 2, -5, 0, 10, 50, 60, 90, 70, 50}},
      {{kNearest, kReflection, true}, {1, 0, 6, 2, 3, 0, 10, 50, 60, 90, 30, 50}},
      {{kCubic, kZeros, false},
       {1.861095, 5.220972, 0.2388481, -0.06961767, 0, 0, 9.978532, 81.24137, 1.974061, 28.45728, 0, 50}},
      {{kCubic, kZeros, true},
       {3.157695, 3.513894, 5.056422, 2.326719, 0, 0, 25.35289, 70.12834, 39.02472, 92.67063, 0, 50}},
      {{kCubic, kBorder, false},
       {2.420224, 4.350847, 5.616547, 0.8741196, -5, 0, 14.63312, 70.26969, 48.34031, 93.86637, 70, 50}},
      {{kCubic, kReflection, false},
       {2.648601, 4.350847, 5.854943, -0.2620703, 1.294499, 0, 14.03594, 70.26969, 48.67875, 97.45781,
        22.96719, 50}},
      {{kCubic, kReflection, true},
       {2.912164, 3.407406, 4.354188, 2.055969, 0.7239609, 0, 19.52, 66.055, 49.905, 89.96312, 27.31, 50}},
      // With moves_inside, the values equal the values of ONNX's reference evaluator.
      {{kCubic, kBorder, false, true},
       {2.420223, 4.350846, 5.604, 0.8741196, -5, 0, 14.63313, 70.26967, 48.32252, 93.86637, 70, 50}},
      {{kCubic, kBorder, true, true},
       {2.881344, 2.999401, 5.856001, 2.259034, -5, 0, 22.94001, 64.39753, 51.84002, 89.62465, 70, 50}},
      {{kCubic, kReflection, false, true},
       {2.648601, 4.350846, 5.854944, -0.2620697, 1.2945, 0, 14.03594, 70.26967, 48.67877, 97.45782, 22.96719,
        50}},
      {{kCubic, kZeros, false, true},
       {1.861095, 5.220972, 0.2388481, -0.06961767, 0, 0, 9.978532, 81.24137, 1.974061, 28.45728, 0, 50}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    expect_elements(sample(x, grid, c.options), {1, 2, 2, 3}, c.expected);
  }
}

TEST_P(GridSampling, ImagesOfOneAndThreeAxes) {
  const HostTensor volume = filled(f32, {1, 1, 3, 2, 2}, {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121});
  const HostTensor grid = filled(f32, {1, 1, 1, 2, 3}, {0.1, -0.3, 0.7, 1.1, 0.2, -0.4});
  expect_elements(sample(volume, grid, {}), {1, 1, 1, 1, 2}, {77.786, 8.271999});
  expect_elements(sample(volume, grid, {kLinear, kBorder, true}), {1, 1, 1, 1, 2}, {69.32, 25.96});
  // Two images with different places: 0.5 and 2 in the first image, and 1.25 in both places of the second
  // image.
  expect_elements(sample(filled(f32, {2, 1, 3}, {10, 20, 40, 1, 2, 4}),
                         filled(f32, {2, 2, 1}, {-0.5, 1, 0.25, 0.25}), {.align_corners = true}),
                  {2, 1, 2}, {15, 40, 2.5, 2.5});
}

// If an axis has one pixel, every position is reflected to this pixel.
TEST_P(GridSampling, OnePixel) {
  for (const bool align_corners : {false, true})
    for (const BorderMode border : {kBorder, kReflection})
      expect_elements(sample(filled(f32, {1, 1, 1, 1}, {7}), filled(f32, {1, 1, 2, 2}, {0, 0, 5, -3}),
                             {kLinear, border, align_corners}),
                      {1, 1, 1, 2}, {7, 7});
}

TEST_P(GridSampling, PlacesThatAreNoNumbers) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  const HostTensor x = filled(f32, {1, 1, 2}, {3, 5}), grid = filled(f32, {1, 4, 1}, {nan, inf, -inf, 1e30});
  for (const Interpolation mode : {kNearest, kLinear, kCubic}) {
    expect_elements(sample(x, grid, {mode, kZeros}), {1, 1, 4}, {nan, 0, 0, 0});
    expect_elements(sample(x, grid, {mode, kBorder}), {1, 1, 4}, {nan, 5, 3, 5});
    const HostTensor mirrored = sample(x, grid, {mode, kReflection});
    for (const int64_t i : {0, 1, 2}) EXPECT_TRUE(std::isnan(mirrored.at(i))) << i;
    EXPECT_FALSE(std::isnan(mirrored.at(3)));
  }
}

// The place is between pixels 3071 and 3072, and f16 has no number 3071.5.
TEST_P(GridSampling, PlacesOfSixteenBits) {
  HostTensor row({f16, {1, 1, 4096}});
  row.set(3071, 2);
  expect_elements(sample(row, filled(f16, {1, 1, 1}, {0.5}), {}), {1, 1, 1}, {1});
}

TEST_P(GridSampling, AffineGrids) {
  const auto grid = [&](const HostTensor& theta, std::vector<int64_t> sizes, bool align_corners) {
    return evaluated(device(), {theta},
                     [&](const auto& in) { return affine_grid(in[0], sizes, align_corners); });
  };
  const HostTensor theta = filled(f32, {1, 2, 3}, {1, 0.5, -0.25, 0.25, -1, 2});
  expect_elements(grid(theta, {2, 3}, false), {1, 2, 3, 2},
                  {-1.166667, 2.333333, -0.5, 2.5, 0.1666667, 2.666667, -0.6666667, 1.333333, 0, 1.5,
                   0.6666667, 1.666667});
  expect_elements(grid(theta, {2, 3}, true), {1, 2, 3, 2},
                  {-1.75, 2.75, -0.75, 3, 0.25, 3.25, -0.75, 0.75, 0.25, 1, 1.25, 1.25});
  expect_elements(grid(theta, {1, 2}, true), {1, 1, 2, 2}, {-1.25, 1.75, 0.75, 2.25});
  expect_elements(grid(filled(f32, {1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), {2, 1, 2}, false),
                  {1, 2, 1, 2, 3}, {2, 2, 2, 2, 6, 10, 4, 8, 12, 4, 12, 20});
}

TEST(GridSampleGradients, MatchFiniteDifferences) {
  for (const Interpolation mode : {kNearest, kLinear, kCubic})
    for (const BorderMode border : {kZeros, kBorder, kReflection}) {
      SCOPED_TRACE(static_cast<int>(mode) * 10 + static_cast<int>(border));
      // The places go beyond the image: from -1.6 to 1.6.
      EXPECT_GRADIENTS(testing::weighted_sum({{2, 2, 3, 4}, {2, 2, 3, 2}},
                                             [&](const auto& in) {
                                               return grid_sample(in[0], in[1] * 1.6, {mode, border, false});
                                             }),
                       {}, 30);
    }
  EXPECT_GRADIENTS(
      testing::weighted_sum({{2, 2, 3}}, [](const auto& in) { return affine_grid(in[0], {2, 3}); }));
}

// The transform and the images are divided with the batch.
TEST(GridSampleGraph, IsTheSameOnSeveralDevices) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 2, 3, 3}), theta = g.input("theta", f32, {4, 2, 3});
  const Tensor w = g.variable("w", f32, {2, 3}, Initializer::uniform(-1, 1));
  const Tensor y = grid_sample(x, affine_grid(theta * w, {3, 4}));
  g.output("y", y);
  g.minimize(mean(y), {});
  EXPECT_SAME_ON(g, "reference:0,reference:1", "data(2)");
  Session session = compile(g, {.devices = "reference:0"});
  const Batch five = {{"x", HostTensor({f32, {5, 2, 3, 3}})}, {"theta", HostTensor({f32, {5, 2, 3}})}};
  EXPECT_EQ(session.run("evaluate", five)["y"].shape(), (Shape{5, 2, 3, 4}));
}

TEST(GridSampleErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, Shape shape) {
    return g.input(name, type, std::move(shape));
  };
  const Tensor x = input("x", f32, {2, 3, 4, 5}), grid = input("grid", f32, {2, 6, 7, 2}),
               other = input("other", f32, {3, 6, 7, 2}), wide = input("wide", f32, {2, 6, 7, 3}),
               empty = input("empty", f32, {2, 0, 7, 2}), whole = input("whole", i32, {2, 6, 7, 2}),
               theta = input("theta", f32, {2, 2, 3}), none = input("none", f32, {2, 3, 0, 5}),
               integers = input("integers", i32, {2, 3, 4, 5}), flat = input("flat", f32, {2, 3}),
               huge = input("huge", f32, {2, 1, 1 << 16, 1 << 16});
  const std::string before = g.text();
  for (const Tensor& wrong : {other, wide, empty, whole, theta})
    EXPECT_ERROR_HERE("grid_sample of 2x3x4x5xf32 needs a grid [n, places..., axes]", grid_sample(x, wrong));
  EXPECT_ERROR_HERE("from 1 to 2^31 - 1 pixels", grid_sample(none, grid));
  EXPECT_ERROR_HERE("from 1 to 2^31 - 1 pixels", grid_sample(huge, grid));
  EXPECT_ERROR_HERE("of one to three axes", grid_sample(flat, grid));
  EXPECT_ERROR_HERE("a floating-point type", grid_sample(integers, grid));
  EXPECT_ERROR_HERE("empty Tensor", grid_sample(x, Tensor()));
  EXPECT_ERROR_HERE("theta [n, axes, axes + 1]", affine_grid(theta, {2, 3, 4}));
  EXPECT_ERROR_HERE("theta [n, axes, axes + 1]", affine_grid(theta, {}));
  EXPECT_ERROR_HERE("theta [n, axes, axes + 1]", affine_grid(flat, {2}));
  for (const int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 60})
    EXPECT_ERROR_HERE("sizes from 1 to 2^20", affine_grid(theta, {2, size}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests roi_align: its values, which equal the values of ONNX's reference implementation, its gradients, and
// its errors.
#include <cutset/onnx_ops/roi_align.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset::onnx_ops {
namespace {

using testing::evaluated, testing::expect_elements, testing::filled;

const HostTensor& images() {
  static const HostTensor x =
      filled(f32, {2, 1, 3, 4}, {-2, 0, 4, 5, 3, 3, 5, 2, 3, 1, 1, 3, 7, 8, -1, -1, 1, 5, 6, 4, 4, -1, 3, 4});
  return x;
}

struct RoiAligning : testing::PerBackend {
  HostTensor align(const HostTensor& regions, const HostTensor& numbers, const RoiAlignOptions& o) {
    return evaluated(device(), {images(), regions, numbers},
                     [&](const auto& in) { return roi_align(in[0], in[1], in[2], o); });
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(RoiAligning);

TEST_P(RoiAligning, AsOnnxDefinesIt) {
  const HostTensor regions = filled(f32, {3, 4}, {0.5, 0.25, 3.5, 2.25, 1, 1, 1.5, 1.25, -3, -2, 2, 2.5}),
                   numbers = filled(i64, {3}, {0, 1, 1});
  constexpr auto kMean = RoiPooling::kMean, kMaximum = RoiPooling::kMaximum;
  const struct {
    RoiAlignOptions options;
    std::vector<double> expected;
  } cases[] = {{{{2, 1}, 1, 2, true, kMean}, {2.3125, 3.09375, 5.640625, 5.171875, 1.8125, 1.984375}},
               {{{2, 1}, 0.5, 3, true, kMean}, {-0.9444444, 0.5, 6.949219, 6.597656, 3.12963, 3.715278}},
               {{{2, 1}, 1, 2, false, kMean}, {3.0625, 2.09375, 4.375, 2.125, 1.9375, 1.296875}},
               {{{2, 1}, 0.5, 3, false, kMean}, {1.458333, 2.888889, 5.222222, 3.5, 4.861111, 2.588542}},
               {{{2, 1}, 1, 2, true, kMaximum}, {3, 3.75, 3.28125, 3.144531, 5.25, 3.609375}},
               {{{2, 1}, 0.5, 3, false, kMaximum}, {1.625, 2.875, 4.583333, 4.583333, 7, 4.8125}},
               {{{2, 1}, 1, 0, true, kMean}, {2.25, 3.041667, 5.640625, 5.171875, 1.466667, 2.4}},
               {{{2, 1}, 1, 0, false, kMean}, {3.25, 2.083333, 4.375, 2.125, 2.4, 1.8375}},
               {{{2, 1}, 0.5, 0, true, kMean}, {-1, 0.5, 6.949219, 6.597656, 2.347222, 3.776476}},
               {{{2, 1}, 2, 0, false, kMean}, {1.291667, 0.5, 3.5, 3.5, 0.6425, 0.941}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    expect_elements(align(regions, numbers, c.options), {3, 1, 2, 1}, c.expected);
  }
}

// Regions that are larger than the image, and a region that ends before it begins. It has no samples unless
// it is enlarged.
TEST_P(RoiAligning, AdaptiveSamplesOfLargeRegions) {
  const HostTensor regions = filled(f32, {3, 4}, {-3, -2, 9, 8, 0, 0, 4, 3, 2, 2, 1, 3}),
                   numbers = filled(i64, {3}, {0, 1, 1});
  const struct {
    double scale;
    bool aligned;
    std::vector<double> expected;
  } cases[] = {{1, true, {0.25, 1.4, 0, 4, 3.333333, 2.416667, 0, 0, 0}},
               {1, false, {0.225, 0.89375, 0, 2.833333, 3.166667, 3.166667, 3.166667, 3.5, 3.833333}},
               {0.5, true, {0.5, 1.5, 3.45, 5.125, 6.09375, 6.083333, 0, 0, 0}},
               {0.5, false, {0.9, 1.7, 2.8, 3.895833, 5.5625, 4.270833, 2.416667, 3.25, 4.083333}},
               {2, true, {0.09375, 0.31875, 0, 2.157408, 1.222222, 0, 0, 0, 0}},
               {2, false, {0.109375, 0.1703125, 0, 1.521605, 1.055556, 0, 0, 0, 0}}};
  for (const auto& c : cases) {
    SCOPED_TRACE(&c - cases);
    const RoiAlignOptions o{
        .output_size = {1, 3}, .spatial_scale = c.scale, .sampling_ratio = 0, .aligned = c.aligned};
    expect_elements(align(regions, numbers, o), {3, 1, 1, 3}, c.expected);
  }
  const HostTensor lost =
      align(filled(f32, {1, 4}, {0, 0, std::nan(""), 2}), filled(i64, {1}, {0}), {.sampling_ratio = 0});
  EXPECT_TRUE(std::isnan(lost.at(0)));
}

// Row 1 of the image is 3 3 5 2. The samples are in this row: at 4, 6 and 8 for the first region, at -2 and 0
// for the second, and at -1 and 1 for the third. A sample that is up to one pixel beyond the border reads the
// pixel at the border. A sample farther away is 0.
TEST_P(RoiAligning, SamplesOutside) {
  const auto row = [&](double x1, double x2, int64_t elements) {
    return align(filled(f32, {1, 4}, {x1, 0.5, x2, 1.5}), filled(i32, {1}, {0}),
                 {.output_size = {1, elements}, .sampling_ratio = 1, .aligned = false});
  };
  expect_elements(row(3, 9, 3), {1, 1, 1, 3}, {2, 0, 0});
  expect_elements(row(-3, 1, 2), {1, 1, 1, 2}, {0, 3});
  expect_elements(row(-2, 2, 2), {1, 1, 1, 2}, {3, 3});
}

// Image -1 is the last image. The number of an image that does not exist must not select another image by an
// overflow.
TEST_P(RoiAligning, ImagesThatDoNotExistGiveNan) {
  const std::vector<double> numbers = {1, -1, 2, -3, 0x1p62, -0x1p62, 0x1p31};
  std::vector<double> regions;
  for (size_t i = 0; i < numbers.size(); ++i) regions.insert(regions.end(), {1, 1, 2, 2});
  const double nan = std::nan("");
  expect_elements(align(filled(f32, {7, 4}, regions), filled(i64, {7}, numbers), {.sampling_ratio = 1}),
                  {7, 1, 1, 1}, {5, 5, nan, nan, nan, nan, nan});
}

TEST_P(RoiAligning, NoRegions) {
  EXPECT_EQ(align(HostTensor({f32, {0, 4}}), HostTensor({i64, {0}}), {.output_size = 3}).shape(),
            (Shape{0, 1, 3, 3}));
}

TEST(RoiAlignGradients, MatchFiniteDifferences) {
  for (const auto& [aligned, ratio] : {std::pair(false, 2), std::pair(true, 2), std::pair(true, 0)})
    EXPECT_GRADIENTS(testing::weighted_sum(
                         {{2, 2, 4, 5}, {3, 4}},
                         [&](const auto& in) {
                           const Tensor numbers =
                               cast(ops::slice(in[1], {.axis = 1, .length = 1}) * 0.5 + 0.9, {.dtype = i64});
                           return roi_align(in[0], in[1] * 4 + 1.3, reshape(numbers, {.shape = {-1}}),
                                            {.output_size = 2, .sampling_ratio = ratio, .aligned = aligned});
                         }),
                     {}, 40);
}

TEST(RoiAlignErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, Shape shape) {
    return g.input(name, type, std::move(shape));
  };
  const Tensor x = input("x", f32, {2, 3, 4, 5}), regions = input("regions", f32, {6, 4}),
               numbers = input("numbers", i32, {6}), few = input("few", i32, {5}),
               real = input("real", f32, {6}), wide = input("wide", f32, {6, 5}),
               doubles = input("doubles", f64, {6, 4}), row = input("row", f32, {2, 3, 4});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("images [n, c, h, w]", roi_align(row, regions, numbers, {}));
  for (const Tensor& wrong : {wide, doubles, real})
    EXPECT_ERROR_HERE("roi_align of 2x3x4x5xf32 needs regions [r, 4]", roi_align(x, wrong, numbers, {}));
  for (const Tensor& wrong : {few, real, regions})
    EXPECT_ERROR_HERE("the number of an image per region", roi_align(x, regions, wrong, {}));
  EXPECT_ERROR_HERE("empty Tensor", roi_align(x, regions, Tensor(), {}));
  EXPECT_ERROR_HERE("products of at most 2^16", roi_align(x, regions, numbers, {.sampling_ratio = -1}));
  EXPECT_ERROR_HERE("for the maximum of samples",
                    roi_align(x, regions, numbers, {.sampling_ratio = 0, .pooling = RoiPooling::kMaximum}));
  EXPECT_ERROR_HERE("products of at most 2^16",
                    roi_align(x, regions, numbers, {.sampling_ratio = int64_t{1} << 60}));
  EXPECT_ERROR_HERE("products of at most 2^16", roi_align(x, regions, numbers, {.output_size = {2, 40000}}));
  EXPECT_ERROR_HERE("one or two output sizes", roi_align(x, regions, numbers, {.output_size = {2, 2, 2}}));
  EXPECT_ERROR_HERE("a finite spatial scale", roi_align(x, regions, numbers, {.spatial_scale = HUGE_VAL}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::onnx_ops

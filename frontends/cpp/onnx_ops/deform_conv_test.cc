// SPDX-License-Identifier: Apache-2.0
// Tests deform_conv: its values, which equal the values of ONNX's reference implementation, its gradients,
// and its errors.
#include <cutset/onnx_ops/deform_conv.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset::onnx_ops {
namespace {

using testing::evaluated, testing::expect_elements;

struct DeformableConvolution : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(DeformableConvolution);

// Returns a tensor with the elements f(0), f(1), ...
HostTensor from(const Shape& shape, const std::function<int64_t(int64_t)>& f, double scale = 1) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, static_cast<double>(f(i)) * scale);
  return t;
}
const HostTensor& image() {
  static const HostTensor x = from({1, 4, 3, 3}, [](int64_t i) { return i % 7 - 3; });
  return x;
}
const HostTensor& filters() {
  static const HostTensor w = from({4, 2, 2, 2}, [](int64_t i) { return i % 5 - 2; });
  return w;
}
HostTensor offsets(int64_t planes) {
  return from({1, planes, 2, 2}, [](int64_t i) { return i * 37 % 19 - 9; }, 0.125);
}

TEST_P(DeformableConvolution, AsOnnxDefinesIt) {
  const HostTensor mask = from(
                       {1, 8, 2, 2}, [](int64_t i) { return i * 11 % 8; }, 0.25),
                   bias = testing::filled(f32, {4}, {1, -2, 0, 3});
  expect_elements(
      evaluated(device(), {image(), filters(), offsets(16)},
                [](const auto& in) {
                  return deform_conv(in[0], in[1], in[2], {}, {}, {.groups = 2, .offset_groups = 2});
                }),
      {1, 4, 2, 2},
      {-1.53125, -4.0625, -12.78125, 0.46875, 1.84375, 4.828125, 10.3125, -2.546875, 1.078125, -5.140625,
       -1.375, 0.75, 9.015625, 7.375, 0.9375, -2.75});
  expect_elements(evaluated(device(), {image(), filters(), offsets(16), mask, bias},
                            [](const auto& in) {
                              return deform_conv(in[0], in[1], in[2], in[3], in[4],
                                                 {.groups = 2, .offset_groups = 2});
                            }),
                  {1, 4, 2, 2},
                  {0.125, -1.953125, -11.265625, -2.9765625, -3.71875, 3.07421875, 7.15625, 2.12890625, 3.125,
                   -3.37109375, -0.875, 1.5, 9.125, 10.375, 3.03125, -1.84375});
  expect_elements(evaluated(device(), {image(), filters(), offsets(8)},
                            [](const auto& in) {
                              return deform_conv(in[0], in[1], in[2], {}, {},
                                                 {.padding = {1, 0, 0, 0}, .dilation = {2, 1}, .groups = 2});
                            }),
                  {1, 4, 2, 2},
                  {-1.34375, 2.421875, 3.21875, -0.296875, 3.15625, 3.984375, 1.8125, -4.640625, 2.953125,
                   4.671875, 4.265625, 4.171875, 0.046875, 2.75, -7.921875, -9.875});
}

// Without offsets, deform_conv is the convolution, for one or several images of one to three axes.
TEST_P(DeformableConvolution, IsAConvolutionIfNothingMoves) {
  for (const size_t axes : {1, 2, 3}) {
    Shape x = {2, 2}, w = {3, 2}, offset = {2, static_cast<int64_t>(axes << axes)};
    for (size_t d = 0; d < axes; ++d) {
      x.push_back(5);
      w.push_back(2);
      offset.push_back(3);
    }
    const std::vector<HostTensor> in = {from(x, [](int64_t i) { return i * 13 % 11 - 5; }),
                                        from(w, [](int64_t i) { return i % 3 - 1; }),
                                        HostTensor({f32, offset})};
    const HostTensor expected = evaluated(device(), in, [&](const auto& t) {
      return conv(t[0], t[1], {},
                  {.stride = Shape(axes, 2), .padding = Shape(axes, 1), .dilation = Shape(axes, 2)});
    });
    std::vector<double> values;
    for (int64_t i = 0; i < expected.elements(); ++i) values.push_back(expected.at(i));
    expect_elements(evaluated(device(), in,
                              [](const auto& t) {
                                return deform_conv(t[0], t[1], t[2], {}, {},
                                                   {.stride = 2, .padding = 1, .dilation = 2});
                              }),
                    expected.shape(), values);
  }
}

TEST(DeformConvGradients, MatchFiniteDifferences) {
  EXPECT_GRADIENTS(testing::weighted_sum({{2, 4, 3, 3}, {2, 2, 2, 2}, {2, 16, 2, 2}, {2, 8, 2, 2}, {2}},
                                         [](const auto& in) {
                                           return deform_conv(in[0], in[1], in[2], in[3], in[4],
                                                              {.groups = 2, .offset_groups = 2});
                                         }),
                   {}, 30);
}

TEST(DeformConvErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, Shape shape) { return g.input(name, f32, std::move(shape)); };
  const Tensor x = input("x", {1, 4, 3, 3}), w = input("w", {4, 2, 2, 2}),
               offset = input("offset", {1, 8, 2, 2}), mask = input("mask", {1, 4, 2, 2}),
               bias = input("bias", {4}), flat = input("flat", {4, 2});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("groups and offset_groups that divide",
                    deform_conv(x, w, offset, mask, bias, {.groups = 3}));
  EXPECT_ERROR_HERE("groups and offset_groups that divide",
                    deform_conv(x, w, offset, mask, bias, {.groups = 0}));
  EXPECT_ERROR_HERE("groups and offset_groups",
                    deform_conv(x, w, offset, mask, bias, {.groups = 2, .offset_groups = -1}));
  EXPECT_ERROR_HERE("weights [o, c / groups, kernel...]", deform_conv(x, w, offset, mask, bias));
  EXPECT_ERROR_HERE("weights [o, c / groups, kernel...]", deform_conv(x, flat, offset, mask, bias));
  EXPECT_ERROR_HERE("one to three axes", deform_conv(flat, w, offset, mask, bias));
  EXPECT_ERROR_HERE("the operand 'offset' of its type and the shape [1, 16, 2, 2]",
                    deform_conv(x, w, offset, mask, bias, {.groups = 2, .offset_groups = 2}));
  EXPECT_ERROR_HERE("the operand 'mask'", deform_conv(x, w, offset, offset, bias, {.groups = 2}));
  EXPECT_ERROR_HERE("a bias [o]", deform_conv(x, w, offset, mask, flat, {.groups = 2}));
  EXPECT_ERROR_HERE("one stride", deform_conv(x, w, offset, mask, bias, {.stride = 0, .groups = 2}));
  EXPECT_ERROR_HERE("room for a window",
                    deform_conv(x, w, offset, mask, bias, {.dilation = 1000, .groups = 2}));
  EXPECT_ERROR_HERE("empty Tensor", deform_conv(x, w, Tensor(), mask, bias, {.groups = 2}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::onnx_ops

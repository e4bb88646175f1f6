// SPDX-License-Identifier: Apache-2.0
// Tests unfold and fold: their values, which equal PyTorch's, their gradients, and their errors.
#include <cutset/fold.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <numeric>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::evaluated, testing::expect_elements, testing::filled;

struct Folding : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Folding);

HostTensor counting(DType type, const Shape& shape, double first) {
  HostTensor t({type, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, first + static_cast<double>(i));
  return t;
}
const FoldOptions& windows() {
  static const FoldOptions o = {.kernel_size = {2, 3}, .stride = {2, 1}, .padding = {1, 0}};
  return o;
}

TEST_P(Folding, Unfold) {
  expect_elements(evaluated(device(), {counting(f32, {1, 2, 3, 4}, 0)},
                            [](const auto& in) { return unfold(in[0], windows()); }),
                  {1, 12, 4},
                  {0, 0, 4,  5,  0, 0, 5,  6,  0, 0, 6,  7,  0,  1,  8,  9,  1,  2,  9,  10, 2,  3,  10, 11,
                   0, 0, 16, 17, 0, 0, 17, 18, 0, 0, 18, 19, 12, 13, 20, 21, 13, 14, 21, 22, 14, 15, 22, 23});
}

TEST_P(Folding, Fold) {
  const std::vector<double> expected = {13, 31, 39, 22, 3,  11, 19, 12, 15, 35, 43, 24,
                                        37, 79, 87, 46, 27, 59, 67, 36, 39, 83, 91, 48};
  for (const DType type : {f32, i32})
    expect_elements(evaluated(device(), {counting(type, {1, 12, 4}, 1)},
                              [](const auto& in) { return fold(in[0], {3, 4}, windows()); }),
                    {1, 2, 3, 4}, expected);
}

// Windows of two elements, three apart, of an image with four elements of padding before it and one after it:
// places -4, -1; -2, 1; 0, 3.
TEST_P(Folding, PaddingOfEachSideAndDilation) {
  const FoldOptions o = {.kernel_size = 2, .stride = 2, .padding = {4, 1}, .dilation = 3};
  expect_elements(
      evaluated(device(), {counting(f32, {1, 1, 4}, 10)}, [&](const auto& in) { return unfold(in[0], o); }),
      {1, 2, 3}, {0, 0, 10, 0, 11, 13});
  expect_elements(
      evaluated(device(), {counting(f32, {1, 2, 3}, 1)}, [&](const auto& in) { return fold(in[0], {4}, o); }),
      {1, 1, 4}, {3, 5, 0, 6});
}

TEST_P(Folding, NanStaysInItsElement) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  expect_elements(evaluated(device(), {filled(f32, {1, 2, 2}, {nan, 1, 2, inf})},
                            [](const auto& in) { return fold(in[0], {4}, {.kernel_size = 2, .stride = 2}); }),
                  {1, 1, 4}, {nan, 2, 1, inf});
}

TEST(FoldGradients, MatchFiniteDifferences) {
  EXPECT_GRADIENTS(
      testing::weighted_sum({{2, 2, 3, 4}}, [](const auto& in) { return unfold(in[0], windows()); }));
  EXPECT_GRADIENTS(
      testing::weighted_sum({{2, 12, 4}}, [](const auto& in) { return fold(in[0], {3, 4}, windows()); }));
}

// fold adds as many copies of each element as unfold makes: 1 at the ends of a row, and 2 in the middle.
TEST(FoldGraph, AnotherBatchSizeAndThreeAxes) {
  Graph g;
  const FoldOptions o = {.kernel_size = {1, 1, 2}};
  const Tensor x = g.input("x", f32, {2, 1, 2, 2, 3});
  g.output("y", fold(unfold(x, o), {2, 2, 3}, o));
  Session session = compile(g, {.devices = "reference:0"});
  for (const int64_t n : {2, 3, 1}) {
    const HostTensor in = counting(f32, {n, 1, 2, 2, 3}, 1), y = session.run("evaluate", {{"x", in}})["y"];
    ASSERT_EQ(y.shape(), in.shape());
    for (int64_t i = 0; i < y.elements(); ++i) EXPECT_EQ(y.at(i), in.at(i) * (i % 3 == 1 ? 2 : 1)) << i;
  }
}

TEST(FoldErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, Shape shape) { return g.input(name, f32, std::move(shape)); };
  const Tensor x = input("x", {1, 2, 3, 4}), columns = input("columns", {1, 12, 4}),
               flat = input("flat", {3, 4}), long_row = input("long_row", {1, 1, 70000, 70000});
  const std::string before = g.text();
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_ERROR_HERE("images [n, c, ...]", unfold(flat, {}));
  EXPECT_ERROR_HERE("room for a window along axis 1", unfold(x, {.kernel_size = {1, 5}}));
  EXPECT_ERROR_HERE("one kernel_size from 1 to 2^20 - 1 per axis", unfold(x, {.kernel_size = 0}));
  EXPECT_ERROR_HERE("one kernel_size from 1 to 2^20 - 1 per axis", unfold(x, {.kernel_size = {1, 1, 1}}));
  EXPECT_ERROR_HERE("one stride from 1", unfold(x, {.stride = kHuge}));
  EXPECT_ERROR_HERE("one dilation from 1", unfold(x, {.dilation = -1}));
  EXPECT_ERROR_HERE("one padding from 0", unfold(x, {.padding = {0, 0, 0}}));
  EXPECT_ERROR_HERE("one padding from 0", unfold(x, {.padding = {0, 0, -1, 0}}));
  EXPECT_ERROR_HERE("fewer than 2^31 elements", unfold(long_row, {}));
  EXPECT_ERROR_HERE("fewer than 2^31 elements", unfold(x, {.padding = 1000000}));
  EXPECT_ERROR_HERE("empty Tensor", unfold(Tensor(), {}));
  EXPECT_ERROR_HERE("the shape [n, c * 6, 4]", fold(x, {3, 4}, windows()));
  EXPECT_ERROR_HERE("the shape [n, c * 6, 6]", fold(columns, {5, 4}, windows()));
  EXPECT_ERROR_HERE("the shape [n, c * 5, 4]", fold(columns, {8}, {.kernel_size = 5}));
  EXPECT_ERROR_HERE("an image of one to three axes", fold(columns, {}, {}));
  for (const int64_t size : {int64_t{-1}, int64_t{0}, kHuge})
    EXPECT_ERROR_HERE("along axis 0", fold(columns, {size, 4}, windows()));
  EXPECT_ERROR_HERE("fewer than 2^31 elements", fold(columns, {1000000, 1000000}, {.stride = 1048575}));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests determinant: its values, gradients and errors.
#include <cutset/onnx_ops/matrices.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset::onnx_ops {
namespace {

using testing::evaluated, testing::expect_elements, testing::filled;

struct Matrices : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Matrices);

TEST_P(Matrices, Determinants) {
  const auto of = [&](Shape shape, const std::vector<double>& elements) {
    return evaluated(device(), {filled(f32, std::move(shape), elements)},
                     [](const auto& in) { return determinant(in[0]); });
  };
  expect_elements(of({1, 1}, {-3}), {}, {-3});
  expect_elements(of({2, 2}, {1, 2, 3, 5}), {}, {-1});
  expect_elements(of({2, 1, 3, 3}, {0, 1, 0, 1, 0, 0, 0, 0, 1, 2, 7, 1, 0, 3, 5, 0, 0, -4}), {2, 1},
                  {-1, -24});
  expect_elements(of({4, 4}, {2, -1, 0, 3, 1, 4, -2, 5, 0, 3, 1, -1, 2, 2, 7, 1}), {}, {159});
  std::vector<double> reversed(36);  // a permutation of six columns with 15 inversions
  for (size_t i = 0; i < 6; ++i) reversed[i * 6 + 5 - i] = 1;
  expect_elements(of({6, 6}, reversed), {}, {-1});
  EXPECT_EQ(of({0, 2, 2}, {}).shape(), (Shape{0}));
}

TEST(MatricesGradients, MatchFiniteDifferences) {
  for (const int64_t n : {1, 2, 3, 4})
    EXPECT_GRADIENTS(testing::weighted_sum({{2, n, n}}, [](const auto& in) { return determinant(in[0]); }),
                     {}, 40);
}

TEST(MatricesErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, Shape shape) {
    return g.input(name, type, std::move(shape));
  };
  const std::vector<Tensor> wrong = {input("row", f32, {3}), input("wide", f32, {2, 3}),
                                     input("none", f32, {0, 0}), input("large", f32, {7, 7}),
                                     input("whole", i32, {2, 2})};
  const std::string before = g.text();
  for (const Tensor& x : wrong) EXPECT_ERROR_HERE("square matrices of 1 to 6 rows", determinant(x));
  EXPECT_ERROR_HERE("empty Tensor", determinant(Tensor()));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::onnx_ops

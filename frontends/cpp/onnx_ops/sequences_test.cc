// SPDX-License-Identifier: Apache-2.0
// Tests reverse_sequence, update_cache and count_ngrams: their values, gradients and errors.
#include <cutset/onnx_ops/sequences.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset::onnx_ops {
namespace {

using testing::evaluated, testing::expect_elements, testing::filled;

struct Sequences : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Sequences);

TEST_P(Sequences, Reverse) {
  const HostTensor x = filled(f32, {3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  const auto reversed = [&](const HostTensor& lengths, int64_t time, int64_t batch) {
    return evaluated(device(), {x, lengths},
                     [&](const auto& in) { return reverse_sequence(in[0], in[1], time, batch); });
  };
  expect_elements(reversed(filled(i64, {3}, {4, 1, 2}), 1, 0), {3, 4},
                  {3, 2, 1, 0, 4, 5, 6, 7, 9, 8, 10, 11});
  expect_elements(reversed(filled(i32, {4}, {3, 0, -1, 2}), 0, -1), {3, 4},
                  {8, 1, 2, 7, 4, 5, 6, 3, 0, 9, 10, 11});
  // The length is beyond the end by one.
  const double nan = std::nan("");
  expect_elements(reversed(filled(i64, {3}, {5, 1, 1}), 1, 0), {3, 4},
                  {nan, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11});
}

TEST_P(Sequences, ReverseRowsOfOtherTypes) {
  const HostTensor x = filled(i8, {2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  expect_elements(evaluated(device(), {x, filled(i64, {2}, {3, 2})},
                            [](const auto& in) { return reverse_sequence(in[0], in[1]); }),
                  {2, 3, 2}, {4, 5, 2, 3, 0, 1, 8, 9, 6, 7, 10, 11});
}

TEST_P(Sequences, UpdateCaches) {
  const HostTensor cache = filled(f32, {2, 4, 2}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}),
                   update = filled(f32, {2, 2, 2}, {10, 11, 12, 13, 14, 15, 16, 17});
  const auto updated = [&](std::vector<double> start, bool circular) {
    return evaluated(device(), {cache, update, filled(i64, {2}, start)},
                     [&](const auto& in) { return update_cache(in[0], in[1], in[2], -2, circular); });
  };
  expect_elements(updated({0, 2}, false), {2, 4, 2},
                  {10, 11, 12, 13, 2, 2, 3, 3, 4, 4, 5, 5, 14, 15, 16, 17});
  expect_elements(updated({3, -1}, false), {2, 4, 2}, {0, 0, 1, 1, 2, 2, 10, 11, 16, 17, 5, 5, 6, 6, 7, 7});
  expect_elements(updated({3, -1}, true), {2, 4, 2},
                  {12, 13, 1, 1, 2, 2, 10, 11, 16, 17, 5, 5, 6, 6, 14, 15});
  expect_elements(updated({5, 0x1p60}, true), {2, 4, 2},
                  {0, 0, 10, 11, 12, 13, 3, 3, 14, 15, 16, 17, 6, 6, 7, 7});
  expect_elements(updated({4, -0x1p62}, false), {2, 4, 2}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
  expect_elements(
      evaluated(device(), {cache, update}, [](const auto& in) { return update_cache(in[0], in[1]); }),
      {2, 4, 2}, {10, 11, 12, 13, 2, 2, 3, 3, 14, 15, 16, 17, 6, 6, 7, 7});
}

// The first row has 2 3 at the distances 1, 2 and 4, and the second row has 5 5 5 at the distances 1 and 2.
TEST_P(Sequences, CountNgrams) {
  const std::vector<std::vector<int64_t>> ngrams = {{2, 3}, {3}, {5, 5, 5}, {3, 2}, {9}};
  const HostTensor x = filled(i32, {2, 6}, {2, 3, 2, 5, 3, 5, 5, 5, 5, 3, 5, 5});
  const auto counts = [&](const HostTensor& rows, int64_t max_skip) {
    return evaluated(device(), {rows}, [&](const auto& in) { return count_ngrams(in[0], ngrams, max_skip); });
  };
  expect_elements(counts(x, 0), {2, 5}, {1, 2, 0, 1, 0, 0, 1, 1, 0, 0});
  expect_elements(counts(x, 1), {2, 5}, {2, 2, 0, 1, 0, 0, 1, 2, 0, 0});
  expect_elements(counts(x, 100), {2, 5}, {3, 2, 0, 1, 0, 0, 1, 2, 0, 0});
  expect_elements(counts(filled(i64, {2}, {3, 2}), 3), {5}, {0, 1, 0, 1, 0});
  expect_elements(evaluated(device(), {filled(i64, {3}, {7, 7, 7})},
                            [](const auto& in) { return count_ngrams(in[0], {{7, 7}, {7, 7, 7, 7}}, 9); }),
                  {2}, {3, 0});
}

TEST(SequencesGradients, MatchFiniteDifferences) {
  const auto numbers = [](const Tensor& x, double scale) {  // a number per row of x
    return cast(reshape(ops::slice(ops::slice(x, {.axis = 1, .length = 1}), {.axis = 2, .length = 1}),
                        {.shape = {-1}}) *
                        scale +
                    2.5,
                {.dtype = i64});
  };
  EXPECT_GRADIENTS(testing::weighted_sum(
      {{3, 4, 2}}, [&](const auto& in) { return reverse_sequence(in[0], numbers(in[0], 1.5)); }));
  EXPECT_GRADIENTS(testing::weighted_sum({{3, 5, 2}, {3, 2, 2}}, [&](const auto& in) {
    return update_cache(in[0], in[1], numbers(in[0], 3), 1, true);
  }));
}

TEST(SequencesGraph, IsTheSameOnSeveralDevices) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 3, 2}), lengths = g.input("lengths", i32, {4});
  const Tensor w = g.variable("w", f32, {3, 2}, Initializer::uniform(-1, 1));
  const Tensor y = reverse_sequence(x, lengths) * w;
  g.output("y", update_cache(x, ops::slice(y, {.axis = 1, .length = 2}), lengths, 1, true));
  g.minimize(mean(y), {});
  EXPECT_SAME_ON(g, "reference:0,reference:1", "data(2)");
  Session session = compile(g, {.devices = "reference:0"});
  const Batch five = {{"x", HostTensor({f32, {5, 3, 2}})}, {"lengths", HostTensor({i32, {5}})}};
  EXPECT_EQ(session.run("evaluate", five)["y"].shape(), (Shape{5, 3, 2}));
}

TEST(SequencesErrors, NameTheFunctionAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, DType type, Shape shape) {
    return g.input(name, type, std::move(shape));
  };
  const Tensor x = input("x", f32, {2, 3, 4}), two = input("two", i64, {2}), three = input("three", i64, {3}),
               real = input("real", f32, {2}), update = input("update", f32, {2, 2, 4}),
               longer = input("longer", f32, {2, 4, 4}), none = input("none", f32, {2, 0, 4}),
               doubles = input("doubles", f64, {2, 2, 4}), nothing = input("nothing", i64, {2, 0}),
               many = input("many", i64, {1 << 20});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("one length per sample", reverse_sequence(x, three));
  EXPECT_ERROR_HERE("one length per sample", reverse_sequence(x, two, 0, 0));
  EXPECT_ERROR_HERE("numbers of type i32 or i64", reverse_sequence(x, real));
  EXPECT_ERROR_HERE("an axis from -3 to 2, not 3", reverse_sequence(x, two, 3));
  EXPECT_ERROR_HERE("empty Tensor", reverse_sequence(x, Tensor()));
  for (const Tensor& wrong : {longer, none, doubles, two})
    EXPECT_ERROR_HERE("update_cache of 2x3x4xf32 needs an update", update_cache(x, wrong, {}, 1));
  EXPECT_ERROR_HERE("which is not the batch", update_cache(x, update, {}, 0));
  EXPECT_ERROR_HERE("one start per sample", update_cache(x, update, three, 1));
  EXPECT_ERROR_HERE("numbers of type i32 or i64", update_cache(x, update, real, 1));
  EXPECT_ERROR_HERE("empty Tensor", update_cache(x, Tensor()));
  EXPECT_ERROR_HERE("numbers of type i32 or i64", count_ngrams(x, {{1}}));
  EXPECT_ERROR_HERE("an n-gram and a max_skip", count_ngrams(three, {}));
  EXPECT_ERROR_HERE("an n-gram and a max_skip", count_ngrams(three, {{1}}, -1));
  EXPECT_ERROR_HERE("n-grams of one number or more", count_ngrams(three, {{1}, {}}));
  EXPECT_ERROR_HERE("numbers from -2^53 to 2^53", count_ngrams(three, {{INT64_MIN}}));
  EXPECT_ERROR_HERE("rows of one element or more", count_ngrams(nothing, {{1}}));
  EXPECT_ERROR_HERE("at most 4096 comparisons", count_ngrams(many, {{1, 2}}, int64_t{1} << 62));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::onnx_ops

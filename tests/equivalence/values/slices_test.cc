// SPDX-License-Identifier: Apache-2.0
// Tests slices and concatenations in models: the gates of one dense layer, many slices of one tensor, and
// slices along the batch.
#include <cutset/testing.h>

#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

// Returns a graph in which one dense layer computes three gates, which are slices of its result.
Graph gates(int64_t batch) {
  Graph g(3);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor h = nn::dense("gates", flatten(image), 18);
  Tensor a = ops::slice(h, {.axis = 1, .length = 6}),
         b = ops::slice(h, {.axis = -1, .start = 6, .length = 6}),
         c = ops::slice(h, {.axis = 1, .start = 12});
  Tensor y = concat({tanh(a) * sigmoid(b), tanh(c), a}, {.axis = -1});
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", y, 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns a graph in which each sample also reads its neighbour, so rows of the batch move between the
// shards.
Graph neighbours(int64_t batch) {
  Graph g(4);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor h = tanh(nn::dense("hidden", flatten(image), 8));
  Tensor moved =
      concat({ops::slice(h, {.axis = 0, .start = 1}), ops::slice(h, {.axis = 0, .length = 1})}, {.axis = 0});
  Tensor y = ops::pad(concat({h, moved}, {.axis = 1}), {.axis = 1, .before = 1, .after = 2});
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", y, 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns a graph with a value of more than 64 uses, and a concatenation of more than 64 operands.
Graph many(int64_t batch) {
  Graph g(5);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor h = nn::dense("hidden", flatten(image), 70);
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < 70; ++i)
    parts.push_back(tanh(ops::slice(h, {.axis = 1, .start = 69 - i, .length = 1})));
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", concat(parts, {.axis = 1}), 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

std::vector<Batch> batches(int64_t batch) {
  return {noise(batch, 1, 0), noise(batch, 1, 1), noise(batch, 1, 2)};
}

struct Slices : PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Slices);

TEST_P(Slices, TrainTheSameOnEveryDeviceAndSplit) {
  for (Graph (*build)(int64_t) : {gates, neighbours, many}) {
    EXPECT_SAME_ON(build(7), device(), "", batches(7));
    EXPECT_SAME_ON(build(7), device() + ",reference:1", "data(2, shares=5:2)", batches(7));
  }
  EXPECT_SAME_ON(gates(6), device() + ",reference:1", "pipeline(2, micro_batches=1)", batches(6));
}

TEST(Slices, HaveGradients) {
  EXPECT_GRADIENTS(gates(3), noise(3, 1, 0), 5);
  EXPECT_GRADIENTS(neighbours(3), noise(3, 1, 0), 5);
}

TEST(Slices, RefuseRangesOutsideOfTheTensor) {
  Graph g;
  Tensor x = g.input("x", f32, {4, 5});
  EXPECT_THROW(ops::slice(x, {.axis = 2}), Error);
  EXPECT_THROW(ops::slice(x, {.axis = 1, .start = 4, .length = 2}), Error);
  EXPECT_THROW(concat({x, g.input("y", f32, {4, 6})}, {.axis = 0}), Error);
  EXPECT_THROW(ops::pad(x, {.axis = 0, .before = -1}), Error);
}

}  // namespace
}  // namespace cutset::testing

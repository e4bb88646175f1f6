// SPDX-License-Identifier: Apache-2.0
// Tests the losses of <cutset/losses.h> when the batch is split. The divisor of a mean is computed from the
// whole batch, even if the shards have unequal numbers of labels that count.
#include <cutset/losses.h>
#include <gtest/gtest.h>

#include "tests/equivalence/support/as_on_one_device.h"

namespace cutset::testing {
namespace {

constexpr Split kSplits[] = {
    {"sim:0,reference:0", "model"},
    {"sim:0,reference:0", "data(2)"},
    {"sim:0,reference:0", "data(2, shares=5:2)"},
    {"sim:0", "pipeline(1, micro_batches=3)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4)"},
    {"sim:0,reference:0", "tensor(2)"},
    {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2) * pipeline(2, micro_batches=2)"}};

struct Network {
  Graph g;
  Tensor image, label, logits;

  Network(int64_t batch, uint64_t seed)
      : g(seed), image(g.input("image", f32, {batch, 1, 28, 28})), label(g.input("label", i32, {batch})) {
    logits = nn::dense("out", tanh(nn::dense("hidden", flatten(image), 12)), 10);
  }
  Graph minimize(const Tensor& loss) {
    g.minimize(loss, {.learning_rate = 0.05, .momentum = 0.9});
    return g;
  }
  Tensor weight() {
    HostTensor w({f32, {10}});
    for (int64_t i = 0; i < 10; ++i) w.set(i, 0.5 + 0.25 * static_cast<double>(i % 4));
    return g.constant(w);
  }
  // Returns numbers from 0 to 1, [batch, 10].
  Tensor target() { return ops::slice(flatten(image), {.axis = 1, .start = 300, .length = 10}); }
};

// Returns a graph that ignores some classes. The shards have unequal numbers of labels that count, and a
// shard may have no such label.
Graph labels(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  return n.minimize(
      cross_entropy(n.logits, n.label, {.weight = n.weight(), .ignore_index = 3, .label_smoothing = 0.1}) +
      cross_entropy(n.logits, n.label, {.ignore_index = 4}) + cross_entropy(n.logits, n.label));
}

// Returns a graph in which each sample has several labels.
Graph pixels(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  const Tensor logits = reshape(n.logits, {.shape = {-1, 5, 2}});
  const Tensor parts = ops::slice(flatten(n.image), {.axis = 1, .start = 400, .length = 2});
  return n.minimize(
      cross_entropy(logits, cast(parts * 5, {.dtype = i64}), {.ignore_index = 2, .label_smoothing = 0.2}));
}

Graph distributions(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  const Tensor target = softmax(n.target() * 3);
  return n.minimize(cross_entropy(n.logits, target, {.weight = n.weight()}) +
                    kl_div(log_softmax(n.logits), target, {.reduction = LossReduction::kBatchMean}));
}

Graph differences_of_numbers(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  const Tensor target = n.target();
  return n.minimize(
      binary_cross_entropy_with_logits(n.logits, target, {.weight = n.weight(), .pos_weight = n.weight()}) +
      mse_loss(n.logits, target) + huber_loss(n.logits, target, {.delta = 0.3}) +
      smooth_l1_loss(n.logits, target, {.beta = 0.2}) + l1_loss(n.logits, target));
}

TEST(SplitLosses, OfLabels) { expect_as_on_one_device({"", labels, {14, 14, 9}, "", ""}, kSplits); }
TEST(SplitLosses, OfSeveralLabelsPerSample) {
  expect_as_on_one_device({"", pixels, {14, 14, 9}, "", ""}, kSplits);
}
TEST(SplitLosses, OfDistributions) {
  expect_as_on_one_device({"", distributions, {14, 14, 9}, "", ""}, kSplits);
}
TEST(SplitLosses, OfNumbers) {
  expect_as_on_one_device({"", differences_of_numbers, {14, 14, 9}, "", ""}, kSplits);
}

}  // namespace
}  // namespace cutset::testing

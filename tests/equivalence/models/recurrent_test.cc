// SPDX-License-Identifier: Apache-2.0
// Tests recurrent layers under strategies. Training and verification give the results of one device.
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/batch_forms.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

// Returns a classifier of images, which reads five steps of 28 pixels. The rows of a batch have different
// lengths, which depend on the label.
Graph classifier(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor x = ops::slice(reshape(image, {.shape = {0, 28, 28}}), {.axis = 1, .start = 10, .length = 5});
  const Tensor lengths = label + constant(label, 1);
  const RecurrentResult r =
      nn::lstm("lstm", x, {.hidden = 5, .layers = 2, .batch_first = true, .bidirectional = true}, lengths);
  const Tensor cells = reshape(transpose(r.cell, {.permutation = {1, 0, 2}}), {.shape = {0, 20}});
  Tensor h = tanh(nn::dense("between", concat({mean(r.output, {1}), cells}, {.axis = 1}), 6));
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", h, 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns gated recurrent units over the rows of an image, without lengths, followed by a vanilla recurrent
// network that reads their states backwards.
Graph gated(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor x = ops::slice(reshape(image, {.shape = {0, 28, 28}}), {.axis = 1, .start = 10, .length = 4});
  const RecurrentResult r = nn::gru("gru", x, {.hidden = 6, .batch_first = true});
  const RecurrentResult s =
      nn::rnn("rnn", r.output, {.hidden = 5, .batch_first = true, .bidirectional = true}, {}, {});
  Tensor last = reshape(transpose(s.state, {.permutation = {1, 0, 2}}), {.shape = {0, 10}});
  g.output("states", s.output);
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", last, 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns layers over time-major sequences (batch_forms.h), whose batch is dimension 1.
Graph time_major_layers(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = g.input("x", f32, {3, batch, 5}, {.batch_dimension = 1}),
         label = g.input("label", i32, {3, batch}, {.batch_dimension = 1});
  const RecurrentResult r = nn::lstm("lstm", x, {.hidden = 6});
  g.output("states", r.output);
  Tensor loss;
  for (int64_t t = 0; t < 3; ++t) {
    const auto now = [&](const Tensor& all) { return ops::slice(all, {.axis = 0, .start = t, .length = 1}); };
    const Tensor out = g.variable("out" + std::to_string(t), f32, {6, 4}, Initializer::uniform(-0.4, 0.4));
    Tensor of_step = mean(softmax_cross_entropy(matmul(reshape(now(r.output), {.shape = {-1, 6}}), out),
                                                reshape(now(label), {.shape = {-1}})));
    loss = loss.defined() ? loss + of_step : of_step;
  }
  g.minimize(loss, {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

constexpr Split kSplits[] = {
    {"sim:0,reference:0", "data(2, shares=5:2)"},
    {"sim:0,reference:0", "model"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=zb-h1)"},
    {"sim:0,reference:0", "tensor(2)"},
    {"sim:0,reference:0", "data(2, shares=5:2, shard=parameters)"},
    {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2) * pipeline(2, micro_batches=2)"},
};

class RecurrentLayers : public ::testing::TestWithParam<Split> {};

TEST_P(RecurrentLayers, TrainAsOnOneDevice) {
  expect_as_on_one_device({"", classifier, {7, 7, 3, 1}, "", ""}, std::array{GetParam()});
  expect_as_on_one_device({"", gated, {7, 7, 3, 1}, "", ""}, std::array{GetParam()});
  expect_as_on_one_device({"", time_major_layers, {7, 7, 3, 1}, "", "", sequences}, std::array{GetParam()});
}

TEST_P(RecurrentLayers, AreVerified) {
  const auto& [devices, strategy] = GetParam();
  for (const auto& graph : {classifier, gated, time_major_layers})
    EXPECT_SAME_ON(graph(7, 7), devices, strategy);
}
INSTANTIATE_TEST_SUITE_P(Strategies, RecurrentLayers, ::testing::ValuesIn(kSplits));

// The layers are verified in f32, with the kernels of these devices.
TEST(RecurrentLayersOnDevices, AreVerified) {
  for (const auto& [devices, strategy] : {Split{"cpu:0", "one_device"}, Split{"opencl:0", "one_device"},
                                          Split{"cpu:0,opencl:0", "data(2, shares=5:2)"},
                                          Split{"cpu:0,opencl:0", "pipeline(2, micro_batches=3)"}}) {
    if (!have(devices)) continue;
    for (const auto& graph : {classifier, gated, time_major_layers})
      EXPECT_SAME_ON(graph(7, 7), devices, strategy);
  }
}

}  // namespace
}  // namespace cutset::testing

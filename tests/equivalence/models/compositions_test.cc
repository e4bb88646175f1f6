// SPDX-License-Identifier: Apache-2.0
// Tests compositions of many ops (einsum, linear attention, Fourier transforms, fake quantization) when the
// batch or the graph is split.
#include <cutset/einsum.h>
#include <cutset/losses.h>
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/quantization.h>
#include <cutset/spectral.h>
#include <gtest/gtest.h>

#include "tests/equivalence/support/as_on_one_device.h"

namespace cutset::testing {
namespace {

constexpr Split kSplits[] = {{"sim:0,reference:0", "model"},
                             {"sim:0,reference:0", "data(2, shares=5:2)"},
                             {"sim:0", "pipeline(1, micro_batches=3)"},
                             {"sim:0,reference:0", "pipeline(2, micro_batches=4)"},
                             {"sim:0,reference:0", "tensor(2)"}};

constexpr int64_t kSteps = 4, kWidth = 8, kHeads = 2;

struct Network {
  Graph g;
  Tensor rows, label;

  Network(int64_t batch, uint64_t seed) : g(seed) {
    const Tensor image = g.input("image", f32, {batch, 1, 28, 28});
    label = g.input("label", i32, {batch});
    rows = ops::slice(
        ops::slice(reshape(image, {.shape = {-1, 28, 28}}), {.axis = 1, .start = 10, .length = kSteps}),
        {.axis = 2, .start = 10, .length = 12});
  }
  Tensor weight(const char* name, const Shape& shape) {
    return g.variable(name, f32, shape, Initializer::uniform(-0.5, 0.5));
  }
  // Returns the rows as heads, [batch, heads, steps, width / heads].
  Tensor heads(const char* name) {
    return einsum("bti,hdi->bhtd", {rows, weight(name, {kHeads, kWidth / kHeads, 12})});
  }
  Graph minimize(const Tensor& features) {  // [batch, heads, steps, width / heads]
    const Tensor logits =
        einsum("bhtd,thdc->bc", {features, weight("out", {kSteps, kHeads, kWidth / kHeads, 10})});
    g.minimize(cross_entropy(logits, label), {.learning_rate = 0.05, .momentum = 0.9});
    return g;
  }
};

Graph delta_rule(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  onnx_ops::LinearAttentionOptions o;
  const Tensor gates = tanh(einsum("bti,hi->bht", {n.rows, n.weight("gate", {kHeads, 12})}));
  o.decay = reshape(gates * gates * -1.0, {.shape = {-1, kHeads, kSteps, 1}});
  o.beta = reshape(sigmoid(gates), {.shape = {-1, kHeads, kSteps, 1}});
  return n.minimize(onnx_ops::linear_attention(n.heads("query"), n.heads("key"), n.heads("value"), o).output);
}

Graph spectrum(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  const Tensor x = n.heads("in");
  const Tensor y = dft(reshape(x, {.shape = {-1, kHeads * kSteps * kWidth / kHeads, 1}}), {.axis = 1});
  const Tensor back = dft(tanh(y), {.axis = 1, .inverse = true});
  return n.minimize(reshape(sum(back * back, {2}), {.shape = {-1, kHeads, kSteps, kWidth / kHeads}}));
}

Graph quantized(int64_t batch, uint64_t seed) {
  Network n(batch, seed);
  const Tensor scale = n.g.variable("scale", f32, {kHeads}, Initializer::uniform(0.05, 0.15));
  return n.minimize(fake_quantize(n.heads("in"), scale, {}, {.low = -8, .high = 7}, {.axis = 1}));
}

TEST(Compositions, LinearAttentionIsAsOnOneDevice) {
  expect_as_on_one_device({"", delta_rule, {14, 14, 9}, "", ""}, kSplits, 1e-11);
}
TEST(Compositions, SpectraAreAsOnOneDevice) {
  expect_as_on_one_device({"", spectrum, {14, 14, 9}, "", ""}, kSplits, 1e-11);
}
TEST(Compositions, FakeQuantizationIsAsOnOneDevice) {
  expect_as_on_one_device({"", quantized, {14, 14, 9}, "", ""}, kSplits, 1e-11);
}

}  // namespace
}  // namespace cutset::testing

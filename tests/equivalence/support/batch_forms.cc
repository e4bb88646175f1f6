// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/batch_forms.h"

#include "ir/core/philox.h"

namespace cutset::testing {
namespace {

constexpr int64_t kWords = 11, kLength = 4, kWidth = 8, kHeads = 2;      // the sizes of the language model
constexpr int64_t kSteps = 3, kFeatures = 5, kStates = 6, kClasses = 4;  // the sizes of the sequences

HostTensor labels(const Shape& shape, int64_t classes, PhiloxSequence& random) {
  HostTensor t({i32, shape});
  for (int64_t i = 0; i < t.elements(); ++i)
    t.as<int32_t>()[i] = static_cast<int32_t>(random.below(static_cast<uint64_t>(classes)));
  return t;
}

}  // namespace

Graph language_model(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor tokens = g.input("tokens", i32, {batch, kLength}),
         label = g.input("label", i32, {batch * kLength}, {.several_rows_per_sample = true}),
         mask = g.input("mask", f32, {kLength, kLength}, {.batch_dimension = std::nullopt});
  Tensor places = g.variable("places", f32, {kLength, kWidth}, Initializer::normal(0, 0.3));
  Tensor x = nn::embedding("words", tokens, {.vocabulary = kWords, .width = kWidth}) + places;
  const auto heads = [](const Tensor& t) {
    return transpose(reshape(t, {.shape = {0, kLength, kHeads, kWidth / kHeads}}),
                     {.permutation = {0, 2, 1, 3}});
  };
  for (int b = 0; b < 2; ++b) {
    const std::string block = "block" + std::to_string(b) + "/";
    Tensor n = nn::layer_norm(block + "norm1", x);
    // The key has no bias, because softmax does not depend on it.
    Tensor key =
        matmul(n, g.variable(block + "key", f32, {kWidth, kWidth}, Initializer::uniform(-0.35, 0.35)));
    Tensor scores = matmul(heads(nn::dense(block + "query", n, kWidth)), heads(key), {.transpose_y = true});
    Tensor attention = matmul(softmax(scores + mask), heads(nn::dense(block + "value", n, kWidth)));
    Tensor joined =
        reshape(transpose(attention, {.permutation = {0, 2, 1, 3}}), {.shape = {0, kLength, kWidth}});
    x = x + nn::dense(block + "output", joined, kWidth);
    Tensor up = tanh(nn::dense(block + "up", nn::layer_norm(block + "norm2", x), 4 * kWidth));
    x = x + nn::dense(block + "down", up, kWidth);
  }
  x = x * random_uniform(x, g.step(), {.low = 0.5, .high = 1.5, .seed = 9});
  Tensor rows = reshape(nn::layer_norm("norm", x), {.shape = {-1, kWidth}});
  rows = rows * random_uniform(rows, g.step(), {.low = 0.5, .high = 1.5, .seed = 10});
  Tensor logits = nn::dense("out", rows, kWords);
  g.output("logits", logits);
  Tensor is_word = cast(greater(label, ops::full_like(label, {.value = 0})), {.dtype = f32});
  g.minimize(sum(softmax_cross_entropy(logits, label) * is_word) / sum(is_word),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Graph time_major(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor x = g.input("x", f32, {kSteps, batch, kFeatures}, {.batch_dimension = 1}),
         label = g.input("label", i32, {kSteps, batch}, {.batch_dimension = 1});
  const auto weight = [&](const char* name, const Shape& shape) {
    return g.variable(name, f32, shape, Initializer::uniform(-0.4, 0.4));
  };
  Tensor in = weight("in", {kFeatures, kStates}), again = weight("again", {kStates, kStates}),
         out = weight("out", {kStates, kClasses});
  std::vector<Tensor> states;
  Tensor h, loss;
  for (int64_t t = 0; t < kSteps; ++t) {
    const auto now = [&](const Tensor& all) { return ops::slice(all, {.axis = 0, .start = t, .length = 1}); };
    Tensor z = matmul(reshape(now(x), {.shape = {-1, kFeatures}}), in);
    h = tanh(h.defined() ? z + matmul(h, again) : z);
    states.push_back(reshape(h, {.shape = {1, -1, kStates}}));
    Tensor of_step = mean(softmax_cross_entropy(matmul(h, out), reshape(now(label), {.shape = {-1}})));
    loss = loss.defined() ? loss + of_step : of_step;
  }
  g.output("states", concat(states, {.axis = 0}));
  g.minimize(loss, {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Batch tokens_and_labels(int64_t batch, uint64_t seed, uint64_t step) {
  PhiloxSequence random(seed, step);
  HostTensor mask({f32, {kLength, kLength}});
  for (int64_t i = 0; i < kLength; ++i)
    for (int64_t j = 0; j < kLength; ++j) mask.as<float>()[i * kLength + j] = j > i ? -30.0f : 0.0f;
  return {{"tokens", labels({batch, kLength}, kWords, random)},
          {"label", labels({batch * kLength}, kWords, random)},
          {"mask", mask}};
}

Batch sequences(int64_t batch, uint64_t seed, uint64_t step) {
  PhiloxSequence random(seed, step);
  HostTensor x({f32, {kSteps, batch, kFeatures}});
  for (int64_t i = 0; i < x.elements(); ++i) x.as<float>()[i] = static_cast<float>(random.unit() * 2 - 1);
  return {{"x", x}, {"label", labels({kSteps, batch}, kClasses, random)}};
}

}  // namespace cutset::testing

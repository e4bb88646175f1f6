// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/loss_forms.h"

#include "tests/equivalence/support/batch_forms.h"

namespace cutset::testing {
namespace {

Tensor logits_of(Graph& g, const Tensor& image) {
  return nn::dense("out", tanh(nn::dense("hidden", flatten(image), 12)), 10);
}
struct Inputs {
  Tensor image, label;
};
Inputs inputs(Graph& g, int64_t batch) {
  return {g.input("image", f32, {batch, 1, 28, 28}), g.input("label", i32, {batch})};
}

Graph sum_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  g.minimize(sum(softmax_cross_entropy(logits_of(g, image), label)),
             {.learning_rate = 0.002, .momentum = 0.9});
  return g;
}

// Returns a graph whose mask excludes samples. The loss is the mean over the remaining samples, so no fixed
// weight per replica is correct.
Graph masked_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor mask =
      cast(equal(cast(label, {.dtype = i64}), argmax(one_hot(label, {.depth = 6}))), {.dtype = f32});
  Tensor loss = softmax_cross_entropy(logits_of(g, image), label);
  g.minimize(sum(loss * mask) / sum(mask), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Graph auxiliary_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor weight = g.variable("scale", f32, {10}, Initializer::uniform(0.5, 1.5));
  Tensor loss = mean(softmax_cross_entropy(logits_of(g, image) * weight, label));
  g.minimize(loss + sum(weight * weight), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns a graph in which a part of the gradient depends only on variables. Each replica computes this part
// completely.
Graph weight_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor weight = g.variable("scale", f32, {10}, Initializer::uniform(0.5, 1.5));
  Tensor loss = mean(softmax_cross_entropy(logits_of(g, image) * weight, label));
  g.minimize(loss + sum(exp(weight)) * 0.01 + sum(tanh(weight)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

// Returns a graph with a maximum over the batch and a product of the batch with itself. Both need all
// samples, so the shards are concatenated.
Graph whole_batch_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor logits = logits_of(g, image);
  Tensor largest = ops::reduce_max(logits, {.axes = {0}});
  Tensor gram = matmul(logits, logits, {.transpose_y = true});
  // With a learning rate of 0.01, the loss and the rounding errors of f32 would grow, even on one device.
  g.minimize(mean(softmax_cross_entropy(logits - largest, label)) + mean(gram * gram),
             {.learning_rate = 0.001, .momentum = 0.9});
  return g;
}

}  // namespace

Graph normalized_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  // There is no bias before the normalization, because its gradient would be 0 except for rounding.
  Tensor filter = g.variable("filter", f32, {4, 1, 7, 7}, Initializer::uniform(-0.2, 0.2));
  Tensor x = conv(image, filter, {}, {.stride = {7, 7}});
  Tensor h = flatten(tanh(nn::batch_norm("norm", x, {.running_statistics = false})));
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", h, 10), label)),
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Graph attention_loss(int64_t batch, uint64_t seed) {
  constexpr int64_t kWidth = 8;
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor rows = reshape(image, {.shape = {0, 28, 28}});
  Tensor x = nn::layer_norm("norm", nn::dense("in", rows, kWidth));
  // The key has no bias, because softmax does not depend on it.
  Tensor query = nn::dense("query", x, kWidth), value = nn::dense("value", x, kWidth);
  Tensor key = matmul(x, g.variable("key", f32, {kWidth, kWidth}, Initializer::uniform(-0.35, 0.35)));
  Tensor weights = softmax(matmul(query, key, {.transpose_y = true}) * 2.0);
  Tensor h = nn::layer_norm("norm2", matmul(weights, value) + x);
  Tensor token = nn::embedding("token", label, {.vocabulary = 10, .width = kWidth});
  Tensor logits = log_softmax(nn::dense("out", mean(h, {1}) + token, 10));
  g.minimize(mean(sum(one_hot(label, {.depth = 10}) * logits, {1})) * -1.0,
             {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

Graph mean_loss(int64_t batch, uint64_t seed) {
  Graph g(seed);
  const auto [image, label] = inputs(g, batch);
  Tensor logits = logits_of(g, image);
  g.output("logits", logits);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}

const std::vector<LossForm>& loss_forms() {
  static const std::vector<LossForm> forms = {
      {"a_sum", sum_loss, {13, 13, 13}, "reference:0,sim:0", "data(2, shares=5:2)"},
      {"a_sum_on_opencl", sum_loss, {13, 13, 13}, "cpu:0,opencl:0", "data(2, shares=5:2)"},
      {"a_mask_over_samples", masked_loss, {14, 14, 14}, "reference:0,sim:0,cpu:0", "data(3)"},
      {"a_mask_over_samples_on_opencl", masked_loss, {14, 14, 14}, "cpu:0,opencl:0", "data(2)"},
      {"an_auxiliary_loss_over_variables", auxiliary_loss, {9, 9}, "reference:0,sim:0", "data(2)"},
      {"exponentials_of_variables", weight_loss, {9, 9}, "reference:0,sim:0", "data(2)"},
      {"ops_that_need_the_whole_batch", whole_batch_loss, {9, 9}, "reference:0,sim:0", "data(2, shares=2:1)"},
      {"batch_normalization", normalized_loss, {13, 13, 5}, "reference:0,sim:0", "data(2, shares=5:2)"},
      {"batch_normalization_on_opencl", normalized_loss, {14, 14}, "cpu:0,opencl:0", "data(2)"},
      {"attention", attention_loss, {7, 7, 3}, "reference:0,sim:0", "data(2, shares=5:2)"},
      {"attention_on_opencl", attention_loss, {6, 6}, "cpu:0,opencl:0", "data(2)"},
      {"labels_of_several_rows_per_sample",
       language_model,
       {7, 7, 3, 1},
       "reference:0,sim:0",
       "data(2, shares=5:2)",
       tokens_and_labels},
      {"labels_of_several_rows_per_sample_on_opencl",
       language_model,
       {6, 6},
       "cpu:0,opencl:0",
       "data(2)",
       tokens_and_labels},
      {"a_batch_in_the_second_dimension",
       time_major,
       {7, 7, 3, 1},
       "reference:0,sim:0",
       "data(2, shares=5:2)",
       sequences},
      {"a_batch_in_the_second_dimension_on_opencl",
       time_major,
       {6, 6},
       "cpu:0,opencl:0",
       "data(2)",
       sequences},
      {"a_last_smaller_batch",
       mean_loss,
       {24, 24, 7, 24},
       "reference:0,sim:0,sim:1",
       "data(3, shares=3:2:1)"},
      {"a_last_smaller_batch_on_opencl", mean_loss, {24, 7, 24, 7}, "cpu:0,opencl:0", "data(2)"},
      {"a_batch_below_the_devices",
       mean_loss,
       {24, 2, 1, 24},
       "reference:0,sim:0,sim:1",
       "data(3, shares=3:2:1)"},
      {"a_batch_below_the_devices_mirrored", mean_loss, {2, 2, 1, 2}, "cpu:0,opencl:0,sim:0", "mirrored"},
      {"a_batch_below_the_replicas_of_a_split_graph",
       mean_loss,
       {24, 7, 1, 24},
       "reference:0,reference:1,sim:0,sim:1",
       "data(2) * pipeline(2, micro_batches=1)"},
  };
  return forms;
}

FormRun train(const LossForm& form, const CompileOptions& options, uint64_t seed, int repeat) {
  Session session = compile(form.build(form.batches[0], seed), options);
  FormRun r;
  for (const std::string& v : session.variables()) r.before.emplace(v, session.variable(v));
  uint64_t step = 0;
  for (int i = 0; i < repeat; ++i)
    for (const int64_t batch : form.batches) {
      r.loss.push_back(session.train(form.feed(batch, seed, step++)).at("loss").at(0));
      for (const std::string& v : session.variables())
        for (int64_t copy = 1; copy < session.copies(v); ++copy)
          if (!(session.variable(v) == session.variable(v, copy)))
            r.different_copies.push_back("@" + v + ", copy " + std::to_string(copy) + ", after step " +
                                         std::to_string(step));
    }
  for (const std::string& v : session.variables()) r.after.emplace(v, session.variable(v));
  return r;
}

FormDifference differences(const FormRun& got, const FormRun& want) {
  Largest change;
  change.add(want.after.empty() ? HUGE_VAL : 0);
  for (const auto& [name, after] : want.after) {
    const auto mine = got.after.find(name);
    change.add(mine == got.after.end() ? HUGE_VAL
                                       : change_difference(mine->second, after, want.before.at(name)));
  }
  return {loss_difference(got.loss, want.loss), change.value()};
}

}  // namespace cutset::testing

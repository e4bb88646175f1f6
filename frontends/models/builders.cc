#include "frontends/models/builders.h"

#include <cutset/losses.h>

#include <cmath>

namespace cutset::models {

Tensor image_input(Graph& g, const Settings& s) {
  return g.input("image", f32, {s.batch, s.size("channels"), s.size("image_size"), s.size("image_size")});
}

Tensor label_input(Graph& g, const Settings& s) { return g.input("label", i32, {s.batch}); }

nn::ConvOptions he_conv(int64_t out_channels, int64_t kernel_size, int64_t stride, int64_t groups) {
  const double fan_out = static_cast<double>(out_channels * kernel_size * kernel_size);
  return {.out_channels = out_channels,
          .kernel_size = kernel_size,
          .stride = stride,
          .padding = kernel_size / 2,
          .groups = groups,
          .bias = false,
          .weight = Initializer::normal(0, std::sqrt(2 / fan_out))};
}

Tensor dropout(Graph& g, const std::string& name, const Tensor& x, const Settings& s, double probability) {
  const double p = s.dropout.value_or(probability);
  return p == 0 ? x : nn::dropout(g, name, x, {.probability = p});
}

void classify(Graph& g, const std::vector<Tensor>& inputs, const Tensor& logits, const Tensor& label,
              const Settings& s) {
  constexpr int64_t kTop = 5;
  Tensor loss, found;
  {
    NameScope scope(g, "loss");
    const Tensor target = label.type().rank() == 1 ? label : reshape(label, {.shape = {-1}});
    const Tensor wanted = cast(target, {.dtype = i64});
    const auto number_of = [](const Tensor& flags) { return sum(cast(flags, {.dtype = f32})); };
    found = argmax(logits);
    loss = mean(softmax_cross_entropy(logits, target));
    g.minimize(loss, s.other ? *s.other : Optimizer(s.optimizer));
    std::vector<std::pair<std::string, Tensor>> outputs = {{"loss", loss},
                                                           {"correct", number_of(equal(found, wanted))}};
    if (logits.shape()[1] > 2 * kTop) {
      const Tensor likeliest = top_k(logits, {.k = kTop})[1];
      outputs.emplace_back("correct_top5", number_of(equal(likeliest, reshape(wanted, {.shape = {-1, 1}}))));
    }
    std::vector<Tensor> all = inputs;
    all.push_back(label);
    g.function("evaluate", all, outputs);
  }
  NameScope scope(g, "predict");
  g.function("predict", inputs, {{"logits", logits}, {"probability", softmax(logits)}, {"class", found}});
}

}  // namespace cutset::models

// SPDX-License-Identifier: Apache-2.0
#include "frontends/models/blocks.h"

#include <cutset/indexing.h>
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/models/class_loss.h"
#include "frontends/models/class_metrics.h"

namespace cutset::models {

std::vector<Size> image_sizes(int64_t channels, int64_t size, int64_t classes) {
  return {{"channels", channels}, {"image_size", size}, {"classes", classes}};
}

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
          .initial_weight = Initializer::normal(0, std::sqrt(2 / fan_out))};
}

Tensor conv_norm(const std::string& conv, const std::string& norm, const Tensor& x,
                 const nn::ConvOptions& options, double epsilon) {
  return nn::batch_norm(norm, nn::conv(conv, x, options), {.epsilon = epsilon});
}

Tensor activated(Graph& g, const std::string& name, const Tensor& x) {
  NameScope scope(g, name);
  return relu(x);
}

Tensor pooled(Graph& g, const Tensor& x) {
  NameScope scope(g, "avgpool");
  return flatten(global_avg_pool(x));
}

Tensor dropout(const std::string& name, const Tensor& x, const Settings& s, double probability) {
  const double p = s.dropout.value_or(probability);
  return p == 0 ? x : nn::dropout(name, x, {.probability = p});
}

void classify(Graph& g, const std::vector<Tensor>& inputs, const Tensor& logits, const Tensor& label,
              const Settings& s) {
  {
    NameScope scope(g, "loss");
    const Tensor target = label.type().rank() == 1 ? label : reshape(label, {.shape = {-1}});
    const ClassLoss loss = class_loss(g, logits, target, 1, s.loss);
    g.minimize(loss.loss, s.other ? *s.other : Optimizer(s.optimizer));
    std::vector<std::pair<std::string, Tensor>> outputs =
        class_metrics(logits, target, 1, s.loss.ignore_index);
    outputs.emplace_back("loss", loss.loss);
    for (const auto& output : loss.outputs) outputs.push_back(output);
    std::vector<Tensor> all = inputs;
    all.push_back(label);
    g.function("evaluate", all, outputs);
  }
  NameScope scope(g, "predict");
  g.function("predict", inputs,
             {{"logits", logits}, {"probability", softmax(logits)}, {"class", argmax(logits)}});
}

}  // namespace cutset::models

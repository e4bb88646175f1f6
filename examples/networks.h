// SPDX-License-Identifier: Apache-2.0
// Five networks as users write them: a U-Net, a transformer with an encoder and a decoder, a variational
// autoencoder, two towers of a recommender, and a generative adversarial network.
// tests/equivalence/models/networks_test.cc trains each of them under many strategies.
#pragma once
#include <cutset/cutset.h>

#include <string>

namespace networks {

using namespace cutset;

inline constexpr int64_t kBatch = 16;

inline Tensor unet_block(const std::string& name, Tensor x, int64_t channels) {
  for (const char* part : {".1", ".2"})
    x = relu(nn::batch_norm(name + ".norm" + part,
                            nn::conv(name + ".conv" + part, x, channels, 3, {.padding = 1, .bias = false})));
  return x;
}

// Builds a U-Net (Ronneberger, Fischer and Brox, MICCAI 2015) for masks of one class. The loss is the cross
// entropy plus the dice loss of the whole batch.
inline Graph unet() {
  Graph g(1);
  const Tensor image = g.input("image", f32, {kBatch, 1, 16, 16}),
               mask = g.input("mask", f32, {kBatch, 1, 16, 16});
  const Tensor e1 = unet_block("e1", image, 8), e2 = unet_block("e2", max_pool(e1, 2), 16);
  const Tensor middle = unet_block("middle", max_pool(e2, 2), 32);
  const auto up = [](const char* name, const Tensor& x, int64_t channels) {
    return nn::conv_transpose(name, x, {.out_channels = channels, .kernel_size = 2, .stride = 2});
  };
  const Tensor d2 = unet_block("d2", concat({e2, up("up2", middle, 16)}, 1), 16);
  const Tensor d1 = unet_block("d1", concat({e1, up("up1", d2, 8)}, 1), 8);
  const Tensor logits = nn::conv("head", d1, 1, 1), p = sigmoid(logits);
  const Tensor dice = 1 - (2 * sum(p * mask) + 1) / (sum(p) + sum(mask) + 1);
  g.output("dice", dice);
  g.function("predict", {image}, {{"p", p}});
  g.minimize(binary_cross_entropy_with_logits(logits, mask) + dice, Adam{.learning_rate = 0.003});
  return g;
}

// Builds a transformer (Vaswani et al., NeurIPS 2017) whose embeddings are tied to its last layer. The id 0
// is padding. Weight decay applies to weights, but not to biases, normalizations and tables.
inline Graph transformer() {
  constexpr int64_t kLength = 10, kVocabulary = 40, kWidth = 32;
  Graph g(2);
  const auto ids = [&](const char* name) { return g.input(name, i32, {kBatch, kLength}); };
  const Tensor source = ids("source"), target = ids("target"), label = ids("label");
  const Tensor table = g.variable("tokens", f32, {kVocabulary, kWidth}, Initializer::normal(0, 0.1));
  const Tensor positions = g.variable("positions", f32, {kLength, kWidth}, Initializer::normal(0, 0.1));
  const Tensor is_word = unsqueeze(source != 0, {1, 2});
  const auto feed_forward = [](const std::string& name, const Tensor& x) {
    return nn::dense(name + ".out", relu(nn::dense(name + ".in", x, 64)), kWidth);
  };
  Tensor x = gather(table, source) + positions, y = gather(table, target) + positions;
  for (const std::string layer : {"encoder.0", "encoder.1"}) {
    x = nn::layer_norm(layer + ".norm1",
                       x + nn::multi_head_attention(layer + ".self", x, {.heads = 4}, is_word));
    x = nn::layer_norm(layer + ".norm2", x + feed_forward(layer, x));
  }
  for (const std::string layer : {"decoder.0", "decoder.1"}) {
    y = nn::layer_norm(layer + ".norm1",
                       y + nn::multi_head_attention(layer + ".self", y, {.heads = 4, .causal = true}));
    y = nn::layer_norm(layer + ".norm2",
                       y + nn::multi_head_attention(layer + ".cross", y, x, x, {.heads = 4}, is_word));
    y = nn::layer_norm(layer + ".norm3", y + feed_forward(layer, y));
  }
  const Tensor logits = matmul(y, table, false, true);
  g.function("predict", {source, target}, {{"logits", logits}});
  g.minimize(cross_entropy(logits, label, {.ignore_index = 0, .class_axis = -1}),
             AdamW{.learning_rate = 0.003, .weight_decay = 0.01},
             {.groups = {{.variables = {"*bias", "*.norm*", "tokens", "positions"}, .weight_decay = 0}}});
  return g;
}

// Builds a variational autoencoder (Kingma and Welling, ICLR 2014). "sample" decodes given codes with the
// trained weights.
inline Graph vae() {
  Graph g(3);
  const Tensor x = g.input("x", f32, {kBatch, 64}), code = g.input("code", f32, {kBatch, 8});
  const Tensor h = relu(nn::dense("encoder", x, 48));
  const Tensor mu = nn::dense("mu", h, 8), log_variance = nn::dense("log_variance", h, 8);
  const Tensor z = mu + exp(0.5 * log_variance) * random_normal(mu, g.step(), {.seed = 7});
  const nn::Shared decode(
      [](const Tensor& z) { return nn::dense("decoder.out", relu(nn::dense("decoder.in", z, 48)), 64); });
  const Tensor each =
      binary_cross_entropy_with_logits(decode(z), sigmoid(4 * x), {.reduction = LossReduction::kNone});
  const Tensor reconstruction = mean(sum(each, {1}));
  const Tensor divergence = mean(-0.5 * sum(1 + log_variance - mu * mu - exp(log_variance), {1}));
  g.output("reconstruction", reconstruction);
  g.output("divergence", divergence);
  g.function("sample", {code}, {{"image", sigmoid(decode(code))}});
  g.minimize(reconstruction + g.hyper_parameter("beta", 0.5) * divergence, Adam{.learning_rate = 0.002});
  return g;
}

// Builds two towers. The other items of the batch are the wrong answers (Yi et al., RecSys 2019).
inline Graph towers() {
  constexpr int64_t kItems = 200, kWidth = 16;
  Graph g(4);
  const Tensor history = g.input("history", i32, {kBatch, 8}), item = g.input("item", i32, {kBatch});
  const Tensor table = g.variable("items", f32, {kItems, kWidth}, Initializer::normal(0, 0.3));
  const auto tower = [](const std::string& name, const Tensor& x) {
    const Tensor y = nn::dense(name + ".2", relu(nn::dense(name + ".1", x, 32)), kWidth);
    return y / l2_norm(y + 1e-6, {1}, true);
  };
  const Tensor user = tower("user", embedding_bag(table, history)),
               wanted = tower("item", gather(table, item));
  g.function("user", {history}, {{"user", user}});
  g.minimize(mean(softmax_cross_entropy(10 * matmul(user, wanted, false, true), arange_like(item, 0))),
             Adagrad{.learning_rate = 0.05});
  return g;
}

// Builds a generative adversarial network (Goodfellow et al., NeurIPS 2014) with the losses that do not
// saturate. Call "train_d" and "train_g" in turn.
inline Graph gan() {
  Graph g(5);
  const Tensor real = g.input("real", f32, {kBatch, 2}), noise = g.input("noise", f32, {kBatch, 8});
  const Tensor fake = nn::dense("g.2", relu(nn::dense("g.1", noise, 32)), 2);
  const nn::Shared discriminator(
      [](const Tensor& x) { return nn::dense("d.2", leaky_relu(nn::dense("d.1", x, 32)), 1); });
  const Tensor of_real = discriminator(real), of_fake = discriminator(fake);
  const Adam optimizer{.learning_rate = 0.002, .beta1 = 0.5};
  g.minimize(mean(softplus(-of_real)) + mean(softplus(of_fake)), optimizer,
             {.variables = {"d"}, .function = "train_d"});
  g.minimize(mean(softplus(-of_fake)), optimizer, {.variables = {"g"}, .function = "train_g"});
  g.function("sample", {noise}, {{"fake", fake}});
  return g;
}

}  // namespace networks

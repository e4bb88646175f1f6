// SPDX-License-Identifier: Apache-2.0
// MobileNetV2 (Sandler, Howard, Zhu, Zhmoginov and Chen, "MobileNetV2: inverted residuals and linear
// bottlenecks", CVPR 2018, table 2).
#include <cutset/constants.h>

#include "frontends/models/blocks.h"

namespace cutset::models {
namespace {

// Adds a convolution, batch normalization and the activation min(max(x, 0), 6).
Tensor conv_norm_relu6(Graph& g, const std::string& conv, const std::string& norm, const Tensor& x,
                       const nn::ConvOptions& options) {
  const Tensor y = conv_norm(conv, norm, x, options);
  NameScope scope(g, norm);
  return clip(y, constant(y, 0), constant(y, 6));
}

Tensor inverted_residual(Graph& g, const std::string& n, const Tensor& x, int64_t expansion,
                         int64_t out_channels, int64_t stride) {
  const int64_t inner = x.shape()[1] * expansion;
  Tensor y = x;
  int number = 0;
  const auto activated = [&](const nn::ConvOptions& options) {
    const std::string name = n + ".conv." + std::to_string(number++);
    y = conv_norm_relu6(g, name + ".0", name + ".1", y, options);
  };
  if (expansion != 1) activated(he_conv(inner, 1));
  activated(he_conv(inner, 3, stride, inner));
  y = conv_norm(n + ".conv." + std::to_string(number), n + ".conv." + std::to_string(number + 1), y,
                he_conv(out_channels, 1));
  if (stride != 1 || x.shape()[1] != out_channels) return y;
  NameScope scope(g, n);
  return x + y;
}

}  // namespace

static Graph mobilenet_v2(const Settings& s) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  Tensor x = conv_norm_relu6(g, "features.0.0", "features.0.1", image, he_conv(32, 3, 2));
  struct Row {
    int64_t expansion, out_channels, blocks, stride;
  };
  const Row rows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                      {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
  int number = 1;
  for (const Row& row : rows)
    for (int64_t i = 0; i < row.blocks; ++i)
      x = inverted_residual(g, "features." + std::to_string(number++), x, row.expansion, row.out_channels,
                            i == 0 ? row.stride : 1);
  x = conv_norm_relu6(g, "features.18.0", "features.18.1", x, he_conv(1280, 1));
  x = pooled(g, x);
  x = dropout("classifier.0", x, s, 0.2);
  classify(g, {image}, nn::dense("classifier.1", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_mobilenet_v2(
    {.name = "mobilenet-v2",
     .summary = "17 inverted residual blocks with depthwise convolutions (torchvision); 3,504,872 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = mobilenet_v2,
     .has_dropout = true});

}  // namespace cutset::models

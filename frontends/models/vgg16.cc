// SPDX-License-Identifier: Apache-2.0
// VGG-16: configuration D of Simonyan and Zisserman, "Very deep convolutional networks for large-scale image
// recognition" (ICLR 2015). The image size determines the number of inputs of the first dense layer: 512 * 7
// * 7 for 224.
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include "frontends/models/blocks.h"

namespace cutset::models {

static Graph vgg16(const Settings& s) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  Tensor x = image;
  int number = 0;  // the number of the layer among the convolutions, activations and poolings
  const std::pair<int, int64_t> blocks[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
  for (const auto& [convolutions, out_channels] : blocks) {
    for (int i = 0; i < convolutions; ++i, number += 2) {
      nn::ConvOptions options = he_conv(out_channels, 3);
      options.bias = true;
      const std::string name = "features." + std::to_string(number);
      x = activated(g, name, nn::conv(name, x, options));
    }
    NameScope scope(g, "features");
    x = max_pool(x, {.kernel_size = 2});
    ++number;
  }
  x = flatten(x);
  for (const int layer : {0, 3}) {
    const std::string name = "classifier." + std::to_string(layer);
    x = activated(g, name, nn::dense(name, x, 4096));
    x = dropout("classifier." + std::to_string(layer + 2), x, s, 0.5);
  }
  classify(g, {image}, nn::dense("classifier.6", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_vgg16(
    {.name = "vgg16",
     .summary = "13 convolutions and three dense layers (torchvision); 138,357,544 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = vgg16,
     .has_dropout = true});

}  // namespace cutset::models

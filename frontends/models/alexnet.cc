// SPDX-License-Identifier: Apache-2.0
// AlexNet as in Krizhevsky, "One weird trick for parallelizing convolutional neural networks"
// (arXiv:1404.5997, 2014), without local response normalization. The image size determines the number of
// inputs of the first dense layer: 256 * 6 * 6 for 224.
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include "frontends/models/blocks.h"

namespace cutset::models {

static Graph alexnet(const Settings& s) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  auto conv = [&](const char* number, const Tensor& x, int64_t out_channels, int64_t kernel_size,
                  int64_t stride, int64_t padding) {
    const std::string name = std::string("features.") + number;
    return activated(g, name,
                     nn::conv(name, x,
                              {.out_channels = out_channels,
                               .kernel_size = kernel_size,
                               .stride = stride,
                               .padding = padding}));
  };
  auto pool = [&](const Tensor& x) {
    NameScope scope(g, "features");
    return max_pool(x, {.kernel_size = 3, .stride = 2});
  };
  Tensor x = pool(conv("0", image, 64, 11, 4, 2));
  x = pool(conv("3", x, 192, 5, 1, 2));
  x = conv("6", x, 384, 3, 1, 1);
  x = conv("8", x, 256, 3, 1, 1);
  x = flatten(pool(conv("10", x, 256, 3, 1, 1)));
  for (const auto& [drop, dense] : {std::pair("0", "1"), std::pair("3", "4")}) {
    const std::string name = std::string("classifier.") + dense;
    x = activated(g, name, nn::dense(name, dropout(std::string("classifier.") + drop, x, s, 0.5), 4096));
  }
  classify(g, {image}, nn::dense("classifier.6", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_alexnet(
    {.name = "alexnet",
     .summary =
         "five convolutions and three dense layers, without groups (torchvision); 61,100,840 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = alexnet,
     .has_dropout = true});

}  // namespace cutset::models

// SPDX-License-Identifier: Apache-2.0
// LeNet (LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document recognition", 1998)
// with 20 and 50 channels and 500 hidden units, and a smooth variant. They differ in the activation and the
// pooling.
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include "frontends/models/blocks.h"
#include "frontends/models/builders.h"

namespace cutset::models {
namespace {

using Function = Tensor (*)(const Tensor&);

Graph build(const Settings& s, Function activation, Function pool) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  auto block = [&](const char* name, const Tensor& x, int64_t out_channels) {
    Tensor y = nn::conv(name, x, {.out_channels = out_channels, .kernel_size = 5});
    NameScope scope(g, name);
    return pool(activation(y));
  };
  Tensor x = flatten(block("conv2", block("conv1", image, 20), 50));
  Tensor hidden = nn::dense("fc1", x, 500);
  {
    NameScope scope(g, "fc1");
    hidden = activation(hidden);
  }
  classify(g, {image}, nn::dense("fc2", hidden, s.size("classes")), label, s);
  return g;
}

}  // namespace

Graph lenet(const Settings& s) {
  return build(
      s, [](const Tensor& x) { return relu(x); },
      [](const Tensor& x) { return max_pool(x, {.kernel_size = 2}); });
}

Graph lenet_smooth(const Settings& s) {
  return build(
      s, [](const Tensor& x) { return tanh(x); },
      [](const Tensor& x) { return avg_pool(x, {.kernel_size = 2}); });
}

}  // namespace cutset::models

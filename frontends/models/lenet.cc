// SPDX-License-Identifier: Apache-2.0
// LeNet (LeCun, Bottou, Bengio and Haffner, "Gradient-based learning applied to document recognition", 1998)
// with 20 and 50 channels and 500 hidden units, and a smooth variant. They differ in the activation and the
// pooling.
#include <cutset/pooling.h>
#include <cutset/shapes.h>

#include "frontends/models/blocks.h"

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

static Graph lenet(const Settings& s) {
  return build(
      s, [](const Tensor& x) { return relu(x); },
      [](const Tensor& x) { return max_pool(x, {.kernel_size = 2}); });
}

static Graph lenet_smooth(const Settings& s) {
  return build(
      s, [](const Tensor& x) { return tanh(x); },
      [](const Tensor& x) { return avg_pool(x, {.kernel_size = 2}); });
}

static const RegisterModel registered_lenet(
    {.name = "lenet",
     .summary = "two convolutions and two dense layers with relu and max-pooling; 431,080 parameters",
     .sizes = image_sizes(1, 28, 10),
     .builder = lenet});

static const RegisterModel registered_lenet_smooth(
    {.name = "lenet-smooth",
     .summary =
         "lenet with tanh and average pooling, so that f32 and f64 losses stay close; 431,080 parameters",
     .sizes = image_sizes(1, 28, 10),
     .builder = lenet_smooth});

}  // namespace cutset::models

// SPDX-License-Identifier: Apache-2.0
// Residual networks (He, Zhang, Ren and Sun, "Deep residual learning for image recognition", CVPR 2016). As
// in torchvision, the second convolution of a bottleneck has its stride of 2.
#include <cutset/pooling.h>

#include "frontends/models/blocks.h"

namespace cutset::models {
namespace {

class ResNetBuilder {
 public:
  ResNetBuilder(Graph& g, bool bottleneck) : g_(g), bottleneck_(bottleneck) {}

  Tensor layer(const std::string& name, Tensor x, int64_t blocks, int64_t width, int64_t stride) {
    for (int64_t i = 0; i < blocks; ++i)
      x = block(name + "." + std::to_string(i), x, width, i == 0 ? stride : 1);
    return x;
  }

 private:
  Tensor block(const std::string& n, const Tensor& x, int64_t width, int64_t stride) {
    const int64_t out_channels = bottleneck_ ? 4 * width : width;
    const auto step = [&](const char* number, const Tensor& in, const nn::ConvOptions& options) {
      return conv_norm(n + ".conv" + number, n + ".bn" + number, in, options);
    };
    Tensor y;
    if (bottleneck_) {
      y = activated(g_, n, step("1", x, he_conv(width, 1)));
      y = activated(g_, n, step("2", y, he_conv(width, 3, stride)));
      y = step("3", y, he_conv(out_channels, 1));
    } else {
      y = activated(g_, n, step("1", x, he_conv(width, 3, stride)));
      y = step("2", y, he_conv(width, 3));
    }
    Tensor shortcut = x;
    if (stride != 1 || x.shape()[1] != out_channels)
      shortcut = conv_norm(n + ".downsample.0", n + ".downsample.1", x, he_conv(out_channels, 1, stride));
    NameScope scope(g_, n);
    return relu(y + shortcut);
  }

  Graph& g_;
  bool bottleneck_;
};

Graph resnet(const Settings& s, bool bottleneck, const std::vector<int64_t>& blocks) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  ResNetBuilder builder(g, bottleneck);
  Tensor x = activated(g, "bn1", conv_norm("conv1", "bn1", image, he_conv(64, 7, 2)));
  {
    NameScope scope(g, "maxpool");
    x = max_pool(x, {.kernel_size = 3, .stride = 2, .padding = 1});
  }
  for (int64_t i = 0; i < 4; ++i)
    x = builder.layer("layer" + std::to_string(i + 1), x, blocks[static_cast<size_t>(i)], int64_t{64} << i,
                      i ? 2 : 1);
  x = pooled(g, x);
  classify(g, {image}, nn::dense("fc", x, s.size("classes")), label, s);
  return g;
}

}  // namespace

static Graph resnet18(const Settings& s) { return resnet(s, false, {2, 2, 2, 2}); }
static Graph resnet50(const Settings& s) { return resnet(s, true, {3, 4, 6, 3}); }

static const RegisterModel registered_resnet18(
    {.name = "resnet18",
     .summary = "eight residual blocks of two convolutions (torchvision); 11,689,512 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = resnet18});

static const RegisterModel registered_resnet50(
    {.name = "resnet50",
     .summary = "16 residual blocks of three convolutions (torchvision); 25,557,032 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = resnet50});

}  // namespace cutset::models

// SPDX-License-Identifier: Apache-2.0
// Inception-v1, also called GoogLeNet (Szegedy and others, "Going deeper with convolutions", CVPR 2015, table
// 1), in the form of torchvision: with batch normalization, without the auxiliary classifiers, and with a
// kernel of 3 instead of 5 in the third branch.
#include <cutset/pooling.h>

#include <array>

#include "frontends/models/blocks.h"

namespace cutset::models {
namespace {

class InceptionBuilder {
 public:
  explicit InceptionBuilder(Graph& g) : g_(g) {}

  Tensor conv(const std::string& n, const Tensor& x, int64_t out_channels, int64_t kernel_size,
              int64_t stride = 1) {
    return activated(g_, n,
                     conv_norm(n + ".conv", n + ".bn", x, he_conv(out_channels, kernel_size, stride), 0.001));
  }
  Tensor pool(const std::string& n, const Tensor& x, int64_t kernel_size, int64_t stride,
              int64_t padding = 0) {
    NameScope scope(g_, n);
    return max_pool(x, {.kernel_size = kernel_size, .stride = stride, .padding = padding, .ceil_mode = true});
  }
  // Adds a module with the numbers of channels of a row of table 1: 1x1, 3x3 reduce, 3x3, 5x5 reduce, 5x5,
  // pool proj.
  Tensor inception(const std::string& number, const Tensor& x, const std::array<int64_t, 6>& c) {
    const std::string n = "inception" + number;
    const Tensor one = conv(n + ".branch1", x, c[0], 1);
    const Tensor two = conv(n + ".branch2.1", conv(n + ".branch2.0", x, c[1], 1), c[2], 3);
    const Tensor three = conv(n + ".branch3.1", conv(n + ".branch3.0", x, c[3], 1), c[4], 3);
    const Tensor four = conv(n + ".branch4.1", pool(n + ".branch4.0", x, 3, 1, 1), c[5], 1);
    NameScope scope(g_, n);
    return concat({one, two, three, four}, {.axis = 1});
  }

 private:
  Graph& g_;
};

}  // namespace

static Graph inception_v1(const Settings& s) {
  Graph g(s.seed);
  Tensor image = image_input(g, s), label = label_input(g, s);
  InceptionBuilder b(g);
  Tensor x = b.pool("maxpool1", b.conv("conv1", image, 64, 7, 2), 3, 2);
  x = b.pool("maxpool2", b.conv("conv3", b.conv("conv2", x, 64, 1), 192, 3), 3, 2);
  x = b.inception("3a", x, {64, 96, 128, 16, 32, 32});
  x = b.inception("3b", x, {128, 128, 192, 32, 96, 64});
  x = b.pool("maxpool3", x, 3, 2);
  x = b.inception("4a", x, {192, 96, 208, 16, 48, 64});
  x = b.inception("4b", x, {160, 112, 224, 24, 64, 64});
  x = b.inception("4c", x, {128, 128, 256, 24, 64, 64});
  x = b.inception("4d", x, {112, 144, 288, 32, 64, 64});
  x = b.inception("4e", x, {256, 160, 320, 32, 128, 128});
  x = b.pool("maxpool4", x, 2, 2);
  x = b.inception("5a", x, {256, 160, 320, 32, 128, 128});
  x = b.inception("5b", x, {384, 192, 384, 48, 128, 128});
  x = pooled(g, x);
  x = dropout("dropout", x, s, 0.2);
  classify(g, {image}, nn::dense("fc", x, s.size("classes")), label, s);
  return g;
}

static const RegisterModel registered_inception_v1(
    {.name = "inception-v1",
     .summary =
         "nine inception modules with batch normalization (torchvision's googlenet); 6,624,904 parameters",
     .sizes = image_sizes(3, 224, 1000),
     .builder = inception_v1,
     .has_dropout = true});

}  // namespace cutset::models

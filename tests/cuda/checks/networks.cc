// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/checks/networks.h"

#include <utility>

#include "backends/cuda/cudnn/convolution.h"

namespace cutset::cuda {
namespace {

// The five layers of AlexNet on two GPUs (Krizhevsky et al., ImageNet Classification with Deep Convolutional
// Neural Networks, section 3.5).
const std::vector<Layer> kAlexNet = {
    {16, 3, 227, 96, 11, 4, 0, 1, true},  {16, 96, 27, 256, 5, 1, 2, 2, true},
    {16, 256, 13, 384, 3, 1, 1, 1, true}, {16, 384, 13, 384, 3, 1, 1, 2, true},
    {16, 384, 13, 256, 3, 1, 1, 2, true},
};
// LeNet as it is trained on MNIST.
const std::vector<Layer> kLeNet = {{64, 1, 28, 20, 5, 1, 0, 1, true}, {64, 20, 12, 50, 5, 1, 0, 1, true}};

// Returns VGG-16 (Simonyan and Zisserman, Very Deep Convolutional Networks, table 1, column D).
std::vector<Layer> vgg() {
  std::vector<Layer> layers;
  int64_t channels = 3, size = 224;
  const std::pair<int64_t, int> stages[] = {
      {64, 2}, {128, 2}, {256, 3}, {512, 3}, {512, 3}};  // channels and layers
  for (const auto& [out, count] : stages) {
    for (int i = 0; i < count; ++i) {
      layers.push_back({16, channels, size, out, 3, 1, 1, 1, true});
      channels = out;
    }
    size /= 2;
  }
  return layers;
}

// Returns ResNet-50 (He et al., Deep Residual Learning for Image Recognition, table 1), with the stride in
// the 3x3 convolution of a block, as most implementations have it.
std::vector<Layer> resnet() {
  std::vector<Layer> layers;
  layers.push_back({16, 3, 224, 64, 7, 2, 3, 1, false});
  int64_t channels = 64, size = 56;
  const std::pair<int64_t, int> stages[] = {
      {64, 3}, {128, 4}, {256, 6}, {512, 3}};  // inner channels and blocks
  for (const auto& [inner, blocks] : stages)
    for (int i = 0; i < blocks; ++i) {
      const int64_t stride = i == 0 && inner > 64 ? 2 : 1;
      layers.push_back({16, channels, size, inner, 1, 1, 0, 1, false});
      layers.push_back({16, inner, size, inner, 3, stride, 1, 1, false});
      if (i == 0) layers.push_back({16, channels, size, 4 * inner, 1, stride, 0, 1, false, true});
      size /= stride;
      channels = 4 * inner;
      layers.push_back({16, inner, size, channels, 1, 1, 0, 1, false});
    }
  return layers;
}

}  // namespace

std::vector<Network> all_networks() {
  return {{"AlexNet", kAlexNet}, {"VGG-16", vgg()}, {"ResNet-50", resnet()}, {"LeNet", kLeNet}};
}

Convolution convolution_of(const Layer& l, Direction direction) {
  const int64_t x[] = {l.batch, l.channels, l.size, l.size};
  const int64_t filter[] = {l.out, l.channels / l.groups, l.filter, l.filter};
  const int64_t stride[] = {l.stride, l.stride}, padding[] = {l.padding, l.padding};
  const auto list = [](const int64_t (&from)[2]) { return cutset_i64s{from, 2}; };
  const ConvShape s = *conv_shape(x, filter, {list(stride), list(padding), {}}, l.groups);
  return cuda::convolution_of(direction, s, l.bias && direction == Direction::kForward);
}

}  // namespace cutset::cuda

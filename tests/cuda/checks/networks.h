// SPDX-License-Identifier: Apache-2.0
// The convolutions of well-known networks.
#pragma once
#include <vector>

#include "backends/cuda/cudnn/plans.h"

namespace cutset::cuda {

// A convolution of square images with a square filter.
struct Layer {
  int64_t batch, channels, size, out, filter, stride, padding, groups;
  bool bias;
  bool shares_input = false;  // an earlier layer has the same images
};

// The layers in the order of the network.
struct Network {
  const char* name;
  std::vector<Layer> layers;
};

// Returns AlexNet, VGG-16 and ResNet-50 with a batch of 16, and LeNet with a batch of 64.
std::vector<Network> all_networks();

Convolution convolution_of(const Layer& l, Direction direction);

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
#include "tests/cuda/checks/training_memory.h"

#include <algorithm>

#include "backends/cuda/cudnn/sizes.h"

namespace cutset::cuda {
namespace {

uint64_t bytes(int64_t elements) { return static_cast<uint64_t>(elements) * sizeof(float); }

}  // namespace

TrainingMemory forecast(const Network& network,
                        const std::function<uint64_t(const Convolution&)>& workspace) {
  TrainingMemory m;
  std::vector<uint64_t> results;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const Convolution c = convolution_of(layer, Direction::kForward);
    m.filters += bytes(filter_elements(c)) + (c.bias ? bytes(c.o) : 0);
    if (!layer.shares_input) m.activations += bytes(image_elements(c));
    results.push_back(bytes(result_elements(c)));
    for (const Direction d : {Direction::kForward, Direction::kBackwardInput, Direction::kBackwardFilter})
      if (i > 0 || d != Direction::kBackwardInput)
        m.workspace = std::max(m.workspace, workspace(convolution_of(layer, d)));
  }
  std::sort(results.rbegin(), results.rend());
  for (size_t i = 0; i < std::min<size_t>(2, results.size()); ++i) m.gradients += results[i];
  return m;
}

}  // namespace cutset::cuda

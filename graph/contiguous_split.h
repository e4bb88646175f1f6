// Where to cut a chain of layers over devices in a given order, each device getting one contiguous run:
// the split that makes the busiest device least busy, its transfers included, found exactly by dynamic
// programming over (layers, devices). This is the chain case of pipeline partition in Harlap et al.,
// "PipeDream" (SOSP 2019), section 3.1, for devices that are not alike.
#pragma once
#include <vector>

#include "ir/core/result.h"

namespace cutset {

struct ChainProblem {
  // seconds[layer][device]; infinity where the device cannot run the layer.
  std::vector<std::vector<double>> seconds;
  // transfer[layer][device]: seconds for what crosses between `layer` and `layer + 1` when the first lies
  // on `device` and the second on `device + 1`.
  std::vector<std::vector<double>> transfer;
};

struct ChainSplit {
  std::vector<int> device;   // of each layer, not decreasing
  std::vector<double> load;  // seconds of each device, with what it receives and sends
  double bottleneck = 0;     // the largest load
};

// Every device gets a layer while there are enough layers. O(layers^2 devices). Fails if no split is
// possible, naming the first layer that no device can run.
Result<ChainSplit> split_chain(const ChainProblem& problem);

}  // namespace cutset

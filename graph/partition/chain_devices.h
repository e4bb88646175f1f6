// SPDX-License-Identifier: Apache-2.0
// Chooses the devices of a list that run a chain of layers, and splits the chain over them. It is one of the
// planning algorithms of graph/, which work on plain numbers.
//
// Problem: the problem of chain_partition.h, in which a device may be empty: it gets no layer, and the device
//   before it transfers to the device after it.
// Method: bisection over the largest load. One pass over the layers and the devices decides whether all loads
//   can stay within a limit. For each place between layers and each class of devices with equal transfers, it
//   keeps the smallest load of a device that ends its layers there. The next device takes the cheapest
//   transfer that the load of a sender allows. Then devices are left out, from the last one to the first, as
//   long as the limit can be kept. split_chain splits the chain over the others.
// Complexity: O(layers devices classes) per pass, at most 65 passes of the bisection, and one pass per device
//   that may be left out.
// Failure: an error if no split is possible.
#pragma once
#include <vector>

#include "graph/partition/chain_partition.h"

namespace cutset {

struct ChainDevices {
  // seconds[layer][device], as in ChainProblem.
  std::vector<std::vector<double>> seconds;
  // ends[lane][layer][device]: seconds in which `device` sends or receives what is transferred between
  // `layer` and the next layer, over one of several lanes that work at the same time. A transfer takes the
  // sum of the seconds of its two ends, in the slowest lane, and both devices are charged with it.
  std::vector<std::vector<std::vector<double>>> ends;
  ChainMemory memory = {};

  double transfer(size_t layer, size_t from, size_t to) const;
};

// Returns the split with the smallest largest load. No device that has layers can be left out of the result
// without a larger load. If devices are equal, the first of them get the layers. The loads of empty devices
// are 0.
Result<ChainSplit> split_over_some(const ChainDevices& problem);

// Returns the smallest largest load of the splits in which `device` has a layer, over this device and those
// that have layers in `split`; infinity if there is no such split.
double load_with(const ChainDevices& problem, const ChainSplit& split, size_t device);

}  // namespace cutset

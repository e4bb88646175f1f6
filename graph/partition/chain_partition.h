// SPDX-License-Identifier: Apache-2.0
// Splits a chain of layers over heterogeneous devices, whose order is given. It is one of the planning
// algorithms of graph/, which work on plain numbers.
//
// Problem: each device gets one contiguous run of layers. The largest load of a device, transfers included,
//   is to be as small as possible.
// Method: bisection over the largest load. One pass over the layers decides whether all loads can stay
//   within a limit. Dynamic programming over all pairs of layer and device would be quadratic in the layers.
// Source: the problem is the chain case of the partitioning in Narayanan et al., "PipeDream: Generalized
//   Pipeline Parallelism for DNN Training", SOSP 2019, section 3.1, without replicated stages and with a cost
//   per device.
// Complexity: O(layers devices^2). The number of bisection steps is at most 64, because doubles have 64 bits.
// Failure: an error if no device can run some layer, or if no contiguous split gives every device layers
//   that it can run and whose memory it has.
#pragma once
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// How much memory layers take, and how much devices have, in bytes. The layers of a device take the sum of
// their `bytes`, plus the largest of their `working_bytes`.
struct ChainMemory {
  std::vector<double> bytes, working_bytes;  // by layer; empty: the layers take no memory
  std::vector<double> capacity;              // by device; infinity: no limit
};

struct ChainProblem {
  // seconds[layer][device]: seconds of running the layer on the device; infinity if the device cannot run the
  // layer.
  std::vector<std::vector<double>> seconds;
  // transfer[layer][device]: seconds of the transfers between `layer` and `layer + 1` when `layer` runs on
  // `device` and `layer + 1` runs on `device + 1`. Both devices are charged with them.
  std::vector<std::vector<double>> transfer;
  // A device gets no layers that take more memory than the device has. Default: no device has a limit.
  ChainMemory memory = {};
};

struct ChainSplit {
  std::vector<int> device;   // device[layer], which never decreases along the chain
  std::vector<double> load;  // seconds of each device, transfers included
  double bottleneck = 0;     // the largest load
};

// Splits the chain. Every device gets at least one layer if there are enough layers; otherwise the first
// devices get one layer each. Of equally good splits, the result is the split in which the last device has
// the most layers, then the device before it, and so on. For every k, the layers of the first k devices are
// also split optimally over these devices. Fails if no split is possible. If no device can run some layer,
// the error names the first such layer.
Result<ChainSplit> split_chain(const ChainProblem& problem);

// Returns, for each n, the first layer at which a run of layers on `device` that ends before layer n may
// begin: from there on, the device can run all layers of the run, and they fit its memory. The result is n if
// there is no such run. `seconds` and `memory` are members of a ChainProblem. Complexity: O(layers).
std::vector<size_t> earliest_begins(const std::vector<std::vector<double>>& seconds,
                                    const ChainMemory& memory, size_t device);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Random inputs of a graph.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <cstdint>
#include <map>
#include <string>

namespace cutset {

// How random_batch draws.
struct RandomBatch {
  double low = -1, high = 1;  // floating-point inputs are in [low, high)
  // Maps the name of an input that holds labels to its number of classes. Labels are in [0, classes). An
  // entry of this map takes precedence over the number that Graph::label_classes returns. Other integer
  // inputs are 0 or 1.
  std::map<std::string, int64_t> classes = {};
};

// Returns a random value for each input of the graph, with the shape that it was built with. The same seed
// gives the same values.
Batch random_batch(const Graph& graph, uint64_t seed, const RandomBatch& options = {});

}  // namespace cutset

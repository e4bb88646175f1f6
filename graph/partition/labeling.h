// SPDX-License-Identifier: Apache-2.0
// Chooses a label for every node of a graph so that the sum of the costs of nodes and edges is minimal.
//
// Problem: node n with label l costs node_cost[n][l]; an edge (a, b) costs edge_cost[l_a][l_b]. This is the
//   problem of choosing a sharding for every op of a computation graph.
// Method: elimination, as in dynamic programming over a graph of small treewidth (Bertele and Brioschi,
//   "Nonserial Dynamic Programming", 1972; for shardings: Jia, Lin, Qi and Aiken, "Exploring Hidden
//   Dimensions in Parallelizing Convolutional Neural Networks", ICML 2018, section 5). A node with at most
//   two neighbours is removed. For each pair of labels of its neighbours, its best label is remembered, and
//   the cost becomes an edge between the neighbours. Chains, branches that join again and their nestings are
//   removed completely, so the result is optimal. In another graph, a node with the most neighbours gets the
//   label that would be best if each neighbour chose its label independently, and `exact` is false.
// Complexity: O((n + e) * L^3 + n log n) for at most L labels. Failure: see choose_labels.
#pragma once
#include <cstdint>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

struct LabelingProblem {
  struct Edge {
    int32_t a = 0, b = 0;
    std::vector<std::vector<double>> cost;  // [label of a][label of b]
  };
  std::vector<std::vector<double>> node_cost;  // [node][label]; infinity: the node cannot have the label
  std::vector<Edge> edges;
};

struct Labeling {
  std::vector<int32_t> label;  // by node
  double cost = 0;
  bool exact = true;  // no labeling costs less
};

// Fails if a node has no labels, if an edge names a node that does not exist, joins a node with itself or has
// a table of another size, or if a cost is negative or not a number.
Result<Labeling> choose_labels(const LabelingProblem& problem);

}  // namespace cutset

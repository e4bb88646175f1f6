// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/labeling.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace cutset {
namespace {

using Table = std::vector<std::vector<double>>;

// A node that has been removed, with its best label for all labels of its neighbours.
struct Removed {
  int32_t node = 0;
  // At most two neighbours; if there are none, `best[0]` is the label.
  std::vector<int32_t> neighbours;
  std::vector<std::vector<int32_t>> best;  // [label of the first neighbour][label of the second one]
};

class Elimination {
 public:
  explicit Elimination(const LabelingProblem& p) : cost_(p.node_cost), edges_(p.node_cost.size()) {
    for (const LabelingProblem::Edge& e : p.edges) add(e.a, e.b, e.cost);
  }

  Labeling run() {
    const auto count = static_cast<int32_t>(cost_.size());
    for (int32_t n = 0; n < count; ++n) queue_.insert({edges_[static_cast<size_t>(n)].size(), n});
    Labeling result;
    while (!queue_.empty()) {
      const auto [degree, node] = *queue_.begin();
      if (degree <= 2) {
        remove(node);
      } else {
        fix(queue_.rbegin()->second);
        result.exact = false;
      }
    }
    result.label.assign(cost_.size(), 0);
    for (auto r = removed_.rbegin(); r != removed_.rend(); ++r) {
      const auto chosen = [&](size_t i) {
        return i < r->neighbours.size()
                   ? static_cast<size_t>(result.label[static_cast<size_t>(r->neighbours[i])])
                   : 0;
      };
      result.label[static_cast<size_t>(r->node)] = r->best[chosen(0)][chosen(1)];
    }
    return result;
  }

 private:
  size_t labels(int32_t node) const { return cost_[static_cast<size_t>(node)].size(); }
  std::map<int32_t, Table>& edges(int32_t node) { return edges_[static_cast<size_t>(node)]; }

  // Adds costs to the edge between two nodes. Each edge is stored once, at the node with the smaller number,
  // with its labels as rows; the other node has an empty table.
  void add(int32_t a, int32_t b, const Table& cost) {
    const int32_t low = std::min(a, b), high = std::max(a, b);
    Table& table = edges(low).try_emplace(high, labels(low), std::vector<double>(labels(high))).first->second;
    edges(high).try_emplace(low);
    for (size_t i = 0; i < labels(low); ++i)
      for (size_t j = 0; j < labels(high); ++j) table[i][j] += a < b ? cost[i][j] : cost[j][i];
  }
  double at(int32_t a, size_t i, int32_t b, size_t j) {
    return a < b ? edges(a).at(b)[i][j] : edges(b).at(a)[j][i];
  }

  // Takes a node and its edges out of the graph.
  void take_out(int32_t node) {
    queue_.erase({edges(node).size(), node});
    for (const auto& [other, table] : edges(node)) {
      queue_.erase({edges(other).size(), other});
      edges(other).erase(node);
      queue_.insert({edges(other).size(), other});
    }
    edges(node).clear();
  }

  void remove(int32_t node) {
    Removed r{node, {}, {}};
    for (const auto& [other, table] : edges(node)) r.neighbours.push_back(other);
    const auto labels_of = [&](size_t i) { return i < r.neighbours.size() ? labels(r.neighbours[i]) : 1; };
    Table cost(labels_of(0), std::vector<double>(labels_of(1)));
    r.best.assign(labels_of(0), std::vector<int32_t>(labels_of(1)));
    for (size_t i = 0; i < labels_of(0); ++i)
      for (size_t j = 0; j < labels_of(1); ++j) {
        double least = HUGE_VAL;
        for (size_t l = 0; l < labels(node); ++l) {
          double c = cost_[static_cast<size_t>(node)][l];
          if (!r.neighbours.empty()) c += at(r.neighbours[0], i, node, l);
          if (r.neighbours.size() > 1) c += at(r.neighbours[1], j, node, l);
          if (c >= least) continue;
          least = c;
          r.best[i][j] = static_cast<int32_t>(l);
        }
        cost[i][j] = least;
      }
    take_out(node);
    if (r.neighbours.size() == 1)
      for (size_t i = 0; i < labels_of(0); ++i) cost_[static_cast<size_t>(r.neighbours[0])][i] += cost[i][0];
    if (r.neighbours.size() == 2) {
      for (int32_t n : r.neighbours) queue_.erase({edges(n).size(), n});
      add(r.neighbours[0], r.neighbours[1], cost);
      for (int32_t n : r.neighbours) queue_.insert({edges(n).size(), n});
    }
    removed_.push_back(std::move(r));
  }

  // Gives a node the label that would be best if each neighbour chose its label independently.
  void fix(int32_t node) {
    double least = HUGE_VAL;
    int32_t label = 0;
    for (size_t l = 0; l < labels(node); ++l) {
      double c = cost_[static_cast<size_t>(node)][l];
      for (const auto& [other, table] : edges(node)) {
        double best = HUGE_VAL;
        for (size_t j = 0; j < labels(other); ++j)
          best = std::min(best, at(node, l, other, j) + cost_[static_cast<size_t>(other)][j]);
        c += best;
      }
      if (c >= least) continue;
      least = c;
      label = static_cast<int32_t>(l);
    }
    for (const auto& [other, table] : edges(node))
      for (size_t j = 0; j < labels(other); ++j)
        cost_[static_cast<size_t>(other)][j] += at(node, static_cast<size_t>(label), other, j);
    take_out(node);
    removed_.push_back({node, {}, {{label}}});
  }

  Table cost_;
  std::vector<std::map<int32_t, Table>> edges_;  // by node: neighbour -> costs
  std::set<std::pair<size_t, int32_t>> queue_;   // {number of neighbours, node} of the nodes that are left
  std::vector<Removed> removed_;
};

bool valid(const std::vector<double>& costs) {
  return std::all_of(costs.begin(), costs.end(), [](double c) { return c >= 0; });
}

}  // namespace

Result<Labeling> choose_labels(const LabelingProblem& p) {
  for (size_t n = 0; n < p.node_cost.size(); ++n)
    if (p.node_cost[n].empty() || !valid(p.node_cost[n]))
      return invalid_argument("node " + std::to_string(n) +
                              " has no labels, or a cost that is negative or not a number");
  for (size_t e = 0; e < p.edges.size(); ++e) {
    const auto& [a, b, cost] = p.edges[e];
    const auto exists = [&](int32_t n) { return n >= 0 && static_cast<size_t>(n) < p.node_cost.size(); };
    const auto bad = [&](const char* why) {
      return invalid_argument("edge " + std::to_string(e) + " " + why);
    };
    if (!exists(a) || !exists(b) || a == b) return bad("does not join two nodes of the problem");
    const size_t columns = p.node_cost[static_cast<size_t>(b)].size();
    if (cost.size() != p.node_cost[static_cast<size_t>(a)].size() ||
        std::any_of(cost.begin(), cost.end(), [&](const auto& row) { return row.size() != columns; }))
      return bad("has a table of costs that does not fit the labels of its nodes");
    if (!std::all_of(cost.begin(), cost.end(), valid))
      return bad("has a cost that is negative or not a number");
  }
  Labeling result = Elimination(p).run();
  const auto label = [&](int32_t n) { return static_cast<size_t>(result.label[static_cast<size_t>(n)]); };
  for (size_t n = 0; n < p.node_cost.size(); ++n)
    result.cost += p.node_cost[n][label(static_cast<int32_t>(n))];
  for (const auto& [a, b, cost] : p.edges) result.cost += cost[label(a)][label(b)];
  return result;
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "graph/partition/labeling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/core/philox.h"

namespace cutset {
namespace {

using Edge = LabelingProblem::Edge;

double cost_of(const LabelingProblem& p, const std::vector<int32_t>& label) {
  double cost = 0;
  for (size_t n = 0; n < label.size(); ++n) cost += p.node_cost[n][static_cast<size_t>(label[n])];
  for (const Edge& e : p.edges)
    cost += e.cost[static_cast<size_t>(label[static_cast<size_t>(e.a)])]
                  [static_cast<size_t>(label[static_cast<size_t>(e.b)])];
  return cost;
}

// Returns the least cost of all labelings.
double least(const LabelingProblem& p) {
  std::vector<int32_t> label(p.node_cost.size(), 0);
  double best = HUGE_VAL;
  for (size_t n = 0; n < label.size();) {
    best = std::min(best, cost_of(p, label));
    for (n = 0; n < label.size() && ++label[n] == static_cast<int32_t>(p.node_cost[n].size()); ++n)
      label[n] = 0;
  }
  return best;
}

std::vector<double> draw(PhiloxSequence& r, size_t count) {
  std::vector<double> costs;
  for (size_t i = 0; i < count; ++i)
    costs.push_back(r.below(8) == 0 ? HUGE_VAL : static_cast<double>(r.below(100)));
  costs[0] = std::isinf(costs[0]) ? 50 : costs[0];
  return costs;
}
LabelingProblem draw_problem(PhiloxSequence& r, const std::vector<std::pair<int32_t, int32_t>>& edges,
                             int32_t nodes) {
  LabelingProblem p;
  for (int32_t n = 0; n < nodes; ++n) p.node_cost.push_back(draw(r, 1 + r.below(3)));
  for (const auto& [a, b] : edges) {
    Edge e{a, b, {}};
    for (size_t i = 0; i < p.node_cost[static_cast<size_t>(a)].size(); ++i) {
      e.cost.push_back(draw(r, p.node_cost[static_cast<size_t>(b)].size()));
      for (double& c : e.cost.back()) c = std::isinf(c) ? 7 : c;  // every labeling of nodes is possible
    }
    p.edges.push_back(e);
  }
  return p;
}

TEST(Labeling, SeriesParallelGraphsAreSolvedExactly) {
  const std::vector<std::vector<std::pair<int32_t, int32_t>>> graphs = {
      {},
      {{0, 1}, {1, 2}, {2, 3}, {3, 4}},                          // a chain
      {{0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}},                  // a residual connection
      {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 5}},  // three branches, as in attention
      {{1, 0}, {0, 1}, {2, 1}, {1, 2}},                          // parallel edges in both directions
      {{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}},                  // a star
  };
  PhiloxSequence random(3, 1);
  for (const auto& edges : graphs)
    for (int i = 0; i < 50; ++i) {
      const LabelingProblem p = draw_problem(random, edges, 6);
      const auto got = choose_labels(p);
      ASSERT_TRUE(got.ok());
      EXPECT_TRUE(got->exact);
      EXPECT_EQ(got->cost, least(p));
      EXPECT_EQ(got->cost, cost_of(p, got->label));
    }
}

TEST(Labeling, OtherGraphsGetAValidLabelingThatIsNotCalledExact) {
  std::vector<std::pair<int32_t, int32_t>> complete;
  for (int32_t a = 0; a < 6; ++a)
    for (int32_t b = a + 1; b < 6; ++b) complete.emplace_back(a, b);
  PhiloxSequence random(3, 2);
  double found = 0, best = 0;
  for (int i = 0; i < 50; ++i) {
    const LabelingProblem p = draw_problem(random, complete, 6);
    const auto got = choose_labels(p);
    ASSERT_TRUE(got.ok());
    EXPECT_FALSE(got->exact);
    EXPECT_EQ(got->cost, cost_of(p, got->label));
    EXPECT_TRUE(std::isfinite(got->cost));
    found += got->cost;
    best += least(p);
  }
  EXPECT_LE(found, 1.5 * best);
}

TEST(Labeling, MalformedProblemsAreRefused) {
  const auto refusal = [](const LabelingProblem& p) {
    const auto got = choose_labels(p);
    return got.ok() ? "accepted" : got.error().what;
  };
  EXPECT_EQ(refusal({{{}}, {}}), "node 0 has no labels, or a cost that is negative or not a number");
  EXPECT_EQ(refusal({{{0, -1}}, {}}), "node 0 has no labels, or a cost that is negative or not a number");
  EXPECT_EQ(refusal({{{NAN}}, {}}), "node 0 has no labels, or a cost that is negative or not a number");
  EXPECT_EQ(refusal({{{0}, {0}}, {{0, 2, {{0}}}}}), "edge 0 does not join two nodes of the problem");
  EXPECT_EQ(refusal({{{0}, {0}}, {{1, 1, {{0}}}}}), "edge 0 does not join two nodes of the problem");
  EXPECT_EQ(refusal({{{0}, {0, 1}}, {{0, 1, {{0}}}}}),
            "edge 0 has a table of costs that does not fit the labels of its nodes");
  EXPECT_EQ(refusal({{{0}, {0}}, {{0, 1, {{NAN}}}}}), "edge 0 has a cost that is negative or not a number");
}

}  // namespace
}  // namespace cutset

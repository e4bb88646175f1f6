// SPDX-License-Identifier: Apache-2.0
// Tests the drawings by layer and by block: their nodes and edges, and that they stay small.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/losses.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

#include "frontends/models/models.h"

namespace cutset {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

// The parts of a DOT text.
struct Picture {
  std::string heading;
  std::map<std::string, std::vector<std::string>> nodes;  // label -> the clusters around its nodes
  size_t number_of_nodes = 0;
  std::map<std::string, size_t> per_cluster;                // the nodes in each outermost cluster
  std::vector<std::pair<std::string, std::string>> edges;   // ids
  std::vector<std::string> red;                             // the labels of the red edges that have one
  std::vector<std::string> grey;                            // the labels of the other edges that have one
  std::vector<std::pair<std::string, std::string>> dotted;  // ids

  explicit Picture(const std::string& dot) : heading(dot.substr(0, dot.find("labelloc"))) {
    static const std::regex edge("\"([^\"]*)\" -> \"([^\"]*)\" \\[label=\"([^\"]*)\"(.*)\\];"),
        node("\"[^\"]*\" \\[label=\"([^\"]*)\".*shape=.*"), label("label=\"([^\"]*)\"; labeljust.*");
    std::vector<std::string> open;
    std::istringstream lines(dot);
    std::smatch m;
    for (std::string line; std::getline(lines, line);) {
      line.erase(0, line.find_first_not_of(' '));
      if (std::regex_match(line, m, edge)) {
        edges.emplace_back(m[1], m[2]);
        if (m[4].str().find("#c0392b") != std::string::npos && !m[3].str().empty()) red.push_back(m[3]);
        if (m[4].str().empty() && !m[3].str().empty()) grey.push_back(m[3]);
        if (m[4].str().find("dotted") != std::string::npos) dotted.emplace_back(m[1], m[2]);
      } else if (std::regex_match(line, m, node)) {
        std::string around;
        for (const std::string& cluster : open) around += "/" + cluster;
        nodes[m[1]].push_back(around);
        ++number_of_nodes;
        if (!open.empty()) ++per_cluster[open.front()];
      } else if (std::regex_match(line, m, label)) {
        open.back() = m[1];
      } else if (line.starts_with("subgraph")) {
        open.emplace_back();
      } else if (line == "}" && !open.empty()) {
        open.pop_back();
      }
    }
  }
  // Returns the clusters around the nodes whose label begins with `title`.
  std::vector<std::string> clusters_of(const std::string& title) const {
    std::vector<std::string> found;
    for (const auto& [label, clusters] : nodes)
      if (label == title || label.starts_with(title + "\\n"))
        found.insert(found.end(), clusters.begin(), clusters.end());
    return found;
  }
};

// Returns a graph with a batch of 8 samples; the layer fc1 has 5 results per sample, and fc2 has 3. `pinned`:
// fc2 is on sim:0.
Graph two_layers(bool pinned = true) {
  Graph g(3);
  const Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
  const Tensor h = tanh(nn::dense("fc1", x, 5));
  std::optional<DeviceScope> there;
  if (pinned) there.emplace(g, "sim:0");
  g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", h, 3), y)), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

constexpr const char* kPair = "reference:0,sim:0";

// A micro-batch has 2 samples, so the activations of fc1 and their gradients are 2 x 5 x 4 bytes.
TEST(Drawings, ShowStagesAndMicroBatchesOfAPipeline) {
  const Picture p(
      dump(two_layers(), {.devices = kPair, .strategy = "pipeline(2, micro_batches=4)"}).drawings.layers);
  EXPECT_THAT(p.clusters_of("fc1"), ElementsAre("/reference:0, stage 1 of 2"));
  EXPECT_THAT(p.clusters_of("fc2 backward"), ElementsAre("/sim:0, stage 2 of 2"));
  EXPECT_THAT(p.red, ElementsAre("4 micro-batches x 40 B", "4 micro-batches x 40 B"));
  EXPECT_THAT(p.clusters_of("input x"), ElementsAre("")) << "one node for all micro-batches";
  EXPECT_THAT(p.nodes, Contains(::testing::Key("input x\\n8x6xf32")));
  EXPECT_THAT(p.grey, ElementsAre("4 micro-batches x 2x6xf32", "4 micro-batches x 2xi32"));
  for (const auto& [label, clusters] : p.nodes)
    EXPECT_THAT(label, AllOf(Not(HasSubstr("learning_rate")), Not(HasSubstr("commit")),
                             Not(HasSubstr("send")), Not(HasSubstr("all_finite"))));
}

TEST(Drawings, NameTheStagesOfADeviceWithSeveral) {
  const Graph g = models::find("mlp").build({.batch = 8});
  const Picture p(
      dump(g, {.devices = kPair, .strategy = "pipeline(2, micro_batches=4, schedule=interleaved, chunks=2)"})
          .drawings.layers);
  std::set<std::string> all;
  for (const auto& [label, clusters] : p.nodes) all.insert(clusters.begin(), clusters.end());
  EXPECT_THAT(all, ::testing::IsSupersetOf({"/reference:0, stages 1 and 3 of 4/stage 1 of 4",
                                            "/reference:0, stages 1 and 3 of 4/stage 3 of 4",
                                            "/sim:0, stages 2 and 4 of 4/stage 2 of 4"}));
}

TEST(Drawings, HaveALegend) {
  const Drawings made = dump(two_layers(), {.devices = kPair}).drawings;
  for (const std::string* dot : {&made.ops, &made.layers, &made.blocks})
    EXPECT_THAT(
        Picture(*dot).heading,
        AllOf(HasSubstr(">reference:0</TD>"), HasSubstr(">sim:0</TD>"), HasSubstr(">forward</TD>"),
              HasSubstr("BGCOLOR=\"#eef0f3\">backward</TD>"), HasSubstr("red: transfers between devices")));
}

// Both replicas have all layers, and the gradients of each bucket are one node between them.
TEST(Drawings, ShowTheSumsOfReplicasOnce) {
  const Picture p(
      dump(two_layers(false), {.devices = "reference:0,reference:1", .strategy = "data(2)"}).drawings.layers);
  EXPECT_THAT(p.clusters_of("fc1"), ElementsAre("/reference:0", "/reference:1"));
  EXPECT_THAT(p.heading, Not(HasSubstr("stage")));
  size_t sums = 0;
  for (const auto& [label, clusters] : p.nodes) sums += label.find("all_reduce") != std::string::npos;
  EXPECT_EQ(sums, 2u) << "the loss and the gradients";
}

// Before `cut`, variables have no device, and an op reads results of other devices without a send.
TEST(Drawings, ShowAPlacedGraph) {
  const Picture p(dump(two_layers(), {.devices = kPair}, "place").drawings.layers);
  EXPECT_THAT(p.clusters_of("fc1"), ElementsAre("/reference:0"));
  EXPECT_THAT(p.clusters_of("fc1 backward"), ElementsAre("/reference:0"));
  EXPECT_THAT(p.clusters_of("fc2 update"), ElementsAre("/sim:0"));
}

// ResNet-18 has 62 layers with several ops each. Its blocks are conv1, bn1, maxpool, 8 residual blocks,
// avgpool, fc and loss: 14 forward nodes, at most 14 backward nodes, and the updates.
TEST(Drawings, OfManyLayersAreByBlock) {
  const Graph g = models::find("resnet18").build({.batch = 4, .sizes = {{"image_size", 32}}});
  const Drawings made = dump(g, {.devices = kPair, .strategy = "data(2)"}).drawings;
  EXPECT_EQ(made.usual, DotLevel::kBlock);
  EXPECT_EQ(made.at(), made.blocks);
  EXPECT_EQ(made.at(DotLevel::kLayer), made.layers);
  const Picture blocks(made.blocks), layers(made.layers), ops(made.ops);
  EXPECT_THAT(blocks.clusters_of("layer1/0"), ElementsAre("/reference:0", "/sim:0"));
  for (const auto& [device, nodes] : blocks.per_cluster) EXPECT_THAT(nodes, Le(29u)) << device;
  EXPECT_THAT(blocks.number_of_nodes, Le(100u));
  EXPECT_THAT(blocks.edges.size(), Le(250u));
  EXPECT_EQ(std::set(blocks.edges.begin(), blocks.edges.end()).size(), blocks.edges.size())
      << "parallel edges";
  EXPECT_GT(layers.number_of_nodes, 2 * blocks.number_of_nodes);
  EXPECT_GT(ops.number_of_nodes, 2 * layers.number_of_nodes);
}

TEST(Drawings, OfFewLayersAreByLayer) {
  Session session = compile(two_layers(), {.devices = kPair});
  EXPECT_EQ(dump(two_layers(), {.devices = kPair}).drawings.usual, DotLevel::kLayer);
  EXPECT_EQ(session.dot(), session.dot(DotLevel::kLayer));
  EXPECT_EQ(Picture(session.dot(DotLevel::kOp)).clusters_of("send to sim:0").size(), 1u);
}

}  // namespace
}  // namespace cutset

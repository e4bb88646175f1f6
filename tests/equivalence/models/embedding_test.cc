// SPDX-License-Identifier: Apache-2.0
// Tests embeddings whose table is divided by rows. Training, errors and verification are the same as on one
// device.
#include <cutset/explain.h>
#include <cutset/indexing.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/verify/mutate.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/mutants.h"
#include "tests/equivalence/support/runs.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

constexpr int64_t kRows = 500;  // over three devices, the pieces have 167, 167 and 166 rows

// Returns the mean of four embedded pixels of an image. The values of the pixels are row numbers of the whole
// table; negative numbers count from its end.
Tensor embedded(const Tensor& table, const Tensor& image) {
  Tensor pixels = ops::slice(flatten(image), {.axis = 1, .start = 100, .length = 4});
  Tensor ids = cast((pixels * 2.0 - 1.0) * static_cast<double>(kRows), {.dtype = i32});
  return mean(tanh(gather(table, ids)), {1});
}

// Returns the loss of an embedding whose table is divided by rows. If it is tied, the table also computes the
// logits, one per row.
Graph model_of(int64_t batch, uint64_t seed, int64_t width, bool tied, bool fixed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor table = g.variable("table", f32, {kRows, width}, Initializer::uniform(-1, 1));
  if (fixed) g.shard(table, {"tensor", 0});
  Tensor h = embedded(table, image);
  if (!tied) h = tanh(nn::dense("hidden", h, 10));
  Tensor logits = tied ? matmul(h, table, {.transpose_y = true}) : nn::dense("out", h, 10);
  g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
  return g;
}
// Returns the mean of bags of ids from 0 to 7, in which 3 is padding.
Graph embedding_of_bags(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor table = g.variable("table", f32, {8, 6}, Initializer::uniform(-1, 1));
  g.shard(table, {"tensor", 0});
  const Tensor pixels = ops::slice(flatten(image), {.axis = 1, .start = 100, .length = 4});
  const Tensor bags = embedding_bag(table, cast(pixels * 8.0, {.dtype = i32}), BagMode::kMean, 3);
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", bags, 10), label)), {.learning_rate = 0.5});
  return g;
}
Graph embedding(int64_t batch, uint64_t seed) { return model_of(batch, seed, 6, false, true); }
Graph tied_embedding(int64_t batch, uint64_t seed) { return model_of(batch, seed, 6, true, true); }

class EmbeddingByRows : public ::testing::TestWithParam<Split> {};

TEST_P(EmbeddingByRows, TrainsAsOneDevice) {
  for (const auto& graph : {embedding, tied_embedding, embedding_of_bags}) {
    const LossForm form{"", graph, {7, 7, 3}, "", ""};
    expect_as_on_one_device(form, std::array{GetParam()});
  }
}

TEST_P(EmbeddingByRows, IsVerified) {
  const auto& [devices, strategy] = GetParam();
  EXPECT_SAME_ON(embedding(7, 7), devices, strategy);
  EXPECT_SAME_ON(tied_embedding(7, 7), devices, strategy);
}
INSTANTIATE_TEST_SUITE_P(
    Strategies, EmbeddingByRows,
    ::testing::Values(Split{"sim:0,reference:0", "tensor(2)"}, Split{"sim:0,reference:0,sim:1", "tensor(3)"},
                      Split{"sim:0,reference:0,sim:1,sim:2", "data(2, shares=5:2) * tensor(2)"},
                      Split{"sim:0,reference:0,sim:1", "pipeline(1, micro_batches=3) * tensor(3)"},
                      Split{"sim:0,reference:0,sim:1,reference:1",
                            "pipeline(2, micro_batches=3, schedule=zb-h1) * tensor(2)"},
                      Split{"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
                            "data(2, shares=5:2) * pipeline(2, micro_batches=2) * tensor(2)"}));

// Every device knows the whole table's number of rows, so an index out of range gives NaN, not 0.
TEST(EmbeddingPieces, IndicesOutOfRangeGiveWhatOneDeviceGives) {
  const std::vector<int32_t> rows = {0,   166,  167,  332,  333,  334,  499,  500,      501,     1000,
                                     -1,  -166, -167, -333, -334, -500, -501, -2000000, 2000000, INT32_MAX,
                                     249, 250,  251,  -250, -251, -249, 1,    INT32_MIN};
  HostTensor ids({i32, {static_cast<int64_t>(rows.size())}});
  for (size_t i = 0; i < rows.size(); ++i) ids.as<int32_t>()[i] = rows[i];
  Graph g(3);
  Tensor table = g.variable("table", f32, {kRows, 2}, Initializer::uniform(1, 2));
  g.shard(table, {"tensor", 0});
  g.output("rows", gather(table, g.input("ids", i32, {ids.type().shape[0]})));
  const auto run = [&](const CompileOptions& o) {
    return compile(g, o).run("evaluate", {{"ids", ids}}).at("rows");
  };
  const HostTensor want = run({.devices = "reference:0"});
  int64_t nan = 0;
  for (int64_t i = 0; i < want.type().elements(); ++i) nan += std::isnan(want.at(i));
  ASSERT_EQ(nan, 2 * 8);
  for (const auto& [devices, strategy] :
       {Split{"sim:0,reference:0", "tensor(2)"}, Split{"sim:0,reference:0,sim:1", "tensor(3)"},
        Split{"cpu:0,opencl:0", "tensor(2)"}}) {
    if (!have(devices)) continue;
    const HostTensor got = run({.devices = devices, .strategy = strategy});
    for (int64_t i = 0; i < want.type().elements(); ++i) {
      if (std::isnan(want.at(i)))
        EXPECT_TRUE(std::isnan(got.at(i))) << strategy << ", element " << i << " is " << got.at(i);
      else
        EXPECT_EQ(got.at(i), want.at(i)) << strategy << ", element " << i;
    }
  }
}

Program compiled(const Graph& graph, const std::string& devices, const std::string& strategy) {
  const CompileConfig config = check(configure({.devices = devices, .strategy = strategy}));
  return check(graph.state()->builder->snapshot()->compile(config)).program;
}

// The only collective is the sum of the rows that the devices gather. The gradient of a piece needs no
// collective.
TEST(EmbeddingPieces, TheGradientOfAPieceNeedsNoCollective) {
  Graph g(3);
  Tensor table = g.variable("table", f32, {kRows, 6}, Initializer::uniform(-1, 1));
  g.shard(table, {"tensor", 0});
  Tensor h = gather(table, g.input("ids", i32, {7}));
  g.minimize(sum(tanh(h)), {.learning_rate = 0.05, .momentum = 0.9});
  const Program p = compiled(g, "sim:0,sim:1,sim:2", "tensor(3)");
  const Function& f = *p.find("train");
  ASSERT_EQ(f.collectives.size(), 1u);
  EXPECT_EQ(f.collectives.begin()->type.shape, (Shape{7, 6}));
  EXPECT_TRUE(f.channels.empty());
}

// A large table that also computes the logits is divided by rows, so that no logits are added. A table that
// is only looked up is divided by columns: an all_gather sends half as many bytes as an all_reduce. The
// memory of the devices is 16 times as fast as their links.
TEST(EmbeddingPieces, RowsOrColumnsAreChosenByCost) {
  const TemporaryFolder folder;
  const std::string path = folder.path("devices.json");
  const std::string model =
      R"({"flops_per_second": 1e30, "bytes_per_second": 16e9, "launch_seconds": 1e-9, "link_seconds": 1e-9, )"
      R"("link_bytes_per_second": 1e9})";
  std::ofstream(path) << R"({"sim:0": )" << model << R"(, "sim:1": )" << model << "}";
  const auto dimension = [&](bool tied) {
    Graph g(3);
    Tensor table = g.variable("table", f32, {4096, 512}, Initializer::uniform(-1, 1));
    Tensor ids = g.input("ids", i32, {16}), label = g.input("label", i32, {16});
    Tensor h = nn::layer_norm("norm", gather(table, ids));
    Tensor logits = tied ? matmul(h, table, {.transpose_y = true}) : nn::dense("out", h, 10);
    g.minimize(mean(softmax_cross_entropy(logits, label)), {.learning_rate = 0.05, .momentum = 0.9});
    const CompileOptions options{.devices = "sim:0,sim:1", .strategy = "tensor(2)", .device_file = path};
    for (const ExplainedVariable& v : explain(g, options).variables)
      if (v.name == "table") {
        EXPECT_EQ(v.pieces, 2);
        EXPECT_THAT(v.homes, ::testing::ElementsAre("sim:0", "sim:1"));
        return v.dimension;
      }
    return -2;
  };
  EXPECT_EQ(dimension(true), 0);
  EXPECT_EQ(dimension(false), 1);
}

// A piece that begins at a wrong row is found at its gather, or at the gradient of the gather.
TEST(EmbeddingPieces, AWrongFirstRowIsFound) {
  for (const auto& [devices, strategy] :
       {Split{"sim:0,reference:0", "tensor(2)"}, Split{"sim:0,reference:0,sim:1", "tensor(3)"},
        Split{"sim:0,reference:0", "pipeline(1, micro_batches=2) * tensor(2)"}}) {
    std::vector<Batch> batches{noise(40, 7, 0)};
    CompileOptions o;
    o.devices = devices;
    o.strategy = strategy;
    const Graph graph = embedding(40, 7);
    const Verification v = check(Verification::prepare(*graph.state(), o, batches));
    const auto sites = mutation_sites(v.program(), Mutation::kWrongFirstElement, v.devices());
    EXPECT_GE(sites.size(), 4u) << strategy;
    for (const MutationSite& site : sites) {
      const Mutant mutant = mutate(v.program(), Mutation::kWrongFirstElement, site, v.devices());
      const auto report = v.run(mutant.program, batches);
      ASSERT_TRUE(report.ok()) << report.error().text();
      ASSERT_FALSE(report->differences.empty()) << strategy << ": " << mutant.description;
      EXPECT_TRUE(names(report->differences.front(), mutant)) << report->differences.front().text();
    }
  }
}

}  // namespace
}  // namespace cutset::testing

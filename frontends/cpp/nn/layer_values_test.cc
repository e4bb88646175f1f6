// SPDX-License-Identifier: Apache-2.0
// Tests layers against loops in double precision.
#include <cutset/cutset.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kBatch = 2, kQueries = 3, kKeys = 4, kWidth = 6, kHeads = 2, kSize = kWidth / kHeads;

HostTensor numbers(const Shape& shape, double seed) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(seed + 1.7 * static_cast<double>(i)));
  return t;
}

// Returns row `row` of x [.., width] times the transpose of the rows from `first` on of a weight [.., width],
// plus a bias.
std::vector<double> projected(const std::vector<double>& x, const HostTensor& weight, const HostTensor& bias,
                              int64_t first) {
  std::vector<double> y;
  for (int64_t o = first; o < first + kWidth; ++o) {
    double sum = bias.at(o);
    for (int64_t i = 0; i < kWidth; ++i) sum += x[static_cast<size_t>(i)] * weight.at(o * kWidth + i);
    y.push_back(sum);
  }
  return y;
}
std::vector<double> row_of(const HostTensor& x, int64_t row) {
  std::vector<double> values;
  for (int64_t i = 0; i < kWidth; ++i) values.push_back(x.at(row * kWidth + i));
  return values;
}

// Computes torch.nn.MultiheadAttention of one query.
std::vector<double> attended(const Session& session, const HostTensor& query, const HostTensor& key,
                             const HostTensor& value, int64_t sample, int64_t position, bool causal) {
  const HostTensor weight = session.variable("a.in_proj_weight"), bias = session.variable("a.in_proj_bias");
  const std::vector<double> q = projected(row_of(query, sample * kQueries + position), weight, bias, 0);
  std::vector<double> joined(kWidth);
  for (int64_t head = 0; head < kHeads; ++head) {
    std::vector<double> shares;
    double total = 0;
    const int64_t seen = causal ? position + 1 : kKeys;
    for (int64_t k = 0; k < seen; ++k) {
      const std::vector<double> of_key = projected(row_of(key, sample * kKeys + k), weight, bias, kWidth);
      double score = 0;
      for (int64_t i = head * kSize; i < (head + 1) * kSize; ++i)
        score += q[static_cast<size_t>(i)] * of_key[static_cast<size_t>(i)];
      shares.push_back(std::exp(score / std::sqrt(static_cast<double>(kSize))));
      total += shares.back();
    }
    for (int64_t k = 0; k < seen; ++k) {
      const std::vector<double> of_value =
          projected(row_of(value, sample * kKeys + k), weight, bias, 2 * kWidth);
      for (int64_t i = head * kSize; i < (head + 1) * kSize; ++i)
        joined[static_cast<size_t>(i)] +=
            shares[static_cast<size_t>(k)] / total * of_value[static_cast<size_t>(i)];
    }
  }
  return projected(joined, session.variable("a.out_proj.weight"), session.variable("a.out_proj.bias"), 0);
}

TEST(MultiHeadAttention, IsThatOfPyTorch) {
  for (const bool causal : {false, true}) {
    Graph g(3);
    const Tensor query = g.input("query", f32, {kBatch, kQueries, kWidth}),
                 key = g.input("key", f32, {kBatch, kKeys, kWidth}),
                 value = g.input("value", f32, {kBatch, kKeys, kWidth});
    g.output("y", nn::multi_head_attention("a", query, key, value, {.heads = kHeads, .causal = causal}));
    Session session = compile(g, {.devices = "reference:0"});
    session.set_variable("a.in_proj_bias", numbers({3 * kWidth}, 5));  // they start with 0
    session.set_variable("a.out_proj.bias", numbers({kWidth}, 6));
    Batch batch;
    batch.emplace("query", numbers({kBatch, kQueries, kWidth}, 1));
    batch.emplace("key", numbers({kBatch, kKeys, kWidth}, 2));
    batch.emplace("value", numbers({kBatch, kKeys, kWidth}, 3));
    const HostTensor y = session.evaluate(batch).at("y");
    ASSERT_EQ(y.type().shape, (Shape{kBatch, kQueries, kWidth}));
    for (int64_t row = 0; row < kBatch * kQueries; ++row) {
      const std::vector<double> want = attended(session, batch.at("query"), batch.at("key"),
                                                batch.at("value"), row / kQueries, row % kQueries, causal);
      for (int64_t i = 0; i < kWidth; ++i)
        EXPECT_NEAR(y.at(row * kWidth + i), want[static_cast<size_t>(i)], 2e-6) << row << " " << i;
    }
  }
}

TEST(MultiHeadAttention, HasNoBiasesIfNoneAreWanted) {
  Graph g;
  const Tensor x = g.input("x", f32, {kBatch, kQueries, kWidth});
  g.output("y", nn::multi_head_attention("a", x, {.heads = 3, .bias = false}));
  EXPECT_THAT(compile(g, {.devices = "reference:0"}).variables(),
              ElementsAre("a.in_proj_weight", "a.out_proj.weight"));
  EXPECT_THAT(testing::error_of([&] { nn::multi_head_attention("b", x, {.heads = 4}); }),
              HasSubstr("a width that the 4 heads divide"));
}

TEST(Layers, WithoutABiasHaveNone) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 4, 6}), image = g.input("image", f32, {2, 4, 5, 5});
  g.output("dense", nn::dense("dense", x, 3, {.bias = false, .initial_weight = Initializer::constant(2)}));
  g.output("up", nn::conv_transpose("up", image, {.out_channels = 2, .kernel_size = 2, .bias = false}));
  g.output("norm", nn::layer_norm("norm", x, {.bias = false}));
  g.output("filled",
           nn::dense("filled", x, 3,
                     {.initial_weight = Initializer::zeros(), .initial_bias = Initializer::constant(7)}));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(session.variables(), ::testing::UnorderedElementsAre("dense.weight", "up.weight", "norm.weight",
                                                                   "filled.weight", "filled.bias"));
  Batch batch;
  batch.emplace("x", numbers({2, 4, 6}, 1));
  batch.emplace("image", numbers({2, 4, 5, 5}, 2));
  const Outputs outputs = session.evaluate(batch);
  double sum = 0;
  for (int64_t i = 0; i < 6; ++i) sum += 2 * batch.at("x").at(i);
  for (int64_t unit = 0; unit < 3; ++unit) EXPECT_NEAR(outputs.at("dense").at(unit), sum, 1e-5);
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(outputs.at("filled").at(i), 7);
}

// The statistics of a group cover its channels and pixels.
TEST(Layers, NormalizeGroupsAndRows) {
  Graph g;
  const Tensor image = g.input("image", f32, {2, 4, 3});
  g.output("groups", nn::group_norm("groups", image, {.groups = 2, .epsilon = 0}));
  g.output("rows", nn::rms_norm("rows", image, {.epsilon = 0}));
  Session session = compile(g, {.devices = "reference:0"});
  session.set_variable("groups.weight", HostTensor({4}, {1.f, 2.f, 3.f, 4.f}));
  session.set_variable("groups.bias", HostTensor({4}, {0.5f, 0.f, 0.f, -1.f}));
  session.set_variable("rows.weight", HostTensor({3}, {1.f, -1.f, 2.f}));
  Batch batch;
  batch.emplace("image", numbers({2, 4, 3}, 4));
  const HostTensor& x = batch.at("image");
  const Outputs outputs = session.evaluate(batch);
  const double scale[] = {1, 2, 3, 4}, shift[] = {0.5, 0, 0, -1}, factor[] = {1, -1, 2};
  for (int64_t first = 0; first < 24; first += 6) {  // a group of two channels with three pixels
    double mean = 0, variance = 0;
    for (int64_t i = first; i < first + 6; ++i) mean += x.at(i) / 6;
    for (int64_t i = first; i < first + 6; ++i) variance += (x.at(i) - mean) * (x.at(i) - mean) / 6;
    for (int64_t i = first; i < first + 6; ++i)
      EXPECT_NEAR(outputs.at("groups").at(i),
                  (x.at(i) - mean) / std::sqrt(variance) * scale[i / 3 % 4] + shift[i / 3 % 4], 1e-5);
  }
  for (int64_t first = 0; first < 24; first += 3) {
    double squares = 0;
    for (int64_t i = first; i < first + 3; ++i) squares += x.at(i) * x.at(i) / 3;
    for (int64_t i = 0; i < 3; ++i)
      EXPECT_NEAR(outputs.at("rows").at(first + i), x.at(first + i) / std::sqrt(squares) * factor[i], 1e-5);
  }
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests linear_attention: its recurrence against loops in f64, gradients, and errors.
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"

namespace cutset::onnx_ops {
namespace {

constexpr int64_t kBatch = 2, kHeads = 4, kKeyHeads = 2, kSteps = 3, kSize = 3, kValueSize = 2;

HostTensor numbers(const Shape& shape, int64_t seed) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(static_cast<double>(i * i + 7 * seed + 1)));
  return t;
}

// Which of the optional operands are given, and the sizes that may be 1.
struct Rule {
  bool state, decay, beta;
  int64_t decay_size = kSize, beta_heads = kKeyHeads;
};
const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {false, false, false}, {true, false, false},      {true, true, false, 1}, {false, true, false},
      {false, false, true},  {true, false, true, 1, 1}, {true, true, true},     {false, true, true, 1}};
  return all;
}

struct Values {
  HostTensor query = numbers({kBatch, kHeads, kSteps, kSize}, 1),
             key = numbers({kBatch, kKeyHeads, kSteps, kSize}, 2),
             value = numbers({kBatch, kKeyHeads, kSteps, kValueSize}, 3),
             state = numbers({kBatch, kKeyHeads, kSize, kValueSize}, 4), decay, beta;
  explicit Values(const Rule& r)
      : decay(numbers({kBatch, kKeyHeads, kSteps, r.decay_size}, 5)),
        beta(numbers({kBatch, r.beta_heads, kSteps, 1}, 6)) {}
  Batch batch() const {
    return {{"query", query}, {"key", key},     {"value", value},
            {"state", state}, {"decay", decay}, {"beta", beta}};
  }
};

// Computes the recurrence of the header for one head. Returns the outputs and then the state.
std::vector<double> by_loops(const Rule& r, const Values& v, int64_t batch, int64_t head) {
  const int64_t key_head = head / (kHeads / kKeyHeads), at = batch * kKeyHeads + key_head;
  double s[kSize][kValueSize] = {};
  for (int64_t i = 0; i < kSize && r.state; ++i)
    for (int64_t j = 0; j < kValueSize; ++j) s[i][j] = v.state.at((at * kSize + i) * kValueSize + j);
  std::vector<double> all;
  for (int64_t t = 0; t < kSteps; ++t) {
    const auto key = [&](int64_t i) { return v.key.at((at * kSteps + t) * kSize + i); };
    for (int64_t i = 0; i < kSize && r.decay; ++i)
      for (double& element : s[i])
        element *= std::exp(v.decay.at((at * kSteps + t) * r.decay_size + (r.decay_size == 1 ? 0 : i)));
    for (int64_t j = 0; j < kValueSize; ++j) {
      double added = v.value.at((at * kSteps + t) * kValueSize + j);
      if (r.beta) {
        for (int64_t i = 0; i < kSize; ++i) added -= key(i) * s[i][j];
        added *= v.beta.at((batch * r.beta_heads + (r.beta_heads == 1 ? 0 : key_head)) * kSteps + t);
      }
      for (int64_t i = 0; i < kSize; ++i) s[i][j] += key(i) * added;
    }
    for (int64_t j = 0; j < kValueSize; ++j) {
      double read = 0;
      for (int64_t i = 0; i < kSize; ++i)
        read += v.query.at(((batch * kHeads + head) * kSteps + t) * kSize + i) * s[i][j];
      all.push_back(0.7 * read);
    }
  }
  for (const auto& row : s)
    for (const double element : row) all.push_back(element);
  return all;
}

LinearAttentionResult build(const Rule& r,
                            const std::function<Tensor(const std::string&, const HostTensor&)>& operand,
                            const Values& v) {
  LinearAttentionOptions o;
  o.scale = 0.7;
  if (r.state) o.state = operand("state", v.state);
  if (r.decay) o.decay = operand("decay", v.decay);
  if (r.beta) o.beta = operand("beta", v.beta);
  return linear_attention(operand("query", v.query), operand("key", v.key), operand("value", v.value), o);
}

struct LinearAttention : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(LinearAttention);

TEST_P(LinearAttention, IsTheRecurrence) {
  for (size_t which = 0; which < rules().size(); ++which) {
    const Rule& r = rules()[which];
    const Values v(r);
    Graph g;
    const LinearAttentionResult y = build(
        r, [&](const std::string& name, const HostTensor& t) { return g.input(name, f32, t.shape()); }, v);
    g.output("y", y.output);
    g.output("state", y.state);
    Batch batch;
    for (const auto& [name, type] : g.inputs()) batch.emplace(name, v.batch().at(name));
    const Outputs out = compile(g, {.devices = device()}).run("evaluate", batch);
    const HostTensor &got = out["y"], &state = out["state"];
    ASSERT_EQ(got.shape(), (Shape{kBatch, kHeads, kSteps, kValueSize}));
    ASSERT_EQ(state.shape(), (Shape{kBatch, kKeyHeads, kSize, kValueSize}));
    for (int64_t b = 0; b < kBatch; ++b)
      for (int64_t h = 0; h < kHeads; ++h) {
        const std::vector<double> want = by_loops(r, v, b, h);
        constexpr int64_t kOutputs = kSteps * kValueSize, kState = kSize * kValueSize;
        for (int64_t i = 0; i < kOutputs; ++i)
          EXPECT_NEAR(got.at((b * kHeads + h) * kOutputs + i), want[static_cast<size_t>(i)], 1e-5) << which;
        for (int64_t i = 0; i < kState; ++i)
          EXPECT_NEAR(state.at((b * kKeyHeads + h / 2) * kState + i), want[static_cast<size_t>(kOutputs + i)],
                      1e-5)
              << which;
      }
  }
}

TEST(LinearAttentionGradients, AgreeWithDifferences) {
  for (const Rule& r : rules()) {
    Graph g;
    const auto variable = [&](const std::string& name, const HostTensor& t) {
      return g.variable(name, f32, t.shape(), Initializer::uniform(-1, 1));
    };
    const LinearAttentionResult y = build(r, variable, Values(r));
    g.minimize(mean(y.output * y.output) + mean(y.state * y.state), {.learning_rate = 0.1});
    EXPECT_GRADIENTS(g, {}, 6);
  }
}

TEST(LinearAttentionErrors, NameTheOperandAndAddNothing) {
  Graph g;
  const auto input = [&](const char* name, const Shape& shape) { return g.input(name, f32, shape); };
  const Tensor q = input("q", {2, 4, 3, 5}), k = input("k", {2, 2, 3, 5}), v = input("v", {2, 2, 3, 6}),
               k3 = input("k3", {2, 3, 3, 5}), v3 = input("v3", {2, 3, 3, 6}),
               wide = input("wide", {2, 2, 3, 7}), long_q = input("lq", {2, 4, 513, 5}),
               long_k = input("lk", {2, 2, 513, 5}), row = input("row", {5}),
               none_q = input("nq", {2, 4, 0, 5}), none_k = input("nk", {2, 2, 0, 5});
  const std::string before = g.text();
  EXPECT_ERROR_HERE("linear_attention of 5xf32 needs operands of rank 4", linear_attention(row, k, v));
  EXPECT_ERROR_HERE("key heads that divide the heads", linear_attention(q, k3, v3));
  EXPECT_ERROR_HERE("as many values as keys", linear_attention(q, k, v3));
  EXPECT_ERROR_HERE("queries and keys of one size", linear_attention(q, wide, v));
  EXPECT_ERROR_HERE("one number of steps", linear_attention(long_q, k, v));
  EXPECT_ERROR_HERE("from 1 to 512 steps", linear_attention(long_q, long_k, long_k));
  EXPECT_ERROR_HERE("from 1 to 512 steps", linear_attention(none_q, none_k, none_k));
  EXPECT_ERROR_HERE("a state of the shape [2, 2, 5, 6]", linear_attention(q, k, v, {.state = k}));
  EXPECT_ERROR_HERE("a decay of the shape [2, 2, 3, 5]", linear_attention(q, k, v, {.decay = v}));
  EXPECT_ERROR_HERE("a beta of the shape [2, 2, 3, 1]", linear_attention(q, k, v, {.beta = v}));
  EXPECT_ERROR_HERE("empty Tensor", linear_attention(q, k, Tensor()));
  EXPECT_EQ(g.text(), before);
}

}  // namespace
}  // namespace cutset::onnx_ops

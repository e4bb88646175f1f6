// SPDX-License-Identifier: Apache-2.0
// Tests attention: its values by the definition, with shared key heads, masks and lengths. Also tests another
// batch size.
#include <cutset/attention.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/compositions.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::elements;

HostTensor numbers(const Shape& shape, double phase) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(phase + 1.7 * static_cast<double>(i)));
  return t;
}

// Computes the definition for queries [b, heads, q, s], keys [b, key heads, k, s] and values [b, key heads,
// k, v]. A query sees the keys for which `sees(batch, query, key)` is true.
template <class Sees>
std::vector<double> by_loops(const HostTensor& q, const HostTensor& k, const HostTensor& v, Sees&& sees) {
  const int64_t batch = q.shape()[0], heads = q.shape()[1], queries = q.shape()[2], size = q.shape()[3];
  const int64_t key_heads = k.shape()[1], keys = k.shape()[2], width = v.shape()[3];
  std::vector<double> y;
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < queries; ++i) {
        const int64_t from = b * key_heads + h / (heads / key_heads);
        std::vector<double> weights;
        double total = 0;
        for (int64_t j = 0; j < keys; ++j) {
          double score = 0;
          for (int64_t s = 0; s < size; ++s)
            score += q.at(((b * heads + h) * queries + i) * size + s) * k.at((from * keys + j) * size + s);
          weights.push_back(sees(b, i, j) ? std::exp(score / std::sqrt(static_cast<double>(size))) : 0);
          total += weights.back();
        }
        for (int64_t c = 0; c < width; ++c) {
          double sum = 0;
          for (int64_t j = 0; j < keys; ++j)
            sum += weights[static_cast<size_t>(j)] * v.at((from * keys + j) * width + c);
          y.push_back(total > 0 ? sum / total : 0);
        }
      }
  return y;
}

struct Attention : testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(Attention);

TEST_P(Attention, IsTheDefinition) {
  const HostTensor q = numbers({2, 4, 3, 5}, 0), k = numbers({2, 2, 6, 5}, 1), v = numbers({2, 2, 6, 4}, 2);
  HostTensor lengths({i32, {2}});
  lengths.set(0, 6);
  lengths.set(1, 1);
  const auto run = [&](const AttentionOptions& o, bool has_lengths = false) {
    return testing::evaluated(device(), {q, k, v, lengths}, [&](const auto& in) {
      return attention(in[0], in[1], in[2], {}, has_lengths ? in[3] : Tensor(), o).output;
    });
  };
  const Shape shape = {2, 4, 3, 4};
  testing::expect_elements(run({}), shape, by_loops(q, k, v, [](int64_t, int64_t, int64_t) { return true; }));
  testing::expect_elements(run({.causal = true, .offset = 2}), shape,
                           by_loops(q, k, v, [](int64_t, int64_t i, int64_t j) { return j <= i + 2; }));
  testing::expect_elements(
      run({.left_window = 1, .right_window = 0}), shape,
      by_loops(q, k, v, [](int64_t, int64_t i, int64_t j) { return j >= i - 1 && j <= i; }));
  // The queries are the last of the valid keys. A query before the first key sees no key, and its result is
  // 0.
  testing::expect_elements(run({.causal = true}, true), shape,
                           by_loops(q, k, v, [](int64_t b, int64_t i, int64_t j) {
                             const int64_t length = b == 0 ? 6 : 1;
                             return j < length && j <= i + length - 3;
                           }));
}

// Tests several windows and offsets. Some of them leave no key to the first or to the last query, whose
// results are 0 and not NaN. Rows are replaced only if a query may see no key.
TEST(AttentionOfPositions, ReplacesRowsOnlyIfAQueryMaySeeNoKey) {
  const HostTensor q = numbers({1, 1, 3, 2}, 0), k = numbers({1, 1, 4, 2}, 1), v = numbers({1, 1, 4, 2}, 2);
  int without_key = 0, replaced = 0;
  for (int64_t offset = -5; offset <= 5; ++offset)
    for (const int64_t left : {-1, 0, 2})
      for (const int64_t right : {-1, 0, 1})
        for (const bool causal : {false, true}) {
          if (left < 0 && right < 0 && !causal) continue;  // each query sees all keys
          const auto sees = [&](int64_t, int64_t i, int64_t j) {
            const int64_t at = i + offset;
            return (left < 0 || j >= at - left) && (right < 0 || j <= at + right) && (!causal || j <= at);
          };
          bool empty = false;
          for (int64_t i = 0; i < 3; ++i) {
            bool any = false;
            for (int64_t j = 0; j < 4; ++j) any |= sees(0, i, j);
            empty |= !any;
          }
          Graph g;
          const Tensor x[] = {g.input("q", f32, q.shape()), g.input("k", f32, k.shape()),
                              g.input("v", f32, v.shape())};
          g.output("y",
                   attention(x[0], x[1], x[2], {}, {},
                             {.causal = causal, .left_window = left, .right_window = right, .offset = offset})
                       .output);
          const HostTensor y =
              compile(g, {.devices = "reference:0"}).run("evaluate", {{"q", q}, {"k", k}, {"v", v}})["y"];
          testing::expect_elements(y, {1, 1, 3, 2}, by_loops(q, k, v, sees));
          const bool replaces = g.text().find("reduce_max") != std::string::npos;
          EXPECT_EQ(replaces, empty) << offset << " " << left << " " << right << " " << causal;
          without_key += empty;
          replaced += replaces;
        }
  EXPECT_GT(without_key, 10);
  EXPECT_LT(replaced, 11 * 17);
}

// The batch size may change, even if several heads share a key head.
TEST(AttentionGraph, AnotherBatchSize) {
  Graph g;
  const Tensor q = g.input("q", f32, {2, 4, 3, 5}), k = g.input("k", f32, {2, 2, 6, 5}),
               v = g.input("v", f32, {2, 2, 6, 4});
  g.output("y", attention(q, k, v).output);
  Session session = compile(g, {.devices = "reference:0"});
  const HostTensor a = numbers({3, 4, 3, 5}, 0), b = numbers({3, 2, 6, 5}, 1), c = numbers({3, 2, 6, 4}, 2);
  const HostTensor y = session.run("evaluate", {{"q", a}, {"k", b}, {"v", c}})["y"];
  testing::expect_elements(y, {3, 4, 3, 4},
                           by_loops(a, b, c, [](int64_t, int64_t, int64_t) { return true; }));
}

TEST(AttentionErrors, NameTheLine) {
  Graph g;
  const Tensor q = g.input("q", f32, {2, 4, 3, 5}), k = g.input("k", f32, {2, 3, 6, 5}),
               v = g.input("v", f32, {2, 3, 6, 4});
  EXPECT_ERROR_HERE("a number of heads that the key heads divide", attention(q, k, v));
  EXPECT_ERROR_HERE("windows from -1 to 2^48", attention(q, q, q, {}, {}, {.left_window = -2}));
}

}  // namespace
}  // namespace cutset

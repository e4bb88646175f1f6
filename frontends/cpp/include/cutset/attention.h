// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention (Vaswani and others, "Attention is all you need", NIPS 2017), composed of the
// ops of <cutset/ops.h>.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <source_location>
#include <type_traits>

namespace cutset {

// Which keys a query sees, and how scores are made. The position of a query is `offset` plus its index. The
// position of a key is its index.
struct AttentionOptions {
  // The factor of the products of queries and keys; default: 1 / sqrt(head size).
  std::optional<double> scale = {};
  double softcap = 0;  // 0: none; otherwise, scores become softcap * tanh(score / softcap) before masks apply
  bool causal = false;        // a query does not see keys with a greater position
  int64_t left_window = -1;   // the number of earlier positions that a query sees; -1: all
  int64_t right_window = -1;  // the number of later positions that a query sees; -1: all
  int64_t offset = 0;         // the position of the first query, such as the number of keys of earlier steps
  // The element type in which the softmax is computed; default: the type of the queries.
  std::optional<DType> softmax_type = {};
};

// The result of attention(), and the values on the way to it, which are [batch, heads, queries, keys].
struct AttentionResult {
  Tensor output;         // [batch, heads, queries, value size]
  Tensor scores;         // scale * query * key
  Tensor capped;         // after softcap
  Tensor masked;         // after the masks: -infinity where a query does not see a key
  Tensor probabilities;  // the softmax; 0 for a query that sees no key
};

// Computes attention of the queries [batch, heads, queries, size] to the keys [batch, key heads, keys, size]
// and the values [batch, key heads, keys, value size]. `key heads` divides `heads`, and consecutive query
// heads share one key head. The operands have one floating-point type.
//
// `mask` is empty, a tensor of i1 that is true where a query sees a key, or a tensor of the type of the
// queries that is added to the scores. It broadcasts to [batch, heads, queries, keys]. `lengths` is empty, or
// the number of valid keys of each sample, i32 or i64 [batch]: later keys are not seen, and the offset is
// that number minus the number of queries. Two kinds of queries have special results:
// - A query that sees no key has the result 0.
// - A query all of whose scores are -infinity also has the result 0 if there is a mask or `lengths`, or if
//   the windows and the offset leave no key to some query. Otherwise, its result is NaN.
//
// Throws a cutset::Error with the line of the call if an operand does not fit, and then adds nothing to the
// graph.
AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const Tensor& mask = {}, const Tensor& lengths = {},
                          const AttentionOptions& options = {},
                          std::source_location source = std::source_location::current());

// Computes attention without mask and lengths.
template <class Options = AttentionOptions>
AttentionResult attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const std::type_identity_t<Options>& options,
                          std::source_location source = std::source_location::current()) {
  return attention(query, key, value, {}, {}, options, source);
}

// Computes attention with several heads of queries, keys and values [batch, positions, width]. Each of them
// is divided into `heads` heads of width / heads elements, and the results of the heads are joined, [batch,
// positions, width]. nn::multi_head_attention also has projections. Throws as attention() does.
Tensor multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t heads,
                            const Tensor& mask = {}, const AttentionOptions& options = {},
                            std::source_location source = std::source_location::current());
// Computes attention with several heads without a mask.
template <class Options = AttentionOptions>
Tensor multi_head_attention(const Tensor& query, const Tensor& key, const Tensor& value, int64_t heads,
                            const std::type_identity_t<Options>& options,
                            std::source_location source = std::source_location::current()) {
  return multi_head_attention(query, key, value, heads, {}, options, source);
}

}  // namespace cutset

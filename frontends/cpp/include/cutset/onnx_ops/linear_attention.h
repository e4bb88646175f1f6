// SPDX-License-Identifier: Apache-2.0
// Linear attention: attention without a softmax, whose keys and values are summed up in a state of fixed size
// (Katharopoulos and others, "Transformers are RNNs", ICML 2020), with the meaning of ONNX.
#pragma once
#include <cutset/graph.h>

#include <optional>
#include <source_location>

namespace cutset::onnx_ops {

// The operands of linear_attention that may be empty. Decay and beta decide the rule:
// - Neither is given: plain linear attention.
// - Decay alone: gated linear attention.
// - Beta alone: the delta rule (Yang and others, "Parallelizing linear transformers with the delta rule over
//   sequence length", NeurIPS 2024).
// - Both: the gated delta rule (Yang, Kautz and Hatamizadeh, "Gated delta networks", ICLR 2025).
struct LinearAttentionOptions {
  Tensor state = {};  // [batch, key heads, size, value size], from earlier steps; empty: 0
  // The logarithm of the factor of the state, [batch, key heads, steps, size or 1]; empty: the factor is 1.
  Tensor decay = {};
  Tensor beta = {};  // the share of the new value, [batch, key heads or 1, steps, 1]; empty: values are added
  std::optional<double> scale = {};  // the factor of the results; default: 1 / sqrt(size)
};

// The result of linear_attention.
struct LinearAttentionResult {
  Tensor output;  // [batch, heads, steps, value size], the type of the query
  Tensor state;   // after the last step, the type of the state that was given, or else of the query
};

// Computes these assignments for each step t, with the state S, the query q, the key k and the value v of the
// step:
//   S = exp(decay) S
//   v = beta (v - k S)    only with beta
//   S = S + k^T v
//   output = scale q S
// The queries are [batch, heads, steps, size], the keys [batch, key heads, steps, size] and the values
// [batch, key heads, steps, value size]. `key heads` divides `heads`, and consecutive query heads share one
// key head. The operands have floating-point types. States are computed in f32, or in f64 if the queries are
// f64.
//
// The steps are unrolled: the graph has about eight ops per step. Throws a cutset::Error with the line of the
// call if there is no step, if there are more than 512, or if an operand does not fit, and then adds nothing
// to the graph.
LinearAttentionResult linear_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                       const LinearAttentionOptions& options = {},
                                       std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops

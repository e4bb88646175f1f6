// SPDX-License-Identifier: Apache-2.0
// Attention, and other ops of transformers.
#include <cutset/attention.h>
#include <cutset/constants.h>
#include <cutset/layers.h>
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// Changes [batch, rows, heads * size] to [batch, heads, rows, size].
Tensor heads_first(const Tensor& x, int64_t heads) {
  const Shape& s = x.shape();
  if (heads < 1 || s[2] % heads)
    invalid("the last dimension of " + to_string(x.type()) + " has no " + std::to_string(heads) + " heads");
  return transpose(reshape(x, {.shape = {s[0], s[1], heads, s[2] / heads}}), {.permutation = {0, 2, 1, 3}});
}
Tensor heads_last(const Tensor& x) {
  const Shape& s = x.shape();
  return reshape(transpose(x, {.permutation = {0, 2, 1, 3}}), {.shape = {s[0], s[2], s[1] * s[3]}});
}

// Pads the mask to all keys. A mask may have fewer columns than there are keys, and the other keys are masked
// out.
Tensor whole_mask(Node& n, int64_t keys) {
  const Tensor mask = n.optional(3);
  if (!mask.defined() || mask.type().rank() == 0 || mask.shape().back() >= keys || mask.shape().back() == 1)
    return mask;
  const Tensor nothing = mask.dtype() == i1 ? n.constant(HostTensor({i1, {}})) : constant(mask, -HUGE_VAL);
  return pad(mask, {0, keys - mask.shape().back()}, PadMode::kConstant, nothing);
}

Results attention_of(Node& n) {
  Tensor q = n.in(0), k = n.in(1), v = n.in(2);
  const bool packed = q.type().rank() == 3;
  const int64_t heads = n.number("q_num_heads", 0),
                key_heads = n.number("kv_num_heads", 0);  // both attributes are for packed operands
  if (packed) {
    if (k.type().rank() != 3 || v.type().rank() != 3) invalid("the ranks of query, key and value differ");
    q = heads_first(q, heads);
    k = heads_first(k, key_heads);
    v = heads_first(v, key_heads);
  }
  AttentionOptions o;
  if (n.has_attribute("scale")) o.scale = n.real("scale", 0);
  o.softcap = n.real("softcap", 0);
  o.causal = n.number("is_causal", 0) != 0;
  o.left_window = n.number("left_window_size", -1);
  o.right_window = n.number("right_window_size", -1);
  if (n.has_attribute("softmax_precision")) o.softmax_type = dtype_of_onnx(n.number("softmax_precision", 1));
  if (n.has(4) != n.has(5)) invalid("a past key needs a past value");
  if (n.has(4)) {
    if (n.type(4).rank() != 4) invalid("the past key has not rank 4");
    o.offset = n.type(4).shape[2];
    k = concat({n.in(4), k}, {.axis = 2});
    v = concat({n.in(5), v}, {.axis = 2});
  }
  if (k.type().rank() != 4) invalid("the key has not rank 4");
  const AttentionResult r = attention(q, k, v, whole_mask(n, k.shape()[2]), n.optional(6), o);
  // From version 23 on, qk_matmul_output_mode counts the intermediate values in the order of their
  // computation.
  const Tensor on_the_way[] = {r.scores, r.capped, r.masked, r.probabilities};
  const int64_t mode = n.number("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) invalid("qk_matmul_output_mode is " + std::to_string(mode));
  return {packed ? heads_last(r.output) : r.output, k, v, on_the_way[mode]};
}

// Changes [batch, steps, heads] or [batch, steps, heads * size] to [batch, heads, steps, 1 or size].
Tensor gates(const Tensor& x, int64_t heads) {
  if (x.type().rank() != 3) invalid("a decay or a beta has the type " + to_string(x.type()));
  return heads_first(x, heads);
}

Results linear_attention_of(Node& n) {
  n.ignore({"chunk_size"});  // how many steps a program may compute at a time
  const int64_t heads = n.number("q_num_heads", 0), key_heads = n.number("kv_num_heads", 0);
  for (int i = 0; i < 3; ++i)
    if (n.type(i).rank() != 3)
      invalid("operand " + std::to_string(i) + " has the type " + to_string(n.type(i)));
  const std::string rule = n.text("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta",
             delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") invalid("the update_rule is '" + rule + "'");
  if (gated != n.has(4) || delta != n.has(5))
    invalid("the decay and the beta do not fit the update_rule '" + rule + "'");
  onnx_ops::LinearAttentionOptions o;
  o.state = n.optional(3);
  if (gated) o.decay = gates(n.in(4), key_heads);
  if (delta) o.beta = gates(n.in(5), n.type(5).rank() == 3 && n.type(5).shape[2] == 1 ? 1 : key_heads);
  if (n.real("scale", 0) != 0) o.scale = n.real("scale", 0);
  const onnx_ops::LinearAttentionResult r = onnx_ops::linear_attention(
      heads_first(n.in(0), heads), heads_first(n.in(1), key_heads), heads_first(n.in(2), key_heads), o);
  return {heads_last(r.output), r.state};
}

// Rotates pairs of elements of each head by angles that depend on the position (Su and others, "RoFormer",
// arXiv:2104.09864). A pair has two neighbours if `interleaved` is set, and otherwise one element of each
// half.
Results rotary_embedding(Node& n) {
  Tensor x = n.in(0);
  const bool packed = x.type().rank() == 3;
  const int64_t heads = n.number("num_heads", 0);  // an attribute for a packed operand
  if (packed) x = heads_first(x, heads);
  if (x.type().rank() != 4) invalid("the operand has rank " + std::to_string(x.type().rank()));
  const int64_t size = x.shape()[3], given = n.number("rotary_embedding_dim", 0),
                rotated = given ? given : size;
  if (rotated < 2 || rotated > size || rotated % 2)
    invalid("rotary_embedding_dim is " + std::to_string(rotated));
  Tensor cosine = n.in(1), sine = n.in(2);
  if (n.has(3)) {
    cosine = gather(cosine, n.in(3));
    sine = gather(sine, n.in(3));
  }
  cosine = unsqueeze(cosine, {1});
  sine = unsqueeze(sine, {1});  // the same for all heads
  const Tensor part = ops::slice(x, {.axis = 3, .start = 0, .length = rotated});
  const bool interleaved = n.number("interleaved", 0) != 0;
  Tensor a, b;
  if (interleaved) {
    a = slice(part, 3, 0, rotated, 2);
    b = slice(part, 3, 1, rotated, 2);
  } else {
    a = ops::slice(part, {.axis = 3, .start = 0, .length = rotated / 2});
    b = ops::slice(part, {.axis = 3, .start = rotated / 2});
  }
  const Tensor real = cosine * a - sine * b, imaginary = sine * a + cosine * b;
  Tensor y = interleaved ? reshape(stack({real, imaginary}, -1), {.shape = part.shape()})
                         : concat({real, imaginary}, {.axis = 3});
  if (rotated < size) y = concat({y, ops::slice(x, {.axis = 3, .start = rotated})}, {.axis = 3});
  return {packed ? heads_last(y) : y};
}

// Convolves each channel with a kernel that reads the present and earlier elements. Also returns the last
// elements, with which the next call begins.
Results causal_convolution(Node& n) {
  const Tensor x = n.in(0), kernel = n.in(1);
  if (x.type().rank() != 3 || kernel.type().rank() != 3 || kernel.shape()[2] < 1)
    invalid("the kernel " + to_string(kernel.type()) + " does not fit the operand " + to_string(x.type()));
  const int64_t length = x.shape()[2], before = kernel.shape()[2] - 1;
  const Tensor all =
      n.has(3) ? concat({n.in(3), x}, {.axis = 2}) : ops::pad(x, {.axis = 2, .before = before});
  if (all.shape()[2] != length + before)
    invalid("the past state has not " + std::to_string(before) + " elements");
  Tensor y = conv(all, kernel, n.optional(2), {.groups = x.shape()[1]});
  const std::string activation = n.text("activation", "none");
  if (activation == "silu" || activation == "swish")
    y = silu(y);
  else if (activation != "none")
    invalid("the activation '" + activation + "' is not silu, swish or none");
  return {y, ops::slice(all, {.axis = 2, .start = length})};
}

}  // namespace

static void add_attention(Converters& table) {
  table.insert({{"Attention", attention_of},
                {"LinearAttention", linear_attention_of},
                {"RotaryEmbedding", rotary_embedding},
                {"CausalConvWithState", causal_convolution}});
}

static const ConverterFamily kAttentionConverters(add_attention);

}  // namespace cutset::onnx

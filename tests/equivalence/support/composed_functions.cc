// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/composed_functions.h"

#include <cutset/attention.h>
#include <cutset/einsum.h>
#include <cutset/fold.h>
#include <cutset/grid_sample.h>
#include <cutset/indexing.h>
#include <cutset/interpolate.h>
#include <cutset/losses.h>
#include <cutset/normalizations.h>
#include <cutset/onnx_ops/activations.h>
#include <cutset/onnx_ops/deform_conv.h>
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/onnx_ops/matrices.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/onnx_ops/pooling.h>
#include <cutset/onnx_ops/reductions.h>
#include <cutset/onnx_ops/roi_align.h>
#include <cutset/onnx_ops/sequences.h>
#include <cutset/quantization.h>
#include <cutset/recurrent.h>
#include <cutset/recurrent_layers.h>
#include <cutset/reductions.h>
#include <cutset/shapes.h>
#include <cutset/spectral.h>

namespace cutset::testing {
namespace {

const std::vector<int64_t> kRows = {1};
Tensor labels(Graph& g) { return arange(g, 3, i64); }
Tensors of(const RecurrentResult& r) {
  Tensors all = {r.output, r.state};
  if (r.cell.defined()) all.push_back(r.cell);
  return all;
}
RecurrentWeights weights(const Tensors& x) { return {x[1], x[2], x[3], x[4]}; }
std::vector<Given> recurrent(int64_t parts) {
  return {{{2, 3, 4}},
          {{parts * 3, 4}, From::kUnit},
          {{parts * 3, 3}, From::kUnit},
          {{parts * 3}},
          {{parts * 3}, From::kUnit}};
}

const std::vector<Given> kMatrix = {{{3, 8}}}, kImages = {{{2, 4, 4, 6}}};
const std::vector<Given> kScaled = {{{2, 4, 4, 6}}, {{4}, From::kUnit}, {{4}, From::kUnit}};
const std::vector<Given> kTarget = {{{3, 8}}, {{3, 8}}}, kShares = {{{3, 8}}, {{3, 8}, From::kUnit}};
const std::vector<Given> kAttention = {{{1, 2, 3, 4}}, {{1, 2, 5, 4}}, {{1, 2, 5, 4}}, {{3, 5}}};

std::vector<Function> activations() {
  const auto of_one = [](const char* name, auto function) {
    return Function{name, kMatrix, [=](Graph&, const Tensors& x) { return Tensors{function(x[0])}; }};
  };
  return {
      of_one("leaky_relu", [](const Tensor& x) { return leaky_relu(x, 0.01); }),
      of_one("elu", [](const Tensor& x) { return elu(x, 1.3); }),
      of_one("celu", [](const Tensor& x) { return celu(x, 0.7); }),
      of_one("celu, negative", [](const Tensor& x) { return celu(x, -0.7); }),
      of_one("selu", [](const Tensor& x) { return selu(x); }),
      of_one("gelu_tanh", [](const Tensor& x) { return gelu_tanh(x); }),
      of_one("swish", [](const Tensor& x) { return onnx_ops::swish(x, 1.1); }),
      of_one("mish", [](const Tensor& x) { return mish(x); }),
      of_one("softsign", [](const Tensor& x) { return softsign(x); }),
      of_one("hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); }),
      of_one("hard_swish", [](const Tensor& x) { return hard_swish(x); }),
      of_one("thresholded_relu", [](const Tensor& x) { return onnx_ops::thresholded_relu(x, 0.3); }),
      of_one("shrink", [](const Tensor& x) { return onnx_ops::shrink(x, 0.1, 0.03); }),
      of_one("sum", [](const Tensor& x) { return sum(x, kRows); }),
      of_one("mean", [](const Tensor& x) { return mean(x, kRows); }),
      of_one("sum_square", [](const Tensor& x) { return onnx_ops::sum_square(x, kRows); }),
      of_one("l1_norm", [](const Tensor& x) { return l1_norm(x, kRows); }),
      of_one("l2_norm", [](const Tensor& x) { return l2_norm(x, kRows); }),
      of_one("log_sum_exp", [](const Tensor& x) { return log_sum_exp(x, kRows); }),
      of_one("variance", [](const Tensor& x) { return variance(x, kRows); }),
      of_one("mean_variance_norm", [](const Tensor& x) { return onnx_ops::mean_variance_norm(x, kRows); }),
      of_one("lp_normalize", [](const Tensor& x) { return onnx_ops::lp_normalize(x); }),
      of_one("lp_normalize, 1", [](const Tensor& x) { return onnx_ops::lp_normalize(x, -1, 1); }),
      of_one("sort", [](const Tensor& x) { return sort(x); }),
      of_one("flip", [](const Tensor& x) { return flip(x, {1}); }),
      of_one("tile", [](const Tensor& x) { return tile(x, {1, 2}); }),
      of_one("stack", [](const Tensor& x) { return stack({x, x}); })};
}

// Returns the ops whose gradients consist of several ops. They are computed as the gradients of a
// composition.
std::vector<Function> of_ops() {
  const auto of_one = [](const char* name, From from, auto function) {
    return Function{
        name, {{{3, 8}, from}}, [=](Graph&, const Tensors& x) { return Tensors{function(x[0])}; }};
  };
  const auto of_two = [](const char* name, auto function) {
    const std::vector<Given> operands = {{{3, 8}, From::kPositive}, {{8}, From::kPositive}};
    return Function{name, operands, [=](Graph&, const Tensors& x) { return Tensors{function(x[0], x[1])}; }};
  };
  return {of_one("reciprocal", From::kPositive, [](const Tensor& x) { return reciprocal(x); }),
          of_one("rsqrt", From::kPositive, [](const Tensor& x) { return rsqrt(x); }),
          of_one("log1p", From::kPositive, [](const Tensor& x) { return log1p(x); }),
          of_one("asin", From::kUnit, [](const Tensor& x) { return asin(x); }),
          of_one("acos", From::kUnit, [](const Tensor& x) { return acos(x); }),
          of_one("atan", From::kSigned, [](const Tensor& x) { return atan(x); }),
          of_one("asinh", From::kSigned, [](const Tensor& x) { return asinh(x); }),
          of_one("atanh", From::kUnit, [](const Tensor& x) { return atanh(x); }),
          of_one("erf", From::kSigned, [](const Tensor& x) { return erf(x); }),
          of_two("div", [](const Tensor& x, const Tensor& y) { return div(x, y); }),
          of_two("atan2", [](const Tensor& x, const Tensor& y) { return atan2(x, y); }),
          {"pow",
           {{{3, 8}, From::kPositive}, {{3, 8}, From::kUnit}},
           [](Graph&, const Tensors& x) { return Tensors{pow(x[0], x[1])}; }},
          of_two("mod", [](const Tensor& x, const Tensor& y) { return mod(x, y); })};
}

std::vector<Function> of_images() {
  using G = Graph&;
  using T = const Tensors&;
  return {
      {"group_norm", kScaled, [](G, T x) { return Tensors{group_norm(x[0], x[1], x[2], 2)}; }},
      {"instance_norm", kScaled, [](G, T x) { return Tensors{instance_norm(x[0], x[1], x[2])}; }},
      {"rms_norm", {{{3, 8}}, {{8}, From::kUnit}}, [](G, T x) { return Tensors{rms_norm(x[0], x[1])}; }},
      {"local_response_norm", kImages, [](G, T x) { return Tensors{local_response_norm(x[0], 3)}; }},
      {"lp_pool", kImages, [](G, T x) { return Tensors{lp_pool(x[0], 2, {.kernel_size = 2})}; }},
      {"lp_pool, 3", kImages, [](G, T x) { return Tensors{lp_pool(x[0], 3, {.kernel_size = 2})}; }},
      {"avg_pool", kImages, [](G, T x) { return Tensors{avg_pool(x[0], {.kernel_size = 2})}; }},
      {"max_pool", kImages, [](G, T x) { return Tensors{max_pool(x[0], {.kernel_size = 2})}; }},
      {"global_lp_pool", kImages, [](G, T x) { return Tensors{onnx_ops::global_lp_pool(x[0])}; }},
      {"global_avg_pool", kImages, [](G, T x) { return Tensors{global_avg_pool(x[0])}; }},
      {"resize, linear", kImages,
       [](G, T x) { return Tensors{interpolate(x[0], {.size = {7, 5}, .mode = Interpolation::kLinear})}; }},
      {"resize, cubic", kImages,
       [](G, T x) { return Tensors{interpolate(x[0], {.size = {7, 5}, .mode = Interpolation::kCubic})}; }},
      {"resize, nearest", kImages, [](G, T x) { return Tensors{interpolate(x[0], {.size = {7, 5}})}; }},
      {"grid_sample",
       {{{2, 3, 4, 4}}, {{2, 5, 1, 2}, From::kUnit}},
       [](G, T x) { return Tensors{grid_sample(x[0], x[1])}; }},
      {"affine_grid", {{{2, 2, 3}}}, [](G, T x) { return Tensors{affine_grid(x[0], {3, 4})}; }},
      {"roi_align",
       {{{2, 3, 4, 4}}, {{2, 4}, From::kUnit}},
       [](G g, T x) {
         return Tensors{onnx_ops::roi_align(x[0], x[1], arange(g, 2, i64), {.output_size = 2})};
       }},
      {"deform_conv",
       {{{1, 2, 4, 4}},
        {{3, 2, 2, 2}, From::kUnit},
        {{1, 8, 3, 3}, From::kUnit},
        {{1, 4, 3, 3}, From::kUnit},
        {{3}}},
       [](G, T x) { return Tensors{onnx_ops::deform_conv(x[0], x[1], x[2], x[3], x[4])}; }},
      {"unfold", kImages, [](G, T x) { return Tensors{unfold(x[0], {.kernel_size = 2})}; }},
      {"fold", {{{1, 4, 9}}}, [](G, T x) { return Tensors{fold(x[0], {4, 4}, {.kernel_size = 2})}; }},
      {"batch_norm", kImages, [](G g, T x) { return Tensors{nn::batch_norm("n", x[0])}; }},
      {"layer_norm", kImages, [](G g, T x) { return Tensors{nn::layer_norm("n", x[0])}; }},
      {"pad", {{{3, 8}}, {{}}}, [](G, T x) { return Tensors{pad(x[0], {1, 2}, PadMode::kConstant, x[1])}; }},
  };
}

std::vector<Function> of_losses() {
  using G = Graph&;
  using T = const Tensors&;
  constexpr auto kNone = LossReduction::kNone;
  const std::vector<Given> weighted = {{{3, 8}}, {{8}, From::kUnit}};
  return {
      {"nll_loss", weighted, [](G g, T x) { return Tensors{nll_loss(x[0], labels(g), {.weight = x[1]})}; }},
      {"cross_entropy", kMatrix, [](G g, T x) { return Tensors{cross_entropy(x[0], labels(g))}; }},
      {"cross_entropy, smoothed", weighted,
       [](G g, T x) {
         return Tensors{cross_entropy(x[0], labels(g), {.weight = x[1], .label_smoothing = 0.1})};
       }},
      {"cross_entropy of shares", kShares, [](G, T x) { return Tensors{cross_entropy(x[0], x[1])}; }},
      {"binary_cross_entropy_with_logits",
       {{{3, 8}}, {{3, 8}, From::kUnit}, {{8}, From::kUnit}, {{8}, From::kUnit}},
       [](G, T x) {
         return Tensors{binary_cross_entropy_with_logits(x[0], x[1], {.weight = x[2], .pos_weight = x[3]})};
       }},
      {"mse_loss", kTarget, [](G, T x) { return Tensors{mse_loss(x[0], x[1])}; }},
      {"mse_loss, none", kTarget, [=](G, T x) { return Tensors{mse_loss(x[0], x[1], kNone)}; }},
      {"l1_loss", kTarget, [](G, T x) { return Tensors{l1_loss(x[0], x[1])}; }},
      {"huber_loss", kTarget, [](G, T x) { return Tensors{huber_loss(x[0], x[1], {.delta = 0.3})}; }},
      {"smooth_l1_loss", kTarget, [](G, T x) { return Tensors{smooth_l1_loss(x[0], x[1], {.beta = 0.3})}; }},
      {"kl_div", kShares, [](G, T x) { return Tensors{kl_div(x[0], x[1])}; }},
  };
}

std::vector<Function> of_sequences() {
  using G = Graph&;
  using T = const Tensors&;
  return {
      {"lstm", recurrent(4), [](G, T x) { return of(lstm(x[0], weights(x))); }},
      {"lstm by steps", recurrent(4), [](G, T x) { return of(lstm(x[0], weights(x), {}, {}, {.clip = 3})); }},
      {"gru", recurrent(3), [](G, T x) { return of(gru(x[0], weights(x))); }},
      {"gru by steps", recurrent(3), [](G, T x) { return of(gru(x[0], weights(x), {}, {}, {.clip = 3})); }},
      {"rnn", recurrent(1), [](G, T x) { return of(rnn(x[0], weights(x))); }},
      {"rnn by steps", recurrent(1), [](G, T x) { return of(rnn(x[0], weights(x), {}, {}, {.clip = 3})); }},
      {"attention", kAttention,
       [](G, T x) {
         const AttentionResult r = attention(x[0], x[1], x[2], x[3]);
         return Tensors{r.output, r.masked, r.probabilities};
       }},
      {"causal attention", kAttention,
       [](G, T x) {
         return Tensors{attention(x[0], x[1], x[2], {}, {}, {.softcap = 5, .causal = true}).output};
       }},
      {"linear_attention",
       {{{1, 2, 3, 4}}, {{1, 2, 3, 4}, From::kUnit}, {{1, 2, 3, 4}}},
       [](G, T x) {
         const onnx_ops::LinearAttentionResult r = onnx_ops::linear_attention(x[0], x[1], x[2]);
         return Tensors{r.output, r.state};
       }},
      {"einsum",
       {{{3, 4}}, {{4, 5}, From::kUnit}, {{3, 5}, From::kUnit}},
       [](G, T x) { return Tensors{einsum("ij,jk,ik->i", x)}; }},
      {"determinant", {{{2, 3, 3}}}, [](G, T x) { return Tensors{onnx_ops::determinant(x[0])}; }},
      {"dft", {{{2, 12, 1}}}, [](G, T x) { return Tensors{dft(x[0])}; }},
      {"stft",
       {{{1, 12, 1}}, {{4}, From::kUnit}},
       [](G, T x) { return Tensors{stft(x[0], x[1], {.frame_step = 2})}; }},
      {"embedding_bag",
       {{{5, 4}}},
       [](G g, T x) { return Tensors{embedding_bag(x[0], reshape(arange(g, 4, i64), {.shape = {2, 2}}))}; }},
      {"quantize_linear",
       {{{3, 8}}, {{}, From::kPositive}},
       [](G, T x) { return Tensors{quantize_linear(x[0], x[1] * 0.0625, {}, DType::i8)}; },
       false},
      {"dequantize_linear",
       {{{}, From::kUnit}},
       [](G g, T x) { return Tensors{dequantize_linear(arange(g, 9, i32) * 9000 + 1, x[0])}; }},
      {"reverse_sequence", kMatrix,
       [](G g, T x) { return Tensors{onnx_ops::reverse_sequence(x[0], arange(g, 3, i64) + 2)}; }},
      {"nn::lstm",
       {{{3, 2, 4}, From::kUnit}},
       [](G g, T x) { return of(nn::lstm("l", x[0], {.hidden = 3})); }},
  };
}

}  // namespace

std::vector<Function> composed_functions() {
  std::vector<Function> all = activations();
  for (const auto& more : {of_ops(), of_images(), of_losses(), of_sequences()})
    all.insert(all.end(), more.begin(), more.end());
  all.push_back({"log_sum", {{{3, 8}, From::kPositive}}, [](Graph&, const Tensors& x) {
                   return Tensors{onnx_ops::log_sum(x[0], kRows)};
                 }});
  return all;
}

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// The cases of activations, reductions, normalizations, losses, attention, sequences, signals and
// quantization.
#include <cutset/onnx_ops/activations.h>
#include <cutset/onnx_ops/indexing.h>
#include <cutset/onnx_ops/integer_products.h>
#include <cutset/onnx_ops/linear_attention.h>
#include <cutset/onnx_ops/matrices.h>
#include <cutset/onnx_ops/normalizations.h>
#include <cutset/onnx_ops/quantization.h>
#include <cutset/onnx_ops/reductions.h>
#include <cutset/onnx_ops/sequences.h>
#include <cutset/onnx_ops/signal_windows.h>

#include "tests/sizes/size_case.h"

namespace cutset {
namespace {

using In = std::vector<Tensor>;
using Out = std::vector<Tensor>;

void add_of_elements(std::vector<SizeCase>& all) {
  const auto of = [&](const char* name, std::function<Tensor(const Tensor&)> f) {
    all.push_back({name, rows, [f](Graph&, const In& x) { return Out{f(x[0])}; }});
  };
  of("leaky_relu", [](const Tensor& x) { return leaky_relu(x); });
  of("elu:alpha", [](const Tensor& x) { return elu(x, 2.0); });
  of("celu", [](const Tensor& x) { return celu(x, 2); });
  of("selu", [](const Tensor& x) { return selu(x); });
  of("gelu_tanh", [](const Tensor& x) { return gelu_tanh(x); });
  of("onnx_ops::swish", [](const Tensor& x) { return onnx_ops::swish(x, 2); });
  of("mish", [](const Tensor& x) { return mish(x); });
  of("softsign", [](const Tensor& x) { return softsign(x); });
  of("hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); });
  of("onnx_ops::hard_sigmoid", [](const Tensor& x) { return onnx_ops::hard_sigmoid(x); });
  of("hard_swish", [](const Tensor& x) { return hard_swish(x); });
  of("onnx_ops::thresholded_relu", [](const Tensor& x) { return onnx_ops::thresholded_relu(x, 0.5); });
  of("onnx_ops::shrink", [](const Tensor& x) { return onnx_ops::shrink(x, 0.5, 0.1); });
  of("sum", [](const Tensor& x) { return sum(x, {1}); });
  of("mean", [](const Tensor& x) { return mean(x, {0, 1}); });
  of("onnx_ops::sum_square", [](const Tensor& x) { return onnx_ops::sum_square(x, {1}, false); });
  of("l1_norm", [](const Tensor& x) { return l1_norm(x, {1}, false); });
  of("l2_norm", [](const Tensor& x) { return l2_norm(x, {0, 1}, false); });
  of("onnx_ops::log_sum", [](const Tensor& x) { return onnx_ops::log_sum(x, {1}, false); });
  of("log_sum_exp", [](const Tensor& x) { return log_sum_exp(x, {1}, false); });
  of("variance", [](const Tensor& x) { return variance(x, {1}, false); });
  of("onnx_ops::mean_variance_norm", [](const Tensor& x) { return onnx_ops::mean_variance_norm(x, {1}); });
  of("onnx_ops::lp_normalize", [](const Tensor& x) { return onnx_ops::lp_normalize(x, 1); });
  of("local_response_norm", [](const Tensor& x) { return local_response_norm(x, 3); });
  of("onnx_ops::local_response_norm", [](const Tensor& x) { return onnx_ops::local_response_norm(x, 2); });
  of("constant", [](const Tensor& x) { return x + constant(x, 3); });
  const auto scale = [](Graph& g, int64_t n) {
    return g.variable("scale", f32, {n}, Initializer::uniform(1, 2));
  };
  const auto channels = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, 6, s.height, s.width}}};
  };
  all.push_back({"group_norm", channels, [](Graph& g, const In& x) {
                   const Tensor factor = g.variable("scale", f32, {6}, Initializer::uniform(1, 2));
                   return Out{group_norm(x[0], factor, factor, 3)};
                 }});
  all.push_back({"instance_norm", channels, [](Graph& g, const In& x) {
                   const Tensor factor = g.variable("scale", f32, {6}, Initializer::uniform(1, 2));
                   return Out{instance_norm(x[0], factor, factor)};
                 }});
  all.push_back({"instance_norm:other channels",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.height, s.width}},
                                                  {{s.height}, f32, 0.2, 0.9, std::nullopt},
                                                  {{s.height}, f32, 0.2, 0.9, std::nullopt}};
                 },
                 [](Graph&, const In& x) { return Out{instance_norm(x[0], x[1], x[2])}; }});
  all.push_back({"rms_norm", rows, [=](Graph& g, const In& x) { return Out{rms_norm(x[0], scale(g, 5))}; }});
  all.push_back({"onnx_ops::determinant",
                 [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length, 3, 3}}}; },
                 [](Graph&, const In& x) { return Out{onnx_ops::determinant(x[0])}; }});
}

void add_losses(std::vector<SizeCase>& all) {
  const auto labelled = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, 5, s.length}}, {{s.batch, s.length}, i32, 0, 5}};
  };
  const auto targets = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, s.length, 5}}, {{s.batch, s.length, 5}}};
  };
  all.push_back({"nll_loss", labelled, [](Graph&, const In& x) {
                   return Out{nll_loss(x[0], x[1]),
                              nll_loss(x[0], x[1], {.reduction = LossReduction::kNone})};
                 }});
  all.push_back(
      {"cross_entropy", labelled, [](Graph& g, const In& x) {
         const Tensor weight = g.constant(HostTensor({5}, {1.f, 2.f, 3.f, 1.f, 2.f}));
         return Out{cross_entropy(x[0], x[1]),
                    cross_entropy(x[0], x[1], {.weight = weight, .ignore_index = 2, .label_smoothing = 0.1}),
                    cross_entropy(x[0], x[1], {.reduction = LossReduction::kBatchMean})};
       }});
  all.push_back({"cross_entropy:probabilities", targets, [](Graph&, const In& x) {
                   return Out{cross_entropy(x[0], x[1], {.label_smoothing = 0.1, .class_axis = -1}),
                              cross_entropy(x[0], x[1], {.label_smoothing = 0.1, .class_axis = 1})};
                 }});
  const auto of_pair = [&](const char* name, std::function<Tensor(const Tensor&, const Tensor&)> f) {
    all.push_back({name, targets, [f](Graph&, const In& x) { return Out{f(x[0], x[1])}; }});
  };
  of_pair("binary_cross_entropy_with_logits",
          [](const Tensor& x, const Tensor& y) { return binary_cross_entropy_with_logits(x, y); });
  of_pair("mse_loss", [](const Tensor& x, const Tensor& y) { return mse_loss(x, y); });
  of_pair("mse_loss:of a batch",
          [](const Tensor& x, const Tensor& y) { return mse_loss(x, y, LossReduction::kBatchMean); });
  of_pair("l1_loss", [](const Tensor& x, const Tensor& y) { return l1_loss(x, y); });
  of_pair("huber_loss", [](const Tensor& x, const Tensor& y) { return huber_loss(x, y); });
  of_pair("smooth_l1_loss", [](const Tensor& x, const Tensor& y) { return smooth_l1_loss(x, y); });
  of_pair("kl_div", [](const Tensor& x, const Tensor& y) {
    return kl_div(x, y, {.reduction = LossReduction::kBatchMean});
  });
}

void add_attention(std::vector<SizeCase>& all) {
  const auto heads = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, 4, s.length, 3}},
                                   {{s.batch, 2, s.length, 3}},
                                   {{s.batch, 2, s.length, 2}},
                                   {{s.batch}, i32, 1, 2}};
  };
  const auto with = [&](const char* name, AttentionOptions o, bool lengths = false) {
    all.push_back({std::string("attention:") + name, heads, [=](Graph&, const In& x) {
                     const AttentionResult r = attention(x[0], x[1], x[2], {}, lengths ? x[3] : Tensor(), o);
                     return Out{r.output, r.scores, r.capped, r.masked, r.probabilities};
                   }});
  };
  with("all", {});
  with("causal", {.causal = true});
  with("windows", {.left_window = 2, .right_window = 1});
  with("offset", {.causal = true, .offset = 1});
  with("lengths", {.causal = true}, true);
  with("capped", {.softcap = 2});
  all.push_back({"onnx_ops::linear_attention", heads, [](Graph&, const In& x) {
                   const onnx_ops::LinearAttentionResult r = onnx_ops::linear_attention(x[0], x[1], x[2]);
                   return Out{r.output, r.state};
                 }});
}

void add_sequences(std::vector<SizeCase>& all) {
  const auto with_lengths = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, s.length, 5}}, {{s.batch}, i32, 1, 3}};
  };
  all.push_back({"onnx_ops::reverse_sequence", with_lengths,
                 [](Graph&, const In& x) { return Out{onnx_ops::reverse_sequence(x[0], x[1])}; }});
  all.push_back({"onnx_ops::update_cache",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{
                       {{s.batch, 2, s.length, 3}}, {{s.batch, 2, 1, 3}}, {{s.batch}, i32, 0, 2}};
                 },
                 [](Graph&, const In& x) {
                   return Out{onnx_ops::update_cache(x[0], x[1], x[2]),
                              onnx_ops::update_cache(x[0], x[1], x[2], 2, true)};
                 }});
  all.push_back(
      {"onnx_ops::count_ngrams",
       [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length}, i32, 0, 3}}; },
       [](Graph&, const In& x) { return Out{onnx_ops::count_ngrams(x[0], {{1}, {0, 1}, {2, 1}}, 2)}; },
       false});
  all.push_back({"embedding_bag",
                 [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length}, i32, 0, 7}}; },
                 [](Graph& g, const In& x) {
                   const Tensor table = g.variable("table", f32, {7, 3}, Initializer::normal(0, 1));
                   return Out{embedding_bag(table, x[0])};
                 }});
  all.push_back({"onnx_ops::gather_nd",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, s.length, 5}}, {{s.batch, 3, 1}, i32, 0, 3}};
                 },
                 [](Graph&, const In& x) { return Out{onnx_ops::gather_nd(x[0], x[1], 1)}; }});
  all.push_back({"onnx_ops::scatter_nd",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{
                       {{s.batch, s.length, 5}}, {{s.batch, 2}, i32, 0, 1}, {{s.batch, 5}}};
                 },
                 [](Graph&, const In& x) {
                   return Out{onnx_ops::scatter_nd(x[0], x[1], x[2], ScatterElementsReduction::kAdd)};
                 }});
  all.push_back({"dft", rows, [](Graph&, const In& x) {
                   const Tensor real = unsqueeze(x[0], {-1});
                   return Out{dft(real, {.axis = 1}), dft(real, {.axis = 1, .onesided = true})};
                 }});
  all.push_back(
      {"stft", [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, 4 * s.length, 1}}}; },
       [](Graph&, const In& x) { return Out{stft(x[0], {}, {.frame_step = 2, .frame_length = 4})}; }});
  const auto window = [&](const char* name,
                          Tensor (*f)(Graph&, int64_t, const SignalWindowOptions&, std::source_location)) {
    all.push_back({name, rows, [f](Graph& g, const In& x) {
                     return Out{x[0] * f(g, 5, {}, std::source_location::current())};
                   }});
  };
  window("hann_window", hann_window);
  window("hamming_window", hamming_window);
  window("onnx_ops::hamming_window", onnx_ops::hamming_window);
  window("blackman_window", blackman_window);
}

void add_quantization(std::vector<SizeCase>& all) {
  const auto scale = [](Graph& g) { return g.constant(HostTensor(Shape{}, std::vector<float>{0.1f})); };
  all.push_back({"quantize_linear", rows,
                 [=](Graph& g, const In& x) { return Out{quantize_linear(x[0], scale(g))}; }, false});
  all.push_back({"quantize_linear:blocks",
                 [](const Sizes& s) {
                   return std::vector<SizedInput>{{{s.batch, 2 * s.length}}, {{s.batch, s.length}}};
                 },
                 [](Graph&, const In& x) {
                   return Out{quantize_linear(x[0], x[1], {}, DType::u8, {.axis = 1, .block_size = 2})};
                 },
                 false});
  all.push_back(
      {"dequantize_linear",
       [](const Sizes& s) { return std::vector<SizedInput>{{{s.batch, s.length}, DType::u8, 0, 200}}; },
       [=](Graph& g, const In& x) { return Out{dequantize_linear(x[0], scale(g))}; }, false});
  all.push_back({"onnx_ops::dynamic_quantize_linear", rows,
                 [](Graph&, const In& x) {
                   const onnx_ops::DynamicallyQuantized q = onnx_ops::dynamic_quantize_linear(x[0]);
                   return Out{q.y, q.scale, q.zero_point};
                 },
                 false});
  all.push_back(
      {"fake_quantize", rows, [=](Graph& g, const In& x) { return Out{fake_quantize(x[0], scale(g))}; }});
  const auto bytes = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, s.length, 5}, DType::u8, 0, 200},
                                   {{s.batch, 5, s.length}, DType::u8, 0, 200}};
  };
  all.push_back({"onnx_ops::matmul_integer", bytes,
                 [](Graph&, const In& x) { return Out{onnx_ops::matmul_integer({x[0], {}}, {x[1], {}})}; },
                 false});
  all.push_back({"onnx_ops::qlinear_matmul", bytes,
                 [=](Graph& g, const In& x) {
                   const Tensor zero = g.constant(HostTensor({DType::u8, {}}));
                   return Out{onnx_ops::qlinear_matmul({x[0], zero}, scale(g), {x[1], zero}, scale(g),
                                                       {scale(g), zero})};
                 },
                 false});
  const auto byte_images = [](const Sizes& s) {
    return std::vector<SizedInput>{{{s.batch, 3, s.height, s.width}, DType::u8, 0, 200}};
  };
  const auto filter = [](Graph& g) { return g.constant(HostTensor({DType::u8, {2, 3, 2, 2}})) + 3; };
  all.push_back(
      {"onnx_ops::conv_integer", byte_images,
       [=](Graph& g, const In& x) { return Out{onnx_ops::conv_integer({x[0], {}}, {filter(g), {}})}; },
       false});
  all.push_back({"onnx_ops::qlinear_conv", byte_images,
                 [=](Graph& g, const In& x) {
                   const Tensor zero = g.constant(HostTensor({DType::u8, {}}));
                   return Out{onnx_ops::qlinear_conv({x[0], zero}, scale(g), {filter(g), zero}, scale(g),
                                                     {scale(g), zero})};
                 },
                 false});
}

}  // namespace

std::vector<SizeCase> size_cases_of_functions() {
  std::vector<SizeCase> all;
  add_of_elements(all);
  add_losses(all);
  add_attention(all);
  add_sequences(all);
  add_quantization(all);
  return all;
}

}  // namespace cutset

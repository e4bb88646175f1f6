// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/signal_windows.h>

#include <cmath>

#include "frontends/cpp/functional/signals/cosine_window.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

constexpr double kMaxWeights = 0x1p24;

double mel_of(double hertz) { return 2595 * std::log1p(hertz / 700) / std::log(10); }
double hertz_of(double mel) { return 700 * std::expm1(mel / 2595 * std::log(10)); }

}  // namespace

Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& o, Where source) {
  return cosine_window(graph, size, o, {25. / 46, -21. / 46}, source);
}

HostTensor mel_weight_matrix(const MelOptions& o, Where source) {
  const bool holds = o.mel_bins > 0 && o.dft_length > 0 && o.sample_rate > 0 && o.lower_edge >= 0 &&
                     o.lower_edge < o.upper_edge && o.upper_edge <= static_cast<double>(o.sample_rate) / 2 &&
                     is_dtype(o.dtype) && is_float(o.dtype);
  if (!holds)
    throw Error(ErrorCode::kInvalidArgument, "mel_weight_matrix has an option that is out of range",
                Error::line_of(source),
                "the sizes and the rate are positive, 0 <= lower_edge < upper_edge <= sample_rate / 2, and "
                "the type is a floating-point type");
  const int64_t bins = o.dft_length / 2 + 1;
  if (static_cast<double>(bins) * static_cast<double>(o.mel_bins) > kMaxWeights)
    throw Error(ErrorCode::kInvalidArgument, "mel_weight_matrix would have more than 2^24 weights",
                Error::line_of(source), "use a smaller dft_length or fewer bins");
  HostTensor weights({o.dtype, {bins, o.mel_bins}}, source);
  const double low = mel_of(o.lower_edge);
  const double step = (mel_of(o.upper_edge) - low) / static_cast<double>(o.mel_bins + 2);
  // Returns the frequency, as an index of the spectrum, at which filter i begins and filter i - 2 ends.
  const auto edge = [&](int64_t i) {
    const double hertz = hertz_of(low + step * static_cast<double>(i));
    return static_cast<int64_t>(
        std::floor(static_cast<double>(o.dft_length + 1) * hertz / static_cast<double>(o.sample_rate)));
  };
  for (int64_t i = 0; i < o.mel_bins; ++i) {
    const int64_t first = edge(i), middle = edge(i + 1), last = edge(i + 2);
    const auto set = [&](int64_t j, int64_t part, int64_t whole) {
      if (j < bins)
        weights.set(j * o.mel_bins + i, static_cast<double>(part) / static_cast<double>(whole), source);
    };
    if (first == middle) set(middle, 1, 1);
    for (int64_t j = first; j <= middle && first < middle; ++j) set(j, j - first, middle - first);
    for (int64_t j = middle; j < last; ++j) set(j, last - j, last - middle);
  }
  return weights;
}

}  // namespace cutset::onnx_ops

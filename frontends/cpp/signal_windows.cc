#include <cutset/constants.h>
#include <cutset/shapes.h>
#include <cutset/signal_windows.h>

#include <algorithm>
#include <cmath>

#include "frontends/cpp/turns.h"
#include "frontends/cpp/undo.h"

namespace cutset {
namespace {

using Where = std::source_location;

constexpr double kMaxWeights = 0x1p24;
constexpr int64_t kMaxSize = int64_t{1} << 30;

// The sum of factors[k] cos(2 pi i k / period) over k.
template <size_t kTerms>
Tensor sum_of_cosines(Graph& graph, int64_t size, const SignalWindowOptions& o, const double (&factors)[kTerms],
                      Where where) {
  if (size < 0 || size > kMaxSize || !is_dtype(o.dtype) || !is_float(o.dtype))
    throw Error(ErrorCode::kInvalidArgument, "a window has the size " + std::to_string(size), Error::line_of(where),
                "the size must be from 0 to 2^30, and the type a floating-point type");
  Undo undo(graph.state());
  const DType type = o.dtype == DType::f64 ? DType::f64 : DType::f32;
  const Tensor i = arange(graph, size, DType::i64, where);
  // The only element of a window that is not periodic is its middle, which is half of a period from its ends.
  const bool is_middle = !o.periodic && size == 1;
  const int64_t period = is_middle ? 2 : std::max<int64_t>(o.periodic ? size : size - 1, 1);
  const Tensor place = is_middle ? constant(graph, Number(1, where), DType::i64) : i;
  Tensor total;
  for (size_t k = 0; k < kTerms; ++k) {
    const auto number = [&](int64_t n) { return constant(i, Number(n, where)); };
    const Tensor step = mod(mul(place, number(static_cast<int64_t>(k)), where), number(period), where);
    const Tensor term = ops::scale(turns_of(step, period, type, where).cosine, {.factor = factors[k]}, where);
    total = total.defined() ? add(total, term, where) : term;
  }
  if (is_middle) total = broadcast_to(total, {1}, where);
  if (o.dtype != type) total = cast(total, {.dtype = o.dtype}, where);
  undo.keep();
  return total;
}

double mel_of(double hertz) { return 2595 * std::log1p(hertz / 700) / std::log(10); }
double hertz_of(double mel) { return 700 * std::expm1(mel / 2595 * std::log(10)); }

}  // namespace

Tensor hann_window(Graph& graph, int64_t size, const SignalWindowOptions& o, Where where) {
  return sum_of_cosines(graph, size, o, {0.5, -0.5}, where);
}
Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& o, Where where) {
  return sum_of_cosines(graph, size, o, {25. / 46, -21. / 46}, where);
}
Tensor blackman_window(Graph& graph, int64_t size, const SignalWindowOptions& o, Where where) {
  return sum_of_cosines(graph, size, o, {0.42, -0.5, 0.08}, where);
}

HostTensor mel_weight_matrix(const MelOptions& o, Where where) {
  const bool holds = o.mel_bins > 0 && o.dft_length > 0 && o.sample_rate > 0 && o.lower_edge >= 0 &&
                     o.lower_edge < o.upper_edge && o.upper_edge <= static_cast<double>(o.sample_rate) / 2 &&
                     is_dtype(o.dtype) && is_float(o.dtype);
  if (!holds)
    throw Error(
        ErrorCode::kInvalidArgument, "mel_weight_matrix has an option that is out of range", Error::line_of(where),
        "the sizes and the rate are positive, 0 <= lower_edge < upper_edge <= sample_rate / 2, and the type is a "
        "floating-point type");
  const int64_t bins = o.dft_length / 2 + 1;
  if (static_cast<double>(bins) * static_cast<double>(o.mel_bins) > kMaxWeights)
    throw Error(ErrorCode::kInvalidArgument, "mel_weight_matrix would have more than 2^24 weights",
                Error::line_of(where), "use a smaller dft_length or fewer bins");
  HostTensor weights({o.dtype, {bins, o.mel_bins}}, where);
  const double low = mel_of(o.lower_edge);
  const double step = (mel_of(o.upper_edge) - low) / static_cast<double>(o.mel_bins + 2);
  // The frequency, as an index of the spectrum, at which filter i begins and filter i - 2 ends.
  const auto edge = [&](int64_t i) {
    const double hertz = hertz_of(low + step * static_cast<double>(i));
    return static_cast<int64_t>(
        std::floor(static_cast<double>(o.dft_length + 1) * hertz / static_cast<double>(o.sample_rate)));
  };
  for (int64_t i = 0; i < o.mel_bins; ++i) {
    const int64_t first = edge(i), middle = edge(i + 1), last = edge(i + 2);
    const auto set = [&](int64_t j, int64_t part, int64_t whole) {
      if (j < bins) weights.set(j * o.mel_bins + i, static_cast<double>(part) / static_cast<double>(whole), where);
    };
    if (first == middle) set(middle, 1, 1);
    for (int64_t j = first; j <= middle && first < middle; ++j) set(j, j - first, middle - first);
    for (int64_t j = middle; j < last; ++j) set(j, last - j, last - middle);
  }
  return weights;
}

}  // namespace cutset

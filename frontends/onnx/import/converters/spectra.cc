// SPDX-License-Identifier: Apache-2.0
// Fourier transforms, windows of signals and mel filters.
#include <cutset/onnx_ops/signal_windows.h>
#include <cutset/ops.h>
#include <cutset/signal_windows.h>
#include <cutset/spectral.h>

#include <cmath>

#include "frontends/onnx/element_types.h"
#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

constexpr int64_t kMaxWindow = int64_t{1} << 24;

// The axis is an attribute before version 20, and an operand since.
Results transform(Node& n) {
  DftOptions o;
  o.axis = n.opset() < 20 ? n.number("axis", 1) : n.has(2) ? n.known_number(2) : -2;
  if (n.has(1)) o.length = n.known_number(1);
  o.inverse = n.number("inverse", 0) != 0;
  o.onesided = n.number("onesided", 0) != 0;
  return {dft(n.in(0), o)};
}

Results short_time_transform(Node& n) {
  StftOptions o;
  o.frame_step = n.known_number(1);
  if (n.has(3)) o.frame_length = n.known_number(3);
  o.onesided = n.number("onesided", 1) != 0;
  return {stft(n.in(0), n.optional(2), o)};
}

template <Tensor (*Function)(Graph&, int64_t, const SignalWindowOptions&, std::source_location)>
Results window(Node& n) {
  const int64_t size = n.known_number(0);
  if (size < 0 || size > kMaxWindow) invalid("the size is " + std::to_string(size));
  const SignalWindowOptions o{.periodic = n.number("periodic", 1) != 0,
                              .dtype = dtype_of_onnx(n.number("output_datatype", 1))};
  return {Function(n.graph(), size, o, std::source_location::current())};
}

Results mel_weights(Node& n) {
  const HostTensor &lower = n.known(3), &upper = n.known(4);
  if (lower.elements() != 1 || upper.elements() != 1) invalid("an edge is not a scalar");
  onnx_ops::MelOptions o;
  o.mel_bins = n.known_number(0);
  o.dft_length = n.known_number(1);
  o.sample_rate = n.known_number(2);
  o.lower_edge = lower.at(0);
  o.upper_edge = upper.at(0);
  o.dtype = dtype_of_onnx(n.number("output_datatype", 1));
  return {onnx_ops::mel_weight_matrix(o)};
}

}  // namespace

static void add_spectra(Converters& table) {
  table.insert({{"DFT", transform},
                {"STFT", short_time_transform},
                {"HannWindow", window<hann_window>},
                {"HammingWindow", window<onnx_ops::hamming_window>},
                {"BlackmanWindow", window<blackman_window>},
                {"MelWeightMatrix", mel_weights}});
}

static const ConverterFamily kSpectraConverters(add_spectra);

}  // namespace cutset::onnx

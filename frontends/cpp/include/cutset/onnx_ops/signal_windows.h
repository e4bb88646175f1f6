// SPDX-License-Identifier: Apache-2.0
// Windows of signals and mel filters of ONNX, for the spectra of <cutset/spectral.h>. All functions throw a
// cutset::Error with the line of the call if an operand or argument does not fit, and then add nothing to the
// graph.
#pragma once
#include <cutset/host_tensor.h>
#include <cutset/signal_windows.h>

#include <cstdint>
#include <source_location>

namespace cutset::onnx_ops {

// Returns cutset::hamming_window with the exact factors 25 / 46 and 21 / 46 instead of 0.54 and 0.46.
Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                      std::source_location source = std::source_location::current());

// The options of mel_weight_matrix.
struct MelOptions {
  int64_t mel_bins = 0;                   // must be given
  int64_t dft_length = 0;                 // of the transform whose frequencies are weighted; must be given
  int64_t sample_rate = 0;                // in hertz; must be given
  double lower_edge = 0, upper_edge = 0;  // in hertz: 0 <= lower_edge < upper_edge <= sample_rate / 2
  DType dtype = DType::f32;
};
// Returns the weights of triangular filters that are evenly spaced on the mel scale 2595 log10(1 + f / 700),
// [dft_length / 2 + 1, mel_bins]: a spectrum times this matrix is a mel spectrum. Throws if there are more
// than 2^24 weights.
HostTensor mel_weight_matrix(const MelOptions& options,
                             std::source_location source = std::source_location::current());

}  // namespace cutset::onnx_ops

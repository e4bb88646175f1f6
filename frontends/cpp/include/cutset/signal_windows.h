// SPDX-License-Identifier: Apache-2.0
// Windows of signals, for the spectra of <cutset/spectral.h>, with the meaning of PyTorch.
//
// All functions throw a cutset::Error with the line of the call if an option does not fit, and then add
// nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <source_location>

namespace cutset {

// The options of windows.
struct SignalWindowOptions {
  bool periodic = true;  // whether the period of the cosines is the size, as for spectra, or the size - 1
  DType dtype = DType::f32;
};
// Return windows of signals: 0.5 - 0.5 cos(a), 0.54 - 0.46 cos(a), and 0.42 - 0.5 cos(a) + 0.08 cos(2 a),
// where a is 2 pi i / period. A window of one element that is not periodic is 1.
Tensor hann_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                   std::source_location source = std::source_location::current());
Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                      std::source_location source = std::source_location::current());
Tensor blackman_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                       std::source_location source = std::source_location::current());

}  // namespace cutset

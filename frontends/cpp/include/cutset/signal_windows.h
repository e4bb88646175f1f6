// Windows of signals and mel filters, for the spectra of <cutset/spectral.h>, with the meaning of ONNX.
//
// All functions throw a cutset::Error with the line of the call if an option does not fit, and then add nothing to the graph.
#pragma once
#include <cutset/graph.h>
#include <cutset/host_tensor.h>

#include <cstdint>
#include <source_location>

namespace cutset {

// The options of windows.
struct SignalWindowOptions {
  bool periodic = true;  // whether the period of the cosines is the size, as for spectra, or the size - 1
  DType dtype = DType::f32;
};
// Windows of signals: 0.5 - 0.5 cos(a), 25 / 46 - 21 / 46 cos(a), and 0.42 - 0.5 cos(a) + 0.08 cos(2 a), where a is 2 pi i / period.
// A window of one element that is not periodic is 1.
Tensor hann_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                   std::source_location where = std::source_location::current());
Tensor hamming_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                      std::source_location where = std::source_location::current());
Tensor blackman_window(Graph& graph, int64_t size, const SignalWindowOptions& options = {},
                       std::source_location where = std::source_location::current());

// The options of mel_weight_matrix.
struct MelOptions {
  int64_t mel_bins = 0;                   // must be given
  int64_t dft_length = 0;                 // of the transform whose frequencies are weighted; must be given
  int64_t sample_rate = 0;                // in hertz; must be given
  double lower_edge = 0, upper_edge = 0;  // in hertz: 0 <= lower_edge < upper_edge <= sample_rate / 2
  DType dtype = DType::f32;
};
// The weights of triangular filters that are evenly spaced on the mel scale 2595 log10(1 + f / 700), [dft_length / 2 + 1, mel_bins]:
// a spectrum times this matrix is a mel spectrum. Throws if there are more than 2^24 weights.
HostTensor mel_weight_matrix(const MelOptions& options, std::source_location where = std::source_location::current());

}  // namespace cutset

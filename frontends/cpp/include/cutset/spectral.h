// SPDX-License-Identifier: Apache-2.0
// Discrete Fourier transforms, with the meaning of ONNX.
//
// The last dimension of a complex tensor has the size 2: the real and the imaginary part. The last dimension
// of a real tensor has the size 1. Transforms are composed of matrix products, so they have gradients. A
// transform of a length n1 n2 is composed of transforms of the lengths n1 and n2 (Cooley and Tukey, "An
// algorithm for the machine calculation of complex Fourier series", 1965). The angles are multiples of 2 pi /
// n that are reduced modulo n as integers. Their sines and cosines are computed in f64 while the graph is
// built.
//
// All functions throw a cutset::Error with the line of the call if an operand or an option does not fit, and
// then add nothing to the graph.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <source_location>

namespace cutset {

// The options of dft.
struct DftOptions {
  int64_t axis =
      -2;  // the dimension of the signal, which is not the last one; a negative axis counts from the end
  // The length n of the transform: the signal is cut or padded with zeros at its end. Default: the size of
  // the axis, or, for an inverse of half a spectrum, 2 (size - 1). At most 2^24, with prime factors of at
  // most 1021.
  std::optional<int64_t> length = {};
  bool inverse = false;  // the transform with positive angles, divided by n
  // Forward, of a real signal: only the first n / 2 + 1 frequencies are returned. Inverse: the operand is
  // these frequencies, and the result is the real signal.
  bool onesided = false;
};
// Returns the discrete Fourier transform of x along an axis: the sum over j of x[j] exp(-2 pi i j k / n), for
// each k. x is real or complex and has a floating-point type. The result is complex, or real for an inverse
// of half a spectrum.
Tensor dft(const Tensor& x, const DftOptions& options = {},
           std::source_location source = std::source_location::current());

// The options of stft.
struct StftOptions {
  int64_t frame_step = 0;    // the distance between the first elements of two frames; must be given
  int64_t frame_length = 0;  // 0: the size of the window, or the size of the signal if there is no window
  bool onesided = true;      // as in DftOptions
};
// Returns the short-time Fourier transform: the transforms of the frames of the signal, [batch, length, 1 or
// 2], times the window, a tensor [frame length] or empty. Frames that would end beyond the signal are left
// out. The result is [batch, frames, frequencies, 2].
Tensor stft(const Tensor& signal, const Tensor& window, const StftOptions& options,
            std::source_location source = std::source_location::current());

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// The weights of pixels in means of samples, whose number depends on the region that they are taken from.
#pragma once
#include <cutset/tensor.h>

#include <source_location>

namespace cutset {

// Returns the weight of each of the `size` pixels in the mean of the samples of each part, [r, elements,
// size].
// - Regions along one axis of images begin at `begin` and have the length `length`, in pixels, both [r, 1].
//   Each region is divided into `elements` equal parts.
// - A part has one sample per pixel of its length, rounded up. These n samples are in the middles of n equal
//   pieces.
// - A sample is a linear interpolation of two pixels. Up to one pixel outside of the image it is the pixel at
//   the border, and 0 beyond.
// - A part without samples has zeros, and a part whose length is NaN has NaN.
Tensor mean_sample_weights(const Tensor& begin, const Tensor& length, int64_t size, int64_t elements,
                           std::source_location source);

}  // namespace cutset

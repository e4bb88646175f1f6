// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the double of cuDNN.
#pragma once
#include <cstddef>

#include "backends/cuda/cudnn/plans.h"

namespace cutset::cuda::doubles {

// A convolution with the addresses of its tensors. `bias` is null if the convolution has none.
struct HostConvolution {
  Convolution convolution;
  float *x = nullptr, *filter = nullptr, *y = nullptr;
  const float* bias = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
};

// Computes y, x or the filter, depending on the direction. Fills the workspace with NaN before and after.
// Each sum is accumulated in f64 and rounded once.
void convolve(const HostConvolution& h);

}  // namespace cutset::cuda::doubles

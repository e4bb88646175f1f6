// SPDX-License-Identifier: Apache-2.0
// Local response normalization, whose neighbours PyTorch and ONNX choose differently.
#pragma once
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>

namespace cutset {

// The arguments of local_response_norm. `before` says how many of the `size` channels are before the channel
// that is divided.
struct ResponseNorm {
  int64_t size, before;
  double alpha, beta, bias;
};
// Returns the normalization of <cutset/normalizations.h>. Throws as local_response_norm does.
Tensor response_norm(const Tensor& x, const ResponseNorm& o, std::source_location source);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Depthwise convolutions: each channel of the result reads one channel of the image.
#pragma once
#include "backends/onednn/primitive.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::onednn {

// oneDNN's primitive needs images with blocks of channels, and the reorders take longer than the convolution.
// Here each thread copies one channel after the other into scratch memory, with zeros around it, so that
// every position of the filter is computed in the same way. The bits do not depend on the number of threads.
class Depthwise {
 public:
  // Whether the class can compute the convolution:
  // - Each group has one input and one output channel.
  // - The images have at most two axes.
  // - The stride along the last axis is 1 or 2.
  // - A padded channel has at most 2^18 elements.
  static bool fits(const ConvShape& s);
  // Prepares a convolution, for which fits() must be true. With `relu`, relu is applied to the result.
  Depthwise(const ConvShape& s, bool biased, bool relu) : s_(s), biased_(biased), relu_(relu) {}
  // Returns the bytes of scratch memory that one thread needs.
  uint64_t scratch_bytes() const { return static_cast<uint64_t>(scratch_elements()) * sizeof(float); }
  // Computes the convolution. `at` has the operands and the result of conv or fused_conv.
  void enqueue(cutset_queue queue, const abi::Operands& at);

 private:
  // Returns the number of elements of the padded channel and of its result in lines of the same length,
  // rounded up to a line of the cache.
  int64_t scratch_elements() const;

  ConvShape s_;
  bool biased_, relu_;
};

}  // namespace cutset::onednn

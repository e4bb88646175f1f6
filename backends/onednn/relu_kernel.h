// SPDX-License-Identifier: Apache-2.0
// Kernels whose primitives are followed by relu in place.
#pragma once
#include <algorithm>

#include "backends/onednn/primitive.h"

namespace cutset::onednn {

// A ChainKernel whose result 0 gets relu if `K::relu(problem)` is true. oneDNN can apply relu within a
// primitive, but that relu turns NaN into 0.
template <class K>
class ReluKernel : public ChainKernel<K> {
 public:
  ReluKernel(cutset_device device, const abi::Problem& p)
      : ChainKernel<K>(device, p),
        relu_(K::relu(p)),
        elements_(abi::type_of(p.tensor(p.inputs())).elements()) {}

  void enqueue(cutset_queue queue, const abi::Operands& at) {
    ChainKernel<K>::enqueue(queue, at);
    if (!relu_) return;
    auto* result = static_cast<float*>(abi::address(at.out[0]));
    parallel_for(queue, elements_, [&](int64_t first, int64_t last) {
#pragma omp simd
      for (int64_t i = first; i < last; ++i) result[i] = result[i] < 0 ? 0 : result[i];
    });
  }

 private:
  bool relu_;
  int64_t elements_;
};

}  // namespace cutset::onednn

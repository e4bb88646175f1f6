// SPDX-License-Identifier: Apache-2.0
// Kernels in which a library computes everything except relu. NVIDIA documents that cuDNN's relu turns
// infinity into the largest finite number, and cuBLASLt's relu may turn NaN into 0 (blas/epilogue.h). Our
// relu keeps both.
#pragma once
#include <memory>

#include "backends/portable/launches.h"

namespace cutset::cuda {

// The launch that replaces the negative elements of result 0 by 0, and keeps NaN.
struct ReluInPlace {
  static void build(portable::Launches& list, const abi::Problem& p) {
    static const char* const kSource = R"(
KERNEL(relu_in_place)(TENSOR(float, y), int n) {
  BIND(float, y);
  if (ITEM < n) y[ITEM] = y[ITEM] < 0 ? 0 : y[ITEM];
}
)";
    const int64_t n = abi::type_of(p.tensor(p.inputs())).elements();
    list.add_flat(kSource, "relu_in_place", n, {portable::out(0), n});
  }
};

// `Kernel` is the kernel of the library, which may refuse a problem, and `has_relu(problem)` tells whether
// relu follows.
template <class Kernel, bool (*has_relu)(const abi::Problem&)>
class ThenRelu {
 public:
  static constexpr bool kMayRefuse = true;
  static const char* identity(cutset_device device) { return Kernel::identity(device); }
  static std::string supports(const cutset_device_info& info, const abi::Problem& p) {
    return Kernel::supports(info, p);
  }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    return Kernel::scratch(info, p);
  }

  ThenRelu(cutset_device device, const abi::Problem& p)
      : relu_(has_relu(p) ? std::make_unique<Relu>(device, p) : nullptr), kernel_(device, p) {}
  uint64_t scratch_bytes() const { return kernel_.scratch_bytes(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    kernel_.enqueue(queue, at);
    if (relu_) relu_->enqueue(queue, at);
  }

 private:
  using Relu = portable::LaunchKernel<ReluInPlace>;
  // Is made before the kernel of the library, so that checks/compile_kernels.cc sees the source of relu
  // although the library refuses to work without a GPU.
  std::unique_ptr<Relu> relu_;
  Kernel kernel_;
};

}  // namespace cutset::cuda

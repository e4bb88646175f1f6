// SPDX-License-Identifier: Apache-2.0
// Matrix products by cuBLASLt.
#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "backends/cuda/blas/blas_api.h"
#include "backends/cuda/device.h"
#include "backends/portable/gemm.h"

namespace cutset::cuda {

// A product of backends/portable (gemm.h) that cuBLASLt computes on a GPU of the backend, in f32 and without
// TF32. cuBLASLt adds the bias in the same call.
class BlasMatmul {
 public:
  // Prepares a product with at most `most_workspace` bytes of workspace. Throws abi::Exception with
  // CUTSET_UNSUPPORTED and the reason if
  // - cuBLASLt is not installed or has no algorithm for the product,
  // - the product has a size of 0, sums over more than one part (q), has relu or a bias per row, or has
  //   strides that cuBLASLt does not know, or
  // - the device is null.
  static std::unique_ptr<BlasMatmul> make(cutset_device device, const portable::Gemm& g,
                                          uint64_t most_workspace);
  ~BlasMatmul();
  BlasMatmul(const BlasMatmul&) = delete;

  uint64_t workspace() const { return workspace_; }
  // Appends the product to a queue. `a`, `y`, `bias` and `c` are the addresses of the tensors and multiples
  // of kAlignment, and `workspace` is the address of workspace() bytes with the same alignment. `bias` is 0
  // if and only if the product has no bias. The bias is read when the stream runs the product. Any thread may
  // call this function, even while another call with other addresses runs. Throws abi::Exception.
  void enqueue(cutset_queue queue, Address a, Address y, Address bias, Address c, Address workspace) const;

 private:
  struct Handle;  // cuBLASLt's handle for a GPU
  BlasMatmul(const BlasApi& api, const portable::Gemm& g) : api_(&api), gemm_(g) {}
  static std::shared_ptr<Handle> open_shared(const BlasApi& api, const Device& device);
  void describe();
  void choose(uint64_t most_workspace);
  bool has_bias() const { return gemm_.bias != portable::Gemm::Bias::kNone; }
  BlasStatus set_bias(Address bias) const;

  const BlasApi* api_;
  portable::Gemm gemm_;
  std::shared_ptr<Handle> handle_ = {};  // is shared by all plans of the GPU
  BlasProduct product_ = nullptr;
  // Is held from the change of product_ until the call that reads it has returned, because product_ contains
  // the address of the bias.
  mutable std::mutex mutex_ = {};
  BlasLayout y_ = nullptr, a_ = nullptr, c_ = nullptr;
  BlasAlgorithm algorithm_ = {};
  uint64_t workspace_ = 0;
};

}  // namespace cutset::cuda

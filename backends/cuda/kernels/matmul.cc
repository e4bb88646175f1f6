// SPDX-License-Identifier: Apache-2.0
// The kernels of matmul and of fused_matmul. cuBLASLt computes the products. The launches of the backend
// compute the products that cuBLASLt refuses.
#include "backends/cuda/blas/matmul.h"

#include <algorithm>

#include "backends/cuda/blas/library.h"
#include "backends/cuda/language.h"
#include "backends/cuda/then_relu.h"
#include "ir/ops/fused_matmul/fused_matmul_product.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::cuda {
namespace {

// The description of a problem for the kernels of the two ops.
struct Plain {
  static MatmulAttrs product(const abi::Problem& p) { return p.attributes<MatmulAttrs>(); }
  static void set_epilogue(const abi::Problem&, Gemm&) {}
};
struct Fused {
  static MatmulAttrs product(const abi::Problem& p) { return product_of(p.attributes<FusedMatmulAttrs>()); }
  static void set_epilogue(const abi::Problem& p, Gemm& g) {
    g.bias = Gemm::Bias::kOfColumn;
    g.relu = p.attributes<FusedMatmulAttrs>().relu != 0;
  }
};

// The epilogue is the bias alone: a separate launch computes relu.
struct Biased {
  static MatmulAttrs product(const abi::Problem& p) { return Fused::product(p); }
  static void set_epilogue(const abi::Problem&, Gemm& g) { g.bias = Gemm::Bias::kOfColumn; }
};
bool has_relu(const abi::Problem& p) { return p.attributes<FusedMatmulAttrs>().relu != 0; }

template <class Op>
void for_each_gemm(const abi::Problem& p, const std::function<void(const Gemm&)>& add) {
  const MatmulAttrs a = Op::product(p);
  const MatmulShape s = *matmul_shape(p.in_shape(0), p.in_shape(1), a.transpose_x, a.transpose_y);
  for_each_product(p, a, [&](Gemm g) {
    g.y_row = s.y_row;
    g.y_column = s.y_column;
    Op::set_epilogue(p, g);
    add(g);
  });
}

template <class Op>
struct Matmul : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const bool has_bias = p.inputs() > 2;
    const Argument bias = in(has_bias ? 2 : 0);
    for_each_gemm<Op>(
        p, [&](const Gemm& g) { add_gemm(list, g, in(0), in(1), out(0), has_bias ? &bias : nullptr); });
  }
};

// Computes a product with cuBLASLt. `supports` and `scratch` depend on the problem alone, so they need
// neither a GPU nor cuBLASLt.
template <class Op>
class CublasltKernel {
 public:
  static constexpr bool kMayRefuse = true;
  static const char* identity(cutset_device device) { return of(device)->identity(blas_version()); }

  // Supports the problems that Matmul supports, because Matmul computes the problems that cuBLASLt refuses.
  static std::string supports(const cutset_device_info& info, const abi::Problem& p) {
    return LaunchKernel<Matmul<Op>>::supports(info, p);
  }
  // The products run one after the other and share the workspace.
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    uint64_t bytes = 0;
    for_each_gemm<Op>(p, [&](const Gemm& g) {
      if (2 * g.m * g.n * g.k >= kLargeProduct) bytes = kMostWorkspace;
    });
    return bytes;
  }

  CublasltKernel(cutset_device device, const abi::Problem& p) : has_bias_(p.inputs() > 2) {
    const uint64_t most = scratch({}, p);
    for_each_gemm<Op>(p, [&](const Gemm& g) { plans_.push_back(BlasMatmul::make(device, g, most)); });
  }

  uint64_t scratch_bytes() const {
    uint64_t bytes = 0;
    for (const auto& plan : plans_) bytes = std::max(bytes, plan->workspace());
    return bytes;
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    for (const auto& plan : plans_)
      plan->enqueue(queue, address(at.in[0]), address(at.in[1]), has_bias_ ? address(at.in[2]) : 0,
                    address(at.out[0]), plan->workspace() ? address(*at.scratch) : 0);
  }

 private:
  static constexpr int64_t kLargeProduct = 1 << 20;     // operations; smaller products get no workspace
  static constexpr uint64_t kMostWorkspace = 32 << 20;  // bytes

  bool has_bias_;
  std::vector<std::unique_ptr<BlasMatmul>> plans_ = {};
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) {
  portable::add_kernel<CublasltKernel<Plain>>(kernels, "matmul", "matmul.cublaslt");
  portable::add_kernel<ThenRelu<CublasltKernel<Biased>, has_relu>>(kernels, "fused_matmul",
                                                                   "fused_matmul.cublaslt");
  portable::add_kernel<Matmul<Plain>>(kernels, "matmul");
  portable::add_kernel<Matmul<Fused>>(kernels, "fused_matmul");
}

}  // namespace cutset::cuda

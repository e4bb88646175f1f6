// The two kernels of matmul: products by cuBLASLt, and launches of our own where cuBLASLt refuses.
#include "backends/cuda/blas/matmul.h"

#include <algorithm>

#include "backends/cuda/blas/library.h"
#include "backends/cuda/language.h"
#include "ir/ops/matmul/matmul_attrs.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::cuda {
namespace {

void for_each_gemm(const abi::Problem& p, const std::function<void(const Gemm&)>& add) {
  const auto& a = p.attributes<MatmulAttrs>();
  const MatmulShape s = *matmul_shape(p.in_shape(0), p.in_shape(1), a.transpose_x, a.transpose_y);
  for_each_product(p, [&](Gemm g) {
    g.y_row = s.y_row, g.y_column = s.y_column;
    add(g);
  });
}

struct Matmul {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    for_each_gemm(p, [&](const Gemm& g) { add_gemm(list, g, in(0), in(1), out(0)); });
  }
};

// Computes a matmul by cuBLASLt. `supports` and `scratch` depend on the problem alone, so they need neither a GPU nor
// cuBLASLt.
class CublasltKernel {
 public:
  static constexpr bool kMayRefuse = true;
  static const char* identity(cutset_device device) { return of(device)->identity(blas_version()); }

  // The kernel below computes what this one refuses, so this one supports no more.
  static std::string supports(const cutset_device_info& info, const abi::Problem& p) {
    return LaunchKernel<Matmul>::supports(info, p);
  }
  // The products run one after the other and share the workspace.
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    uint64_t bytes = 0;
    for_each_gemm(p, [&](const Gemm& g) {
      if (2 * g.m * g.n * g.k >= kLargeProduct) bytes = kMostWorkspace;
    });
    return bytes;
  }

  CublasltKernel(cutset_device device, const abi::Problem& p) {
    const uint64_t most = scratch({}, p);
    for_each_gemm(p, [&](const Gemm& g) { plans_.push_back(BlasMatmul::make(device, g, most)); });
  }

  uint64_t scratch_bytes() const {
    uint64_t bytes = 0;
    for (const auto& plan : plans_) bytes = std::max(bytes, plan->workspace());
    return bytes;
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    for (const auto& plan : plans_)
      plan->enqueue(queue, address(at.in[0]), address(at.in[1]), 0, address(at.out[0]),
                    plan->workspace() ? address(*at.scratch) : 0);
  }

 private:
  static constexpr int64_t kLargeProduct = 1 << 20;     // operations from which on workspace is reserved
  static constexpr uint64_t kMostWorkspace = 32 << 20;  // bytes

  std::vector<std::unique_ptr<BlasMatmul>> plans_;
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) {
  kernels.add<CublasltKernel>("matmul", "matmul.cublaslt");
  portable::add_kernel<Matmul>(kernels, "matmul");
}

}  // namespace cutset::cuda

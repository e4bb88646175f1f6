// The two kernels of matmul: products by cuBLASLt, and launches of our own.
#include "backends/cuda/blas/matmul.h"

#include <algorithm>

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

// Computes a matmul by cuBLASLt. Where cuBLASLt refuses, the kernel runs the launches of `Matmul` instead. `supports`
// and `scratch` depend on the problem alone, so they need neither a GPU nor cuBLASLt.
class BlasKernel {
 public:
  using Own = LaunchKernel<Matmul>;

  static std::string supports(const cutset_device_info& info, const abi::Problem& p) { return Own::supports(info, p); }
  // The products run one after the other and share the workspace.
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    uint64_t bytes = 0;
    for_each_gemm(p, [&](const Gemm& g) {
      if (2 * g.m * g.n * g.k >= kLargeProduct) bytes = kMostWorkspace;
    });
    return bytes;
  }

  BlasKernel(cutset_device device, const abi::Problem& p) {
    const uint64_t most = scratch({}, p);
    for_each_gemm(p, [&](const Gemm& g) {
      if (!refusal_.empty()) return;
      if (auto plan = BlasMatmul::make(device, g, most, &refusal_)) plans_.push_back(std::move(plan));
    });
    if (refusal_.empty()) return;
    plans_.clear();
    own_ = std::make_unique<Own>(device, p);
  }

  uint64_t scratch_bytes() const {
    if (own_) return own_->scratch_bytes();
    uint64_t bytes = 0;
    for (const auto& plan : plans_) bytes = std::max(bytes, plan->workspace());
    return bytes;
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    if (own_) return own_->enqueue(queue, at);
    for (const auto& plan : plans_)
      plan->enqueue(queue, address(at.in[0]), address(at.in[1]), address(at.out[0]),
                    plan->workspace() ? address(*at.scratch) : 0);
  }
  // Why cuBLASLt does not compute the problem; empty if it does.
  const std::string& refusal() const { return refusal_; }

 private:
  static constexpr int64_t kLargeProduct = 1 << 20;     // operations from which on workspace is reserved
  static constexpr uint64_t kMostWorkspace = 32 << 20;  // bytes

  std::string refusal_;
  std::vector<std::unique_ptr<BlasMatmul>> plans_;
  std::unique_ptr<Own> own_;  // null if there are plans
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) { kernels.add<BlasKernel>("matmul", "matmul.cublaslt_or_cuda"); }

}  // namespace cutset::cuda

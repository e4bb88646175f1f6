// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/blas/matmul.h"

#include <optional>

#include "backends/cuda/blas/epilogue.h"
#include "backends/cuda/blas/library.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/shared_by_device.h"

namespace cutset::cuda {
namespace {

constexpr int kMostAlgorithms = 8;  // the most algorithms that are requested; the fastest comes first

// Throws the error that makes the host compute the product with another kernel.
[[noreturn]] void refuse(const std::string& why) { throw abi::Exception(CUTSET_UNSUPPORTED, why); }

std::string failure(const BlasApi& api, BlasStatus status, const char* function) {
  const char* name = api.status_name(status);
  return std::string("cuBLASLt's function ") + function +
         " failed: " + (name ? name : "error " + std::to_string(static_cast<int>(status)));
}
void require(const BlasApi& api, BlasStatus status, const char* function) {
  if (status != BlasStatus::kSuccess) refuse(failure(api, status, function));
}

// A matrix as cuBLASLt reads it: stored by columns, which are `leading` elements apart, and then transposed
// if `operation` is kBlasTransposed.
struct Stored {
  int64_t rows, columns, leading;
  int32_t operation;
};
// Describes a matrix whose element (i, j) has the index i * row_stride + j * column_stride. Throws if no
// dimension is contiguous, or if the columns would overlap, which cuBLASLt does not notice.
Stored stored(const char* name, int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride) {
  if (row_stride == 1 && column_stride >= rows) return {rows, columns, column_stride, kBlasAsStored};
  if (column_stride == 1 && row_stride >= columns) return {columns, rows, row_stride, kBlasTransposed};
  refuse(std::string("the matrix ") + name + " has the strides " + std::to_string(row_stride) + " and " +
         std::to_string(column_stride) + ", which cuBLASLt does not support");
}

template <class Value>
void set(const BlasApi& api, BlasProduct product, BlasProductAttribute attribute, Value value) {
  require(api, api.set_product(product, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}
void make_layout(const BlasApi& api, BlasLayout* layout, const Stored& s, int64_t batch,
                 int64_t batch_stride) {
  require(api,
          api.make_layout(layout, kBlasFloat, static_cast<uint64_t>(s.rows), static_cast<uint64_t>(s.columns),
                          s.leading),
          "cublasLtMatrixLayoutCreate");
  const auto count = static_cast<int32_t>(batch);
  require(api, api.set_layout(*layout, BlasLayoutAttribute::kBatchCount, &count, sizeof count),
          "cublasLtMatrixLayoutSetAttribute");
  require(api, api.set_layout(*layout, BlasLayoutAttribute::kBatchStride, &batch_stride, sizeof batch_stride),
          "cublasLtMatrixLayoutSetAttribute");
}

// Returns the largest power of two that divides the address of element `index` of every tensor, at most
// kAlignment.
uint32_t alignment_of(int64_t index) {
  uint32_t bytes = kAlignment;
  while (static_cast<uint64_t>(index) * sizeof(float) % bytes != 0) bytes /= 2;
  return bytes;
}
void* element(Address tensor, int64_t index) {
  return reinterpret_cast<void*>(tensor + static_cast<uint64_t>(index) * sizeof(float));
}

}  // namespace

// The context of the device is current when a handle is made.
struct BlasMatmul::Handle {
  const BlasApi& api;
  const Device& device;
  BlasHandle opened = nullptr;

  Handle(const BlasApi& a, const Device& d) : api(a), device(d) {
    require(api, api.create(&opened), "cublasLtCreate");
  }
  // An error of the driver is reported by the next call that can fail.
  ~Handle() {
    [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
      const Current current(device);
      api.release(opened);
    });
  }
  Handle(const Handle&) = delete;
};

// Returns the handle of a GPU, which lives as long as a plan uses it. The context of the device is current.
std::shared_ptr<BlasMatmul::Handle> BlasMatmul::open_shared(const BlasApi& api, const Device& device) {
  static SharedByDevice<Handle> handles;
  return handles.get(device, [&] { return std::make_shared<Handle>(api, device); });
}

// The rows of c are contiguous, and cuBLASLt stores matrices by columns. It therefore computes the transposed
// product c^T = y^T a^T: its first operand is y^T, and its second operand is a^T.
void BlasMatmul::describe() {
  const portable::Gemm& g = gemm_;
  const BlasApi& api = *api_;
  const Stored y = stored("y", g.n, g.k, g.y_column, g.y_row);
  const Stored a = stored("a", g.k, g.m, g.a_column, g.a_row);
  const Stored c = stored("c", g.n, g.m, 1, g.c_row);
  require(api, api.make_product(&product_, kBlasComputeFloat, kBlasFloat), "cublasLtMatmulDescCreate");
  set(api, product_, BlasProductAttribute::kTransposeA, y.operation);
  set(api, product_, BlasProductAttribute::kTransposeB, a.operation);
  set(api, product_, BlasProductAttribute::kEpilogue, epilogue_of(g));
  // The choice of an algorithm reads the alignment of this address. It does not read the memory.
  if (has_bias()) require(api, set_bias(kAlignment), "cublasLtMatmulDescSetAttribute");
  make_layout(api, &y_, y, g.batch, g.y_batch);
  make_layout(api, &a_, a, g.batch, g.a_batch);
  make_layout(api, &c_, c, g.batch, g.c_batch);
}

BlasStatus BlasMatmul::set_bias(Address bias) const {
  const void* const at = element(bias, 0);
  return api_->set_product(product_, BlasProductAttribute::kBias, &at, sizeof at);
}

void BlasMatmul::choose(uint64_t most_workspace) {
  const BlasApi& api = *api_;
  BlasPreference preference = nullptr;
  require(api, api.make_preference(&preference), "cublasLtMatmulPreferenceCreate");
  const auto release = [&](BlasPreference p) { api.release_preference(p); };
  const std::unique_ptr<BlasPreference_t, decltype(release)> owner(preference, release);
  const auto prefer = [&](BlasPreferenceAttribute attribute, auto value) {
    require(api, api.set_preference(preference, attribute, &value, sizeof value),
            "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(BlasPreferenceAttribute::kMostWorkspace, most_workspace);
  prefer(BlasPreferenceAttribute::kAlignmentA, alignment_of(gemm_.y_offset));
  prefer(BlasPreferenceAttribute::kAlignmentB, alignment_of(gemm_.a_offset));
  prefer(BlasPreferenceAttribute::kAlignmentC, alignment_of(gemm_.c_offset));
  prefer(BlasPreferenceAttribute::kAlignmentD, alignment_of(gemm_.c_offset));
  BlasHeuristicResult found[kMostAlgorithms] = {};
  int count = 0;
  require(api,
          api.find_algorithms(handle_->opened, product_, y_, a_, c_, c_, preference, kMostAlgorithms, found,
                              &count),
          "cublasLtMatmulAlgoGetHeuristic");
  for (int i = 0; i < count; ++i) {
    if (found[i].status != BlasStatus::kSuccess || found[i].workspace > most_workspace) continue;
    algorithm_ = found[i].algorithm;
    workspace_ = found[i].workspace;
    return;
  }
  refuse("cuBLASLt has no algorithm for the product");
}

std::unique_ptr<BlasMatmul> BlasMatmul::make(cutset_device device, const portable::Gemm& g,
                                             uint64_t most_workspace) {
  if (!device) refuse("there is no device");
  if (g.batch == 0 || g.m == 0 || g.n == 0 || g.k == 0) refuse("the product has a size of 0");
  if (g.q != 1) refuse("the product is a sum of several parts");
  std::string why;
  const BlasApi* api = open_blas(&why);
  if (!api) refuse(why);
  const Current current(*of(device));
  std::unique_ptr<BlasMatmul> product(new BlasMatmul(*api, g));
  product->handle_ = open_shared(*api, *of(device));
  product->describe();
  product->choose(most_workspace);
  return product;
}

BlasMatmul::~BlasMatmul() {
  for (BlasLayout layout : {y_, a_, c_})
    if (layout) api_->release_layout(layout);
  if (product_) api_->release_product(product_);
}

void BlasMatmul::enqueue(cutset_queue queue, Address a, Address y, Address bias, Address c,
                         Address workspace) const {
  of(queue)->submit([this, a, y, bias, c, workspace](Stream stream) {
    const auto expect = [&](BlasStatus status, const char* function) {
      if (status != BlasStatus::kSuccess)
        throw abi::Exception(CUTSET_FAILED, failure(*api_, status, function));
    };
    std::unique_lock lock(mutex_, std::defer_lock);
    if (has_bias()) {
      lock.lock();
      expect(set_bias(bias), "cublasLtMatmulDescSetAttribute");
    }
    const float one = 1, zero = 0;
    void* const result = element(c, gemm_.c_offset);
    expect(api_->multiply(handle_->opened, product_, &one, element(y, gemm_.y_offset), y_,
                          element(a, gemm_.a_offset), a_, &zero, result, c_, result, c_, &algorithm_,
                          reinterpret_cast<void*>(workspace), workspace_, stream),
           "cublasLtMatmul");
  });
}

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
// A library that stands in for NVIDIA's cuBLASLt in tests. Products run on the CPU, as commands of the driver
// double's streams. The library finds the driver double in the file that the environment variable
// CUTSET_CUDA_DRIVER names.
//
// The double refuses calls that NVIDIA documents as illegal, and some calls whose effect NVIDIA leaves open:
// - leading dimensions below the number of rows,
// - results that overlap,
// - pointers with a smaller alignment than the algorithm was chosen for,
// - an algorithm that was chosen for other sizes or another epilogue,
// - a product without an algorithm, and
// - a bias whose address is null when an algorithm is chosen or a product is enqueued.
//
// Environment variables of the driver double that also hold for this library:
// - CUTSET_CUDA_DOUBLE_FAULTS: calls that fail (fault_requests.h), with the names and status numbers of
//   cuBLASLt.
// - CUTSET_CUDA_DOUBLE_REPORT: with 1, the process prints at its end how many products were enqueued, and
//   which objects were not released.
#include <algorithm>
#include <cstring>

#include "tests/cuda/libraries/blas_state.h"

namespace cutset::cuda {

using namespace doubles;

namespace {

constexpr size_t kVersion = 130100;
constexpr size_t kWorkspace = 1 << 20;       // the workspace of the algorithm, if the preference allows it
constexpr size_t kWorkspaceAlignment = 16;   // cuBLAS documentation, "cublasLtMatmul()"
constexpr uint32_t kAlgorithm = 0x63757462;  // marks an algorithm of this library

void check_layout(BlasLayout layout) {
  require(state().layouts.contains(layout), BlasStatus::kInvalidValue);
  require(layout->type == kBlasFloat, BlasStatus::kNotSupported);
  require(layout->order == kBlasColumnMajor || layout->order == kBlasRowMajor, BlasStatus::kNotSupported);
  const uint64_t contiguous = layout->order == kBlasColumnMajor ? layout->rows : layout->columns;
  require(layout->rows > 0 && layout->columns > 0 && layout->batch > 0 && layout->leading > 0 &&
              static_cast<uint64_t>(layout->leading) >= contiguous,
          BlasStatus::kInvalidValue);
}
// Refuses a result whose matrices overlap.
void check_result(const BlasLayout_t& layout) {
  const bool by_columns = layout.order == kBlasColumnMajor;
  const auto lines = static_cast<int64_t>(by_columns ? layout.columns : layout.rows);
  const auto length = static_cast<int64_t>(by_columns ? layout.rows : layout.columns);
  require(layout.batch == 1 || layout.batch_stride >= (lines - 1) * layout.leading + length,
          BlasStatus::kInvalidValue);
}
MatrixStrides strides_of(const BlasLayout_t& layout, int32_t transpose = kBlasAsStored) {
  MatrixStrides s{.row_stride = 1, .column_stride = layout.leading, .batch_stride = layout.batch_stride};
  if ((layout.order == kBlasRowMajor) != (transpose != kBlasAsStored))
    std::swap(s.row_stride, s.column_stride);
  return s;
}

// Checks the descriptors of a product and returns its sizes and strides.
HostProduct describe(BlasHandle handle, BlasProduct product, BlasLayout a, BlasLayout b, BlasLayout c,
                     BlasLayout d) {
  require(state().handles.contains(handle), BlasStatus::kNotInitialized);
  require(state().products.contains(product), BlasStatus::kInvalidValue);
  require(product->compute_type == kBlasComputeFloat && product->scale_type == kBlasFloat,
          BlasStatus::kNotSupported);
  for (BlasLayout layout : {a, b, c, d}) check_layout(layout);
  const bool swap_a = product->transpose_a != kBlasAsStored, swap_b = product->transpose_b != kBlasAsStored;
  const uint64_t m = swap_a ? a->columns : a->rows, k = swap_a ? a->rows : a->columns;
  const uint64_t n = swap_b ? b->rows : b->columns;
  require((swap_b ? b->columns : b->rows) == k, BlasStatus::kInvalidValue);
  for (BlasLayout layout : {c, d})
    require(layout->rows == m && layout->columns == n && layout->order == d->order,
            BlasStatus::kInvalidValue);
  for (BlasLayout layout : {a, b, c}) require(layout->batch == d->batch, BlasStatus::kInvalidValue);
  check_result(*d);
  require(!product->has_bias() || product->bias, BlasStatus::kInvalidValue);
  return {.batch = d->batch,
          .m = static_cast<int64_t>(m),
          .n = static_cast<int64_t>(n),
          .k = static_cast<int64_t>(k),
          .a_strides = strides_of(*a, product->transpose_a),
          .b_strides = strides_of(*b, product->transpose_b),
          .c_strides = strides_of(*c),
          .d_strides = strides_of(*d)};
}

// The contents of an algorithm.
struct Chosen {
  uint32_t mark;
  uint16_t epilogue, bias_alignment;
  uint64_t workspace;
  int64_t batch, m, n, k;
  uint32_t alignment[4];
};
static_assert(sizeof(Chosen) == sizeof(BlasAlgorithm));

bool is_aligned(const void* at, size_t bytes) { return reinterpret_cast<uintptr_t>(at) % bytes == 0; }
// Returns the largest power of two that divides the address of a bias, at most the default alignment of the
// other operands.
uint16_t alignment_of(const void* at) {
  uint16_t bytes = 256;
  while (!is_aligned(at, bytes)) bytes /= 2;
  return bytes;
}

}  // namespace

CUTSET_BLAS_EXPORT size_t cublasLtGetVersion() { return kVersion; }
CUTSET_BLAS_EXPORT const char* cublasLtGetStatusName(BlasStatus status) {
  switch (status) {
    case BlasStatus::kSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case BlasStatus::kNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case BlasStatus::kAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case BlasStatus::kInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case BlasStatus::kExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case BlasStatus::kNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}

// Returns one algorithm.
CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmulAlgoGetHeuristic(BlasHandle handle, BlasProduct product,
                                                             BlasLayout a, BlasLayout b, BlasLayout c,
                                                             BlasLayout d, BlasPreference preference,
                                                             int most, BlasHeuristicResult* found,
                                                             int* count) {
  return blas_call("cublasLtMatmulAlgoGetHeuristic", [&] {
    require(most > 0 && found && count && state().preferences.contains(preference),
            BlasStatus::kInvalidValue);
    *count = 0;
    const HostProduct p = describe(handle, product, a, b, c, d);
    Chosen chosen = {.mark = kAlgorithm,
                     .epilogue = static_cast<uint16_t>(product->epilogue),
                     .bias_alignment = alignment_of(product->bias),
                     .workspace = preference->most_workspace < kWorkspace ? 0 : kWorkspace,
                     .batch = p.batch,
                     .m = p.m,
                     .n = p.n,
                     .k = p.k,
                     .alignment = {}};
    std::copy_n(preference->alignment, 4, chosen.alignment);
    for (uint32_t bytes : chosen.alignment) require(bytes >= sizeof(float), BlasStatus::kNotSupported);
    *found = {.workspace = chosen.workspace, .status = BlasStatus::kSuccess, .waves = 1};
    std::memcpy(&found->algorithm, &chosen, sizeof chosen);
    *count = 1;
  });
}

CUTSET_BLAS_EXPORT BlasStatus cublasLtMatmul(BlasHandle handle, BlasProduct product, const void* alpha,
                                             const void* a, BlasLayout a_layout, const void* b,
                                             BlasLayout b_layout, const void* beta, const void* c,
                                             BlasLayout c_layout, void* d, BlasLayout d_layout,
                                             const BlasAlgorithm* algorithm, void* workspace,
                                             size_t workspace_bytes, Stream stream) {
  return blas_call("cublasLtMatmul", [&] {
    HostProduct p = describe(handle, product, a_layout, b_layout, c_layout, d_layout);
    require(alpha && beta && a && b && c && d, BlasStatus::kInvalidValue);
    require(algorithm, BlasStatus::kNotSupported);
    Chosen chosen;
    std::memcpy(&chosen, algorithm, sizeof chosen);
    require(chosen.mark == kAlgorithm && chosen.batch == p.batch && chosen.m == p.m && chosen.n == p.n &&
                chosen.k == p.k && chosen.epilogue == static_cast<uint16_t>(product->epilogue) &&
                workspace_bytes >= chosen.workspace,
            BlasStatus::kInvalidValue);
    require(workspace_bytes == 0 || (workspace && is_aligned(workspace, kWorkspaceAlignment)),
            BlasStatus::kInvalidValue);
    const void* const operands[4] = {a, b, c, d};
    for (size_t i = 0; i < 4; ++i)
      require(is_aligned(operands[i], chosen.alignment[i]), BlasStatus::kInvalidValue);
    if (product->has_bias()) {
      require(is_aligned(product->bias, chosen.bias_alignment), BlasStatus::kInvalidValue);
      p.bias = static_cast<const float*>(product->bias);
    }
    std::memcpy(&p.alpha, alpha, sizeof p.alpha);
    std::memcpy(&p.beta, beta, sizeof p.beta);
    p.a = static_cast<const float*>(a);
    p.b = static_cast<const float*>(b);
    p.c = static_cast<const float*>(c);
    p.d = static_cast<float*>(d);
    p.workspace = workspace;
    p.workspace_bytes = workspace_bytes;
    state().enqueued.push_back(p);
    const auto run = [](void* data) { multiply(*static_cast<const HostProduct*>(data)); };
    require(driver().launch_host(stream, run, &state().enqueued.back()) == kSuccess,
            BlasStatus::kExecutionFailed);
  });
}

}  // namespace cutset::cuda

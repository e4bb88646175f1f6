// SPDX-License-Identifier: Apache-2.0
// Compares the declarations of blas_api.h with <cublasLt.h>. This file is compiled where the header is
// installed; it contains no code that runs.
#include <cublasLt.h>

#include <cstddef>

#include "backends/cuda/blas/blas_api.h"
#include "tests/cuda/checks/same_signature.h"

namespace cutset::cuda {
namespace {

#define CUTSET_CUDA_COMPARE(result, member, symbol, parameters) \
  static_assert(Same<decltype(BlasApi::member), decltype(&::symbol)>::value, "the declaration of " #symbol);
CUTSET_CUDA_BLAS_FUNCTIONS(CUTSET_CUDA_COMPARE)
#undef CUTSET_CUDA_COMPARE

static_assert(sizeof(BlasAlgorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(BlasHeuristicResult) == sizeof(cublasLtMatmulHeuristicResult_t) &&
              offsetof(BlasHeuristicResult, algorithm) == offsetof(cublasLtMatmulHeuristicResult_t, algo) &&
              offsetof(BlasHeuristicResult, workspace) ==
                  offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize) &&
              offsetof(BlasHeuristicResult, status) == offsetof(cublasLtMatmulHeuristicResult_t, state) &&
              offsetof(BlasHeuristicResult, waves) == offsetof(cublasLtMatmulHeuristicResult_t, wavesCount));

template <class A, class B>
constexpr bool is(A ours, B theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(BlasStatus::kSuccess, CUBLAS_STATUS_SUCCESS) &&
              is(BlasStatus::kNotInitialized, CUBLAS_STATUS_NOT_INITIALIZED) &&
              is(BlasStatus::kAllocFailed, CUBLAS_STATUS_ALLOC_FAILED) &&
              is(BlasStatus::kInvalidValue, CUBLAS_STATUS_INVALID_VALUE) &&
              is(BlasStatus::kExecutionFailed, CUBLAS_STATUS_EXECUTION_FAILED) &&
              is(BlasStatus::kNotSupported, CUBLAS_STATUS_NOT_SUPPORTED));
static_assert(is(kBlasFloat, CUDA_R_32F) && is(kBlasComputeFloat, CUBLAS_COMPUTE_32F) &&
              is(kBlasAsStored, CUBLAS_OP_N) && is(kBlasTransposed, CUBLAS_OP_T) &&
              is(kBlasColumnMajor, CUBLASLT_ORDER_COL) && is(kBlasRowMajor, CUBLASLT_ORDER_ROW));
static_assert(is(BlasProductAttribute::kTransposeA, CUBLASLT_MATMUL_DESC_TRANSA) &&
              is(BlasProductAttribute::kTransposeB, CUBLASLT_MATMUL_DESC_TRANSB) &&
              is(BlasProductAttribute::kEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE) &&
              is(BlasProductAttribute::kBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER));
static_assert(is(BlasEpilogue::kNone, CUBLASLT_EPILOGUE_DEFAULT) &&
              is(BlasEpilogue::kBias, CUBLASLT_EPILOGUE_BIAS));
static_assert(is(BlasLayoutAttribute::kOrder, CUBLASLT_MATRIX_LAYOUT_ORDER) &&
              is(BlasLayoutAttribute::kBatchCount, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) &&
              is(BlasLayoutAttribute::kBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
static_assert(is(BlasPreferenceAttribute::kMostWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) &&
              is(BlasPreferenceAttribute::kAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES) &&
              is(BlasPreferenceAttribute::kAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES) &&
              is(BlasPreferenceAttribute::kAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES) &&
              is(BlasPreferenceAttribute::kAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES));

}  // namespace
}  // namespace cutset::cuda

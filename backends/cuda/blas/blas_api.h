// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA's cuBLASLt that this backend uses: types, constants and the signatures of functions.
// They are declared here because the library is opened at run time (library.h), and because the backend is
// built and tested on machines without NVIDIA's headers. The cuBLAS documentation, "Using the cuBLASLt API",
// describes each name. tests/cuda/checks/blas_declarations.cc compares the declarations with <cublasLt.h>
// where that header is installed.
#pragma once
#include <cstddef>
#include <cstdint>

#include "backends/cuda/driver_api.h"

namespace cutset::cuda {

enum class BlasStatus : int {  // cublasStatus_t
  kSuccess = 0,
  kNotInitialized = 1,
  kAllocFailed = 3,
  kInvalidValue = 7,
  kExecutionFailed = 13,
  kNotSupported = 15,
};
// A handle is bound to a GPU. Several threads can use it at the same time.
using BlasHandle = struct BlasHandle_t*;          // cublasLtHandle_t
using BlasProduct = struct BlasProduct_t*;        // cublasLtMatmulDesc_t
using BlasLayout = struct BlasLayout_t*;          // cublasLtMatrixLayout_t
using BlasPreference = struct BlasPreference_t*;  // cublasLtMatmulPreference_t

struct BlasAlgorithm {  // cublasLtMatmulAlgo_t
  uint64_t data[8];
};
struct BlasHeuristicResult {  // cublasLtMatmulHeuristicResult_t
  BlasAlgorithm algorithm;
  size_t workspace;   // in bytes
  BlasStatus status;  // The members above are valid only if it is kSuccess.
  float waves;
  int reserved[4];
};

inline constexpr int kBlasFloat = 0;  // CUDA_R_32F of cudaDataType
inline constexpr int kBlasComputeFloat =
    68;  // CUBLAS_COMPUTE_32F: f32 without tensor cores that round to TF32
// cublasOperation_t
inline constexpr int32_t kBlasAsStored = 0;
inline constexpr int32_t kBlasTransposed = 1;
// cublasLtOrder_t
inline constexpr int32_t kBlasColumnMajor = 0;
inline constexpr int32_t kBlasRowMajor = 1;
// The operation on a result before it is stored. The bias is a vector with one element per row of the result.
// All matrices of a batch have the same bias.
enum class BlasEpilogue : uint32_t { kNone = 1, kBias = 4 };  // cublasLtEpilogue_t

// The attributes, with the types of their values.
enum class BlasProductAttribute : int {  // cublasLtMatmulDescAttributes_t
  kTransposeA = 3,                       // int32_t, by default kBlasAsStored
  kTransposeB = 4,                       // int32_t, by default kBlasAsStored
  kEpilogue = 7,                         // BlasEpilogue, by default kNone
  // const void*, by default null: the address of the bias. An algorithm is chosen for the alignment of this
  // address. The bias is not read before the product runs.
  kBias = 8,
};
enum class BlasLayoutAttribute : int {  // cublasLtMatrixLayoutAttribute_t
  kOrder = 1,                           // int32_t, by default kBlasColumnMajor
  kBatchCount = 5,                      // int32_t, by default 1
  kBatchStride = 6,                     // int64_t, in elements, by default 0
};
enum class BlasPreferenceAttribute : int {  // cublasLtMatmulPreferenceAttributes_t
  kMostWorkspace = 1,                       // uint64_t, in bytes, by default 0
  kAlignmentA = 5,                          // uint32_t, in bytes, by default 256; the same for B, C and D
  kAlignmentB = 6,
  kAlignmentC = 7,
  kAlignmentD = 8,
};

// One line per function: the type of the result, the name of the member, the name of the symbol, and the
// parameters.
#define CUTSET_CUDA_BLAS_FUNCTIONS(F)                                                                   \
  F(BlasStatus, create, cublasLtCreate, (BlasHandle * handle))                                          \
  F(BlasStatus, release, cublasLtDestroy, (BlasHandle handle))                                          \
  F(size_t, version, cublasLtGetVersion, ())                                                            \
  F(const char*, status_name, cublasLtGetStatusName, (BlasStatus status))                               \
  F(BlasStatus, make_product, cublasLtMatmulDescCreate,                                                 \
    (BlasProduct * product, int compute_type, int scale_type))                                          \
  F(BlasStatus, release_product, cublasLtMatmulDescDestroy, (BlasProduct product))                      \
  F(BlasStatus, set_product, cublasLtMatmulDescSetAttribute,                                            \
    (BlasProduct product, BlasProductAttribute attribute, const void* value, size_t bytes))             \
  F(BlasStatus, make_layout, cublasLtMatrixLayoutCreate,                                                \
    (BlasLayout * layout, int type, uint64_t rows, uint64_t columns, int64_t leading))                  \
  F(BlasStatus, release_layout, cublasLtMatrixLayoutDestroy, (BlasLayout layout))                       \
  F(BlasStatus, set_layout, cublasLtMatrixLayoutSetAttribute,                                           \
    (BlasLayout layout, BlasLayoutAttribute attribute, const void* value, size_t bytes))                \
  F(BlasStatus, make_preference, cublasLtMatmulPreferenceCreate, (BlasPreference * preference))         \
  F(BlasStatus, release_preference, cublasLtMatmulPreferenceDestroy, (BlasPreference preference))       \
  F(BlasStatus, set_preference, cublasLtMatmulPreferenceSetAttribute,                                   \
    (BlasPreference preference, BlasPreferenceAttribute attribute, const void* value, size_t bytes))    \
  F(BlasStatus, find_algorithms, cublasLtMatmulAlgoGetHeuristic,                                        \
    (BlasHandle handle, BlasProduct product, BlasLayout a, BlasLayout b, BlasLayout c, BlasLayout d,    \
     BlasPreference preference, int most, BlasHeuristicResult* found, int* count))                      \
  F(BlasStatus, multiply, cublasLtMatmul,                                                               \
    (BlasHandle handle, BlasProduct product, const void* alpha, const void* a, BlasLayout a_layout,     \
     const void* b, BlasLayout b_layout, const void* beta, const void* c, BlasLayout c_layout, void* d, \
     BlasLayout d_layout, const BlasAlgorithm* algorithm, void* workspace, size_t workspace_bytes,      \
     Stream stream))

// Pointers to the functions of cuBLASLt.
struct BlasApi {
#define CUTSET_CUDA_MEMBER(result, member, symbol, parameters) result(*member) parameters = nullptr;
  CUTSET_CUDA_BLAS_FUNCTIONS(CUTSET_CUDA_MEMBER)
#undef CUTSET_CUDA_MEMBER
#define CUTSET_CUDA_SYMBOL(result, member, symbol, parameters) #symbol,
  static constexpr const char* kSymbols[] = {CUTSET_CUDA_BLAS_FUNCTIONS(CUTSET_CUDA_SYMBOL)};
#undef CUTSET_CUDA_SYMBOL
};

}  // namespace cutset::cuda

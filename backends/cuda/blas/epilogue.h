// SPDX-License-Identifier: Apache-2.0
// Converts the epilogue of a product to an epilogue of cuBLASLt.
#pragma once
#include "backends/cuda/blas/blas_api.h"
#include "backends/portable/gemm.h"
#include "runtime/abi/error.h"

namespace cutset::cuda {

// Returns the epilogue of cuBLASLt's product. That product is the transposed product of `g`, so the bias that
// cuBLASLt adds per row is a bias per column of c. Throws abi::Exception with CUTSET_UNSUPPORTED for
// - a bias per row of c, and
// - relu. NVIDIA documents cuBLASLt's relu as max(x, 0) without a word about NaN, and a user reports that NaN
//   becomes 0 (NVIDIA's developer forum, "Incorrect result of cublasLtMatmul with CUBLASLT_EPILOGUE_RELU when
//   input is NaN").
inline BlasEpilogue epilogue_of(const portable::Gemm& g) {
  if (g.relu) throw abi::Exception(CUTSET_UNSUPPORTED, "cuBLASLt's relu may turn NaN into 0");
  switch (g.bias) {
    case portable::Gemm::Bias::kNone:
      return BlasEpilogue::kNone;
    case portable::Gemm::Bias::kOfColumn:
      return BlasEpilogue::kBias;
    case portable::Gemm::Bias::kOfRow:
      break;
  }
  throw abi::Exception(CUTSET_UNSUPPORTED, "cuBLASLt adds no bias per row of the result");
}

}  // namespace cutset::cuda

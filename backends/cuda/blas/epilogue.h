// The epilogue of a product as cuBLASLt knows it.
#pragma once
#include "backends/cuda/blas/blas_api.h"
#include "backends/portable/gemm.h"
#include "runtime/abi/error.h"

namespace cutset::cuda {

// Returns the epilogue of cuBLASLt's product, which is the transposed product of `g`: cuBLASLt adds a bias per row, and
// this is a bias per column of c. Throws abi::Exception with CUTSET_UNSUPPORTED for a bias per row of c.
inline BlasEpilogue epilogue_of(const portable::Gemm& g) {
  switch (g.bias) {
    case portable::Gemm::Bias::kNone:
      return g.relu ? BlasEpilogue::kRelu : BlasEpilogue::kNone;
    case portable::Gemm::Bias::kOfColumn:
      return g.relu ? BlasEpilogue::kBiasRelu : BlasEpilogue::kBias;
    case portable::Gemm::Bias::kOfRow:
      break;
  }
  throw abi::Exception(CUTSET_UNSUPPORTED, "cuBLASLt adds no bias per row of the result");
}

}  // namespace cutset::cuda

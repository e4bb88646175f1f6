// SPDX-License-Identifier: Apache-2.0
// NVIDIA's cuBLASLt, which is opened at run time. Without it the backend computes products with its own
// kernel.
#pragma once
#include <string>

#include "backends/cuda/blas/blas_api.h"

namespace cutset::cuda {

inline constexpr size_t kOldestBlas = 120000;  // cuBLAS 12.0

// Returns the functions of cuBLASLt, which are valid until the process ends, or null with the reason in
// `*why`. The first call of a process opens libcublasLt.so.13, which needs a driver for CUDA 13, or
// libcublasLt.so.12. The environment variable CUTSET_CUDA_BLAS names another file.
//
// Returns null if
// - the library is missing or older than kOldestBlas,
// - the environment variable CUTSET_CUDA_NO_BLAS has a value other than 0, or
// - CUTSET_CUDA_BLAS is not set and the backend's driver is not libcuda.so.1, because NVIDIA's cuBLASLt
//   always uses that file.
//
// Throws abi::Exception if the backend's driver cannot be opened. Any thread may call it.
const BlasApi* open_blas(std::string* why);
// Returns ", cuBLASLt 13.1.0", or an empty text without the library.
std::string blas_version();

}  // namespace cutset::cuda

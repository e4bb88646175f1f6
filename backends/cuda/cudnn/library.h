// SPDX-License-Identifier: Apache-2.0
// Opens libcutset_cuda_cudnn.so, through which the backend reaches cuDNN (plans.h). Without that library or
// without cuDNN the backend uses its own kernels.
#pragma once
#include <string>

#include "backends/cuda/cudnn/plans.h"

namespace cutset::cuda {

inline constexpr uint64_t kOldestCudnn =
    90800;  // the first version whose plans can be built for described GPUs

// Returns the table, which is valid until the process ends, or null with the reason in `*why`. The first call
// of a process opens the library in the folder of the file that contains this function. The environment
// variable CUTSET_CUDA_CUDNN_PLANS names another file. Returns null if
// - the library or cuDNN is missing,
// - cuDNN is older than kOldestCudnn, or
// - the environment variable CUTSET_CUDA_NO_CUDNN has a value other than 0.
//
// Any thread may call it.
const PlanApi* open_plans(std::string* why);

// Returns the result of open_plans, or null with the reason if cuDNN and the backend do not use the same
// driver. cuDNN always uses libcuda.so.1. A library that CUTSET_CUDA_CUDNN_PLANS names is used with every
// driver. Throws abi::Exception if the variable is not set and the backend's driver cannot be opened. Any
// thread may call it.
const PlanApi* open_plans_for_gpus(std::string* why);

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
// NVIDIA's NCCL, which is opened at run time. Without it the devices of the backend form no groups.
#pragma once
#include <string>

#include "backends/cuda/nccl/nccl_api.h"

namespace cutset::cuda {

// NCCL 2.22.3, the first version in which ncclCommDestroy and ncclCommAbort take part in a group of calls.
// One thread can then release all communicators of a group; before, the first call could wait for the others.
inline constexpr int kOldestNccl = 22203;

// Returns the functions of NCCL, which are valid until the process ends, or null with the reason in `*why`.
// The first call of a process opens libnccl.so.2; the environment variable CUTSET_CUDA_NCCL names another
// file.
//
// Returns null if
// - the library is missing or older than kOldestNccl,
// - the environment variable CUTSET_CUDA_NO_NCCL has a value other than 0, or
// - CUTSET_CUDA_NCCL is not set and the backend's driver is not libcuda.so.1, because NVIDIA's NCCL always
//   uses that file.
//
// Throws abi::Exception if the backend's driver cannot be opened. Any thread may call it.
const NcclApi* open_nccl(std::string* why);

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
// Compares the declarations of nccl_api.h with <nccl.h>. This file is compiled where the header is installed;
// it contains no code that runs.
#include <nccl.h>

#include <cstddef>

#include "backends/cuda/nccl/nccl_api.h"
#include "tests/cuda/checks/same_signature.h"

namespace cutset::cuda {
namespace {

// The size may differ, because newer versions of NCCL append members to the configuration.
template <class Ours, class Theirs>
struct SameOrConfig : Same<Ours, Theirs> {};
template <>
struct SameOrConfig<decltype(NcclApi::init), decltype(&::ncclCommInitRankConfig)>
    : Same<NcclStatus (*)(NcclComm*, int, NcclId, int, void*), decltype(&::ncclCommInitRankConfig)> {};

#define CUTSET_CUDA_COMPARE(result, member, symbol, parameters)                      \
  static_assert(SameOrConfig<decltype(NcclApi::member), decltype(&::symbol)>::value, \
                "the declaration of " #symbol);
CUTSET_CUDA_NCCL_FUNCTIONS(CUTSET_CUDA_COMPARE)
#undef CUTSET_CUDA_COMPARE

static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));
static_assert(sizeof(NcclConfig) <= sizeof(ncclConfig_t) &&
              offsetof(NcclConfig, size) == offsetof(ncclConfig_t, size) &&
              offsetof(NcclConfig, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(NcclConfig, version) == offsetof(ncclConfig_t, version) &&
              offsetof(NcclConfig, blocking) == offsetof(ncclConfig_t, blocking));
constexpr ncclConfig_t kDefault = NCCL_CONFIG_INITIALIZER;
static_assert(NcclConfig{}.magic == kDefault.magic && NcclConfig{}.version == NCCL_VERSION(2, 14, 0));

template <class A, class B>
constexpr bool is(A ours, B theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(NcclStatus::kSuccess, ncclSuccess) && is(NcclStatus::kCudaError, ncclUnhandledCudaError) &&
              is(NcclStatus::kSystemError, ncclSystemError) &&
              is(NcclStatus::kInternalError, ncclInternalError) &&
              is(NcclStatus::kInvalidArgument, ncclInvalidArgument) &&
              is(NcclStatus::kInvalidUsage, ncclInvalidUsage) &&
              is(NcclStatus::kRemoteError, ncclRemoteError) && is(NcclStatus::kInProgress, ncclInProgress));
static_assert(is(NcclType::kI8, ncclInt8) && is(NcclType::kU8, ncclUint8) && is(NcclType::kI32, ncclInt32) &&
              is(NcclType::kU32, ncclUint32) && is(NcclType::kU64, ncclUint64) &&
              is(NcclType::kI64, ncclInt64) && is(NcclType::kF16, ncclFloat16) &&
              is(NcclType::kF32, ncclFloat32) && is(NcclType::kF64, ncclFloat64) &&
              is(NcclType::kBF16, ncclBfloat16) && is(kNcclSum, ncclSum));

}  // namespace
}  // namespace cutset::cuda

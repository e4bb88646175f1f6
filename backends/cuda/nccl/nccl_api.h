// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA's NCCL that this backend uses: types, constants and the signatures of functions. They
// are declared here because the library is opened at run time (library.h), and because the backend is built
// and tested on machines without NVIDIA's headers. The NCCL documentation, "NCCL API", describes each name.
// tests/cuda/checks/nccl_declarations.cc compares the declarations with <nccl.h> where that header is
// installed.
#pragma once
#include <cstddef>

#include "backends/cuda/driver_api.h"

namespace cutset::cuda {

enum class NcclStatus : int {  // ncclResult_t
  kSuccess = 0,
  kCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,  // a communicator that does not block returns it
};
using NcclComm = struct NcclComm_t*;  // ncclComm_t: the communicator of one member of a group

struct NcclId {  // ncclUniqueId
  char bytes[128];
};
// ncclConfig_t of NCCL 2.14. Newer versions accept it, because `size` and `version` say which members it has.
struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = 21400;
  int blocking = 0;  // 0: functions return kInProgress instead of blocking
};

enum class NcclType : int {  // ncclDataType_t
  kI8 = 0,
  kU8 = 1,
  kI32 = 2,
  kU32 = 3,
  kI64 = 4,
  kU64 = 5,
  kF16 = 6,
  kF32 = 7,
  kF64 = 8,
  kBF16 = 9,
};
inline constexpr int kNcclSum = 0;  // ncclSum of ncclRedOp_t

// One line per function: the type of the result, the name of the member, the name of the symbol, and the
// parameters.
#define CUTSET_CUDA_NCCL_FUNCTIONS(F)                                                                \
  F(NcclStatus, version, ncclGetVersion, (int* version))                                             \
  F(NcclStatus, make_id, ncclGetUniqueId, (NcclId * id))                                             \
  F(NcclStatus, init, ncclCommInitRankConfig,                                                        \
    (NcclComm * comm, int members, NcclId id, int member, NcclConfig* config))                       \
  F(NcclStatus, async_error, ncclCommGetAsyncError, (NcclComm comm, NcclStatus * error))             \
  F(NcclStatus, destroy, ncclCommDestroy, (NcclComm comm))                                           \
  F(NcclStatus, abort, ncclCommAbort, (NcclComm comm))                                               \
  F(NcclStatus, group_start, ncclGroupStart, ())                                                     \
  F(NcclStatus, group_end, ncclGroupEnd, ())                                                         \
  F(NcclStatus, all_reduce, ncclAllReduce,                                                           \
    (const void* from, void* to, size_t count, NcclType type, int op, NcclComm comm, Stream stream)) \
  F(const char*, status_text, ncclGetErrorString, (NcclStatus status))                               \
  F(const char*, last_error, ncclGetLastError, (NcclComm comm))

// Pointers to the functions of NCCL.
struct NcclApi {
#define CUTSET_CUDA_MEMBER(result, member, symbol, parameters) result(*member) parameters = nullptr;
  CUTSET_CUDA_NCCL_FUNCTIONS(CUTSET_CUDA_MEMBER)
#undef CUTSET_CUDA_MEMBER
#define CUTSET_CUDA_SYMBOL(result, member, symbol, parameters) #symbol,
  static constexpr const char* kSymbols[] = {CUTSET_CUDA_NCCL_FUNCTIONS(CUTSET_CUDA_SYMBOL)};
#undef CUTSET_CUDA_SYMBOL
};

}  // namespace cutset::cuda

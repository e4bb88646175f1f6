// SPDX-License-Identifier: Apache-2.0
// Compares the declarations of driver_api.h and compiler_api.h with NVIDIA's headers. This file is compiled
// where the headers are installed; it contains no code that runs.
#include <cuda.h>
#include <nvrtc.h>

#include "backends/cuda/compiler_api.h"
#include "backends/cuda/driver_api.h"
#include "tests/cuda/checks/same_signature.h"

namespace cutset::cuda {
namespace {

#define CUTSET_CUDA_COMPARE(member, symbol, parameters)                        \
  static_assert(Same<decltype(DriverApi::member), decltype(&::symbol)>::value, \
                "the declaration "                                             \
                "of " #symbol);
CUTSET_CUDA_DRIVER_FUNCTIONS(CUTSET_CUDA_COMPARE)
#undef CUTSET_CUDA_COMPARE
#define CUTSET_CUDA_COMPARE(member, symbol, parameters)                          \
  static_assert(Same<decltype(CompilerApi::member), decltype(&::symbol)>::value, \
                "the declaration of " #symbol);
CUTSET_CUDA_COMPILER_FUNCTIONS(CUTSET_CUDA_COMPARE)
#undef CUTSET_CUDA_COMPARE

static_assert(kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY && kInvalidValue == CUDA_ERROR_INVALID_VALUE &&
              kNotInitialized == CUDA_ERROR_NOT_INITIALIZED && kNoDevice == CUDA_ERROR_NO_DEVICE &&
              kInvalidDevice == CUDA_ERROR_INVALID_DEVICE && kInvalidContext == CUDA_ERROR_INVALID_CONTEXT &&
              kPeerAccessAlreadyEnabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED &&
              kInvalidHandle == CUDA_ERROR_INVALID_HANDLE && kNotFound == CUDA_ERROR_NOT_FOUND &&
              kNotReady == CUDA_ERROR_NOT_READY && kLaunchFailed == CUDA_ERROR_LAUNCH_FAILED &&
              kNotSupported == CUDA_ERROR_NOT_SUPPORTED);
static_assert(kCaptureUnsupported == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
              kCaptureInvalidated == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED &&
              kCaptureUnjoined == CUDA_ERROR_STREAM_CAPTURE_UNJOINED &&
              kCaptureIsolation == CUDA_ERROR_STREAM_CAPTURE_ISOLATION &&
              kCaptureImplicit == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
constexpr bool is(Attribute ours, CUdevice_attribute theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}
static_assert(is(Attribute::kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK) &&
              is(Attribute::kMaxGridY, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y) &&
              is(Attribute::kSharedMemoryPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) &&
              is(Attribute::kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE) &&
              is(Attribute::kClockRateKHz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE) &&
              is(Attribute::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) &&
              is(Attribute::kMemoryClockRateKHz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) &&
              is(Attribute::kMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) &&
              is(Attribute::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) &&
              is(Attribute::kThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) &&
              is(Attribute::kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) &&
              is(Attribute::kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) &&
              is(Attribute::kRegistersPerMultiprocessor,
                 CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR) &&
              is(Attribute::kSharedMemoryPerBlockOptIn,
                 CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
static_assert(static_cast<int>(FunctionAttribute::kMaxThreadsPerBlock) ==
                  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              static_cast<int>(FunctionAttribute::kSharedBytes) == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES &&
              static_cast<int>(FunctionAttribute::kLocalBytes) == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES &&
              static_cast<int>(FunctionAttribute::kRegisters) == CU_FUNC_ATTRIBUTE_NUM_REGS);
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING &&
              kEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
              kCaptureThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);

}  // namespace
}  // namespace cutset::cuda

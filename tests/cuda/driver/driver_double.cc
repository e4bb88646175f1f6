// SPDX-License-Identifier: Apache-2.0
// A library that stands in for NVIDIA's driver (libcuda.so.1) in tests. There is no GPU: kernels run on the
// CPU, in block_emulator.h. This file has the functions of devices, contexts and errors; driver_*.cc have the
// other functions.
//
// Environment variables, which the first call reads:
// - CUTSET_CUDA_DOUBLE_DEVICES: the number of devices; by default 2.
// - CUTSET_CUDA_DOUBLE_SEED: the order of commands (commands.h) and of threads (block_emulator.h); by default
//   1.
// - CUTSET_CUDA_DOUBLE_FAULTS: calls that fail (fault_requests.h).
// - CUTSET_CUDA_DOUBLE_REPORT: with 1, the process prints at its end which objects were not released.
//
// Any thread can call every function. The double is strict where NVIDIA documents several behaviours:
// - A function that may fail without a current context does so.
// - Pageable memory is read or written at the call or later.
// - A stream must belong to the current context.
#include <cstdio>
#include <cstring>

#include "tests/cuda/driver/driver_call.h"
#include "tests/cuda/emulator/launch_limits.h"

namespace cutset::cuda {

using namespace doubles;

namespace doubles {

std::vector<Context>& context_stack() {
  thread_local std::vector<Context> stack;
  return stack;
}

}  // namespace doubles

namespace {

constexpr int kDriverVersion = 13000;

Context_t& context_of(DeviceId device) {
  require(device >= 0 && static_cast<size_t>(device) < state().contexts.size(), kInvalidDevice);
  return state().contexts[static_cast<size_t>(device)];
}

int attribute_of(Attribute attribute) {
  switch (attribute) {  // the numbers of an H100
    case Attribute::kMaxThreadsPerBlock:
      return kMostThreads;
    case Attribute::kMaxGridY:
      return kMostGridYZ;
    case Attribute::kSharedMemoryPerBlock:
      return 48 << 10;
    case Attribute::kWarpSize:
      return 32;
    case Attribute::kClockRateKHz:
      return 1'980'000;
    case Attribute::kMultiprocessors:
      return 132;
    case Attribute::kMemoryClockRateKHz:
      return 2'619'000;
    case Attribute::kMemoryBusWidth:
      return 5120;
    case Attribute::kL2Bytes:
      return 50 << 20;
    case Attribute::kThreadsPerMultiprocessor:
      return 2048;
    case Attribute::kCapabilityMajor:
      return 9;
    case Attribute::kCapabilityMinor:
      return 0;
    case Attribute::kRegistersPerMultiprocessor:
      return 65536;
    case Attribute::kSharedMemoryPerBlockOptIn:
      return 227 << 10;
  }
  throw Failure{kInvalidValue};
}

struct ErrorName {
  Status status;
  const char *name, *text;
};
constexpr ErrorName kErrors[] = {
    {kSuccess, "CUDA_SUCCESS", "no error"},
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {401, "CUDA_ERROR_ILLEGAL_STATE", "the operation cannot be performed in the present state"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kPeerAccessAlreadyEnabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {kCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE",
     "operation would result in a merge of separate capture sequences"},
    {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not ended in the same stream as it began"},
    {kCaptureUnjoined, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "capturing stream has unjoined work"},
    {kCaptureIsolation, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION",
     "dependency created on uncaptured work in another stream"},
    {kCaptureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "CUDA_ERROR_CAPTURED_EVENT",
     "operation not permitted on an event last recorded in a capturing stream"},
    {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
     "attempt to terminate a thread-local capture sequence from another thread"},
};
const ErrorName& error_of(Status status) {
  for (const ErrorName& e : kErrors)
    if (e.status == status) return e;
  throw Failure{kInvalidValue};
}

}  // namespace

// Starts a new test: finishes all work, forgets faults, reads CUTSET_CUDA_DOUBLE_FAULTS again, and draws
// orders from `seed`. Not a function of NVIDIA's driver.
extern "C" __attribute__((visibility("default"))) void cutset_cuda_double_seed(unsigned long long seed) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  state().commands.finish_all();
  state().commands.set_seed(seed);
  state().requests = FaultRequests();
  for (Context_t& c : state().contexts) c.fault = kSuccess;
}

// Returns the device of the current context, or -1. Not a function of NVIDIA's driver.
extern "C" __attribute__((visibility("default"))) int cutset_cuda_double_current_device() {
  return context_stack().empty() ? -1 : current().device;
}

CUTSET_EXPORT cuInit(unsigned flags) {
  return driver_call("cuInit", Needs::kNothing, [&] {
    require(flags == 0, kInvalidValue);
    require(!state().contexts.empty(), kNoDevice);
    state().initialized = true;
  });
}
CUTSET_EXPORT cuDriverGetVersion(int* version) {
  return driver_call("cuDriverGetVersion", Needs::kNothing, [&] {
    require(version, kInvalidValue);
    *version = kDriverVersion;
  });
}
CUTSET_EXPORT cuDeviceGetCount(int* count) {
  return driver_call("cuDeviceGetCount", Needs::kInit, [&] {
    require(count, kInvalidValue);
    *count = static_cast<int>(state().contexts.size());
  });
}
CUTSET_EXPORT cuDeviceGet(DeviceId* device, int index) {
  return driver_call("cuDeviceGet", Needs::kInit, [&] {
    require(device, kInvalidValue);
    *device = context_of(index).device;
  });
}
CUTSET_EXPORT cuDeviceGetName(char* name, int bytes, DeviceId device) {
  return driver_call("cuDeviceGetName", Needs::kInit, [&] {
    require(name && bytes > 0, kInvalidValue);
    context_of(device);
    std::snprintf(name, static_cast<size_t>(bytes), "Cutset driver double (no GPU)");
  });
}
CUTSET_EXPORT cuDeviceGetUuid_v2(Uuid* uuid, DeviceId device) {
  return driver_call("cuDeviceGetUuid_v2", Needs::kInit, [&] {
    require(uuid, kInvalidValue);
    context_of(device);
    *uuid = {};
    std::snprintf(uuid->bytes, sizeof uuid->bytes, "double %hhu", static_cast<unsigned char>(device));
  });
}
CUTSET_EXPORT cuDeviceGetAttribute(int* value, Attribute attribute, DeviceId device) {
  return driver_call("cuDeviceGetAttribute", Needs::kInit, [&] {
    require(value, kInvalidValue);
    context_of(device);
    *value = attribute_of(attribute);
  });
}
CUTSET_EXPORT cuDeviceTotalMem_v2(size_t* bytes, DeviceId device) {
  return driver_call("cuDeviceTotalMem_v2", Needs::kInit, [&] {
    require(bytes, kInvalidValue);
    context_of(device);
    *bytes = kDeviceBytes;
  });
}
CUTSET_EXPORT cuDeviceCanAccessPeer(int* can, DeviceId device, DeviceId peer) {
  return driver_call("cuDeviceCanAccessPeer", Needs::kInit, [&] {
    require(can, kInvalidValue);
    *can = &context_of(device) != &context_of(peer);
  });
}
CUTSET_EXPORT cuDevicePrimaryCtxRetain(Context* context, DeviceId device) {
  return driver_call("cuDevicePrimaryCtxRetain", Needs::kInit, [&] {
    require(context, kInvalidValue);
    *context = &context_of(device);
    ++(*context)->retained;
  });
}
CUTSET_EXPORT cuDevicePrimaryCtxRelease_v2(DeviceId device) {
  return driver_call("cuDevicePrimaryCtxRelease_v2", Needs::kInit, [&] {
    Context_t& context = context_of(device);
    require(context.retained > 0, kInvalidContext);
    if (--context.retained > 0) return;
    state().commands.finish_all();
    context.peers.clear();
  });
}
CUTSET_EXPORT cuCtxPushCurrent_v2(Context context) {
  return driver_call("cuCtxPushCurrent_v2", Needs::kInit, [&] {
    for (Context_t& c : state().contexts)
      if (&c == context && c.retained > 0) return context_stack().push_back(context);
    throw Failure{kInvalidContext};
  });
}
CUTSET_EXPORT cuCtxPopCurrent_v2(Context* context) {
  return driver_call("cuCtxPopCurrent_v2", Needs::kInit, [&] {
    require(!context_stack().empty(), kInvalidContext);
    if (context) *context = context_stack().back();
    context_stack().pop_back();
  });
}
CUTSET_EXPORT cuCtxEnablePeerAccess(Context peer, unsigned flags) {
  return driver_call("cuCtxEnablePeerAccess", Needs::kContext, [&] {
    require(flags == 0, kInvalidValue);
    bool exists = false;
    for (Context_t& c : state().contexts) exists |= &c == peer && c.retained > 0;
    require(exists && peer != &current(), kInvalidContext);
    require(current().peers.insert(peer).second, kPeerAccessAlreadyEnabled);
  });
}
CUTSET_EXPORT cuGetErrorName(Status status, const char** name) {
  return driver_call("cuGetErrorName", Needs::kNothing, [&] {
    require(name, kInvalidValue);
    *name = nullptr;
    *name = error_of(status).name;
  });
}
// The text of a failed launch contains the reason for the last failure of a launch, which NVIDIA's driver
// does not know.
CUTSET_EXPORT cuGetErrorString(Status status, const char** text) {
  return driver_call("cuGetErrorString", Needs::kNothing, [&] {
    require(text, kInvalidValue);
    *text = nullptr;
    *text = error_of(status).text;
    if (status == kLaunchFailed && !state().messages.empty()) *text = state().messages.back().c_str();
  });
}

}  // namespace cutset::cuda

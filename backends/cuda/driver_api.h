// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA's CUDA driver API that this backend and its tests use: types, constants and the
// signatures of functions. They are declared here because the driver is opened at run time, and because the
// backend is built and tested on machines without CUDA's headers. The CUDA Driver API Reference documents
// each name. tests/cuda/checks/declarations.cc compares the declarations with <cuda.h> where that header is
// installed.
#pragma once
#include <cstddef>
#include <cstdint>

namespace cutset::cuda {

// Names with the suffix _t or in capitals stand for the driver's type or constant of the same meaning.
using Status = int;                  // CUresult
using DeviceId = int;                // CUdevice
using Address = unsigned long long;  // CUdeviceptr
using Context = struct Context_t*;
using Stream = struct Stream_t*;
using DriverEvent = struct DriverEvent_t*;
using Module = struct Module_t*;
using Function = struct Function_t*;
using Graph = struct Graph_t*;
using GraphRun = struct GraphRun_t*;  // CUgraphExec
struct Uuid {
  char bytes[16];
};

inline constexpr Status kSuccess = 0;
inline constexpr Status kInvalidValue = 1;
inline constexpr Status kOutOfMemory = 2;
inline constexpr Status kNotInitialized = 3;
inline constexpr Status kNoDevice = 100;
inline constexpr Status kInvalidDevice = 101;
inline constexpr Status kInvalidContext = 201;
inline constexpr Status kPeerAccessAlreadyEnabled = 704;
inline constexpr Status kInvalidHandle = 400;
inline constexpr Status kNotFound = 500;
inline constexpr Status kNotReady = 600;
inline constexpr Status kLaunchFailed = 719;
inline constexpr Status kNotSupported = 801;
inline constexpr Status kCaptureUnsupported = 900;
inline constexpr Status kCaptureInvalidated = 901;
inline constexpr Status kCaptureUnjoined = 904;
inline constexpr Status kCaptureIsolation = 905;
inline constexpr Status kCaptureImplicit = 906;

// CUdevice_attribute
enum class Attribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxGridY = 6,
  kSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kClockRateKHz = 13,
  kMultiprocessors = 16,
  kMemoryClockRateKHz = 36,
  kMemoryBusWidth = 37,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kRegistersPerMultiprocessor = 82,
  kSharedMemoryPerBlockOptIn = 97,
};
// CUfunction_attribute
enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedBytes = 1,
  kLocalBytes = 3,
  kRegisters = 4
};

inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr int kCaptureThreadLocal = 1;  // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL

// One line per function: the name of the member, the name of the symbol in the driver, and the parameters.
// Where the driver has several versions of a function, the symbol names the version.
#define CUTSET_CUDA_DRIVER_FUNCTIONS(F)                                                                   \
  F(init, cuInit, (unsigned flags))                                                                       \
  F(driver_version, cuDriverGetVersion, (int* version))                                                   \
  F(device_count, cuDeviceGetCount, (int* count))                                                         \
  F(device, cuDeviceGet, (DeviceId * device, int index))                                                  \
  F(device_name, cuDeviceGetName, (char* name, int bytes, DeviceId device))                               \
  F(device_uuid, cuDeviceGetUuid_v2, (Uuid * uuid, DeviceId device))                                      \
  F(device_attribute, cuDeviceGetAttribute, (int* value, Attribute attribute, DeviceId device))           \
  F(device_memory, cuDeviceTotalMem_v2, (size_t* bytes, DeviceId device))                                 \
  F(can_access_peer, cuDeviceCanAccessPeer, (int* can, DeviceId device, DeviceId peer))                   \
  F(retain_context, cuDevicePrimaryCtxRetain, (Context * context, DeviceId device))                       \
  F(release_context, cuDevicePrimaryCtxRelease_v2, (DeviceId device))                                     \
  F(push_context, cuCtxPushCurrent_v2, (Context context))                                                 \
  F(pop_context, cuCtxPopCurrent_v2, (Context * context))                                                 \
  F(enable_peer, cuCtxEnablePeerAccess, (Context peer, unsigned flags))                                   \
  F(error_name, cuGetErrorName, (Status status, const char** name))                                       \
  F(error_text, cuGetErrorString, (Status status, const char** text))                                     \
  F(allocate, cuMemAlloc_v2, (Address * address, size_t bytes))                                           \
  F(free, cuMemFree_v2, (Address address))                                                                \
  F(allocate_host, cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags))                         \
  F(free_host, cuMemFreeHost, (void* memory))                                                             \
  F(copy_to_device, cuMemcpyHtoDAsync_v2, (Address to, const void* from, size_t bytes, Stream stream))    \
  F(copy_to_host, cuMemcpyDtoHAsync_v2, (void* to, Address from, size_t bytes, Stream stream))            \
  F(copy_on_device, cuMemcpyDtoDAsync_v2, (Address to, Address from, size_t bytes, Stream stream))        \
  F(copy_peer, cuMemcpyPeerAsync,                                                                         \
    (Address to, Context to_context, Address from, Context from_context, size_t bytes, Stream stream))    \
  F(fill_bytes, cuMemsetD8Async, (Address at, unsigned char value, size_t bytes, Stream stream))          \
  F(make_stream, cuStreamCreate, (Stream * stream, unsigned flags))                                       \
  F(release_stream, cuStreamDestroy_v2, (Stream stream))                                                  \
  F(finish_stream, cuStreamSynchronize, (Stream stream))                                                  \
  F(query_stream, cuStreamQuery, (Stream stream))                                                         \
  F(wait_for_event, cuStreamWaitEvent, (Stream stream, DriverEvent event, unsigned flags))                \
  F(launch_host, cuLaunchHostFunc, (Stream stream, void (*function)(void*), void* data))                  \
  F(make_event, cuEventCreate, (DriverEvent * event, unsigned flags))                                     \
  F(release_event, cuEventDestroy_v2, (DriverEvent event))                                                \
  F(record_event, cuEventRecord, (DriverEvent event, Stream stream))                                      \
  F(finish_event, cuEventSynchronize, (DriverEvent event))                                                \
  F(elapsed, cuEventElapsedTime, (float* milliseconds, DriverEvent from, DriverEvent to))                 \
  F(load_module, cuModuleLoadData, (Module * module, const void* image))                                  \
  F(release_module, cuModuleUnload, (Module module))                                                      \
  F(find_function, cuModuleGetFunction, (Function * function, Module module, const char* name))           \
  F(function_attribute, cuFuncGetAttribute, (int* value, FunctionAttribute attribute, Function function)) \
  F(launch, cuLaunchKernel,                                                                               \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,              \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, Stream stream, void** parameters,         \
     void** extra))                                                                                       \
  F(begin_capture, cuStreamBeginCapture_v2, (Stream stream, int mode))                                    \
  F(end_capture, cuStreamEndCapture, (Stream stream, Graph * graph))                                      \
  F(release_graph, cuGraphDestroy, (Graph graph))                                                         \
  F(instantiate, cuGraphInstantiateWithFlags, (GraphRun * run, Graph graph, unsigned long long flags))    \
  F(launch_graph, cuGraphLaunch, (GraphRun run, Stream stream))                                           \
  F(release_graph_run, cuGraphExecDestroy, (GraphRun run))

// Pointers to the driver's functions.
struct DriverApi {
#define CUTSET_CUDA_MEMBER(member, symbol, parameters) Status(*member) parameters = nullptr;
  CUTSET_CUDA_DRIVER_FUNCTIONS(CUTSET_CUDA_MEMBER)
#undef CUTSET_CUDA_MEMBER
#define CUTSET_CUDA_SYMBOL(member, symbol, parameters) #symbol,
  static constexpr const char* kSymbols[] = {CUTSET_CUDA_DRIVER_FUNCTIONS(CUTSET_CUDA_SYMBOL)};
#undef CUTSET_CUDA_SYMBOL
};
// The names of the same functions in the driver, for messages.
struct DriverNames {
#define CUTSET_CUDA_NAME(member, symbol, parameters) static constexpr const char* member = #symbol;
  CUTSET_CUDA_DRIVER_FUNCTIONS(CUTSET_CUDA_NAME)
#undef CUTSET_CUDA_NAME
};

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
// Plans of cuDNN for convolutions, as a table of functions that uses no types of cuDNN. The shared library
// libcutset_cuda_cudnn.so implements the table (plans.cc), and library.h opens that library. The headers of
// cuDNN are thus needed for that library alone, and the backend builds and runs without it.
//
// All tensors are f32 and contiguous: images and results in the order NCDHW, filters in the order OIDHW.
// Plans compute in f32; they use neither TF32 nor the transformed algorithms of Winograd and FFT, which
// spread an infinity or a NaN to neighbouring elements of the result.
//
// Errors: a function that can fail returns null for success, and otherwise the reason, which is valid until
// the next call of the table on the same thread. A function that fails has created nothing. No exception
// leaves the table.
//
// Threads: any thread may call every function. On the host, the calls of make_plan and execute for one device
// run one after the other. A function that uses a GPU needs the context of the GPU to be current for the
// calling thread.
#pragma once
#include <cstdint>

#include "ir/core/window.h"

namespace cutset::cuda {

// A forward convolution computes y from x, the filter and the bias. The backward directions compute the
// gradient of x or the gradient of the filter from the gradient of y and the other operand.
enum class Direction : int32_t { kForward = 0, kBackwardInput = 1, kBackwardFilter = 2 };

struct Convolution {
  Direction direction;
  int64_t n, c;           // the images: batch and channels
  int64_t o, cg, groups;  // the filter: output channels, input channels per group, and the number of groups
  WindowAxes axes;        // depth, rows and columns
  bool bias;              // a bias per output channel is added; forward only
};

// The addresses of the tensors on the GPU. In a backward direction, y and the result stand for gradients.
struct ConvolutionMemory {
  uint64_t x = 0, filter = 0, y = 0;
  uint64_t bias = 0;       // 0 if the convolution has none
  uint64_t workspace = 0;  // 0 if the plan needs none
};

struct PlanDevice;  // a GPU, or the description of a GPU
struct Plan;        // a convolution that is prepared for a PlanDevice

struct PlanApi {
  uint32_t size;  // sizeof(PlanApi)

  // Returns the version of cuDNN: 92801 for 9.28.1.
  uint64_t (*version)();

  // Opens the GPU of the current context. `capability` is its compute capability: 90 for 9.0.
  const char* (*open_device)(int32_t capability, PlanDevice** device);
  // Opens the description of a GPU, which need not be present. Its plans can be built but not executed.
  // `properties` is the JSON text of cuDNN's attribute CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION. Fails if
  // cuDNN rejects that text.
  const char* (*open_description)(int32_t capability, const char* properties, PlanDevice** device);
  // Closes a device. All its plans must have been released.
  void (*close_device)(PlanDevice* device);

  // Makes a plan whose workspace has at most `most_workspace` bytes, with the first engine that cuDNN can
  // build. Engines are tried in the order that cuDNN recommends, but engines that are compiled at run time
  // after all others. The reason for a failure counts the engines per kind of refusal.
  const char* (*make_plan)(PlanDevice* device, const Convolution* convolution, uint64_t most_workspace,
                           Plan** plan);
  // Releases a plan that no stream runs and no CUDA graph contains.
  void (*release_plan)(Plan* plan);
  // Returns the bytes of workspace of an execution.
  uint64_t (*workspace)(const Plan* plan);
  // Returns cuDNN's name of the engine and its settings: "eng12_k5=1". The text is valid as long as the plan.
  const char* (*engine)(const Plan* plan);

  // Appends an execution to a stream of the driver (CUstream), which may be recording a CUDA graph.
  const char* (*execute)(Plan* plan, void* stream, const ConvolutionMemory* memory);
};

// The type of cutset_cudnn_open, the only function that libcutset_cuda_cudnn.so exports. It opens
// libcudnn.so.9, or the file that the environment variable CUTSET_CUDA_CUDNN names, and sets `*api` to the
// table, which is valid until the process ends. Fails if cuDNN is not installed.
using OpenPlans = const char* (*)(const PlanApi** api);
inline constexpr const char* kOpenPlans = "cutset_cudnn_open";

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
// A library that stands in for libcutset_cuda_cudnn.so in tests: it implements the table of plans.h without
// cuDNN. Executions run on the CPU, as commands of the driver double's streams. They read and write memory
// when the command runs. The library finds the driver double in the file that the environment variable
// CUTSET_CUDA_DRIVER names.
//
// The double finds violations of the contract of plans.h:
// - devices and plans that do not exist or were released,
// - a capability that differs from the capability of the GPU,
// - a call without the context of the device,
// - memory that is too small, null, misaligned, freed or of another GPU,
// - results and workspaces that overlap operands,
// - a missing workspace, and
// - a plan that is released before its execution runs.
//
// A violation is printed and counted, and the call fails if it can.
//
// The seed chooses the size of each plan's workspace. The workspace is full of NaN before and after an
// execution.
//
// Environment variables of the driver double that also hold for this library:
// - CUTSET_CUDA_DOUBLE_FAULTS: calls that fail (fault_requests.h), with the names of the table's functions.
//   The reason of the failure contains the status.
// - CUTSET_CUDA_DOUBLE_SEED: the seed, 1 by default.
// - CUTSET_CUDA_DOUBLE_REPORT: with 1, the process prints at its end how many executions were enqueued, how
//   many violations were found, and which objects were not released.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <vector>

#include "backends/cuda/cudnn/plans.h"
#include "backends/cuda/cudnn/sizes.h"
#include "tests/cuda/environment.h"
#include "tests/cuda/fault_requests.h"
#include "tests/cuda/libraries/cudnn_convolution.h"
#include "tests/cuda/libraries/cudnn_operands.h"
#include "tests/cuda/random.h"
#include "tests/cuda/sanitizers.h"
#include "tests/cuda/spin_lock.h"

#define CUTSET_CUDNN_EXPORT extern "C" __attribute__((visibility("default")))

namespace cutset::cuda {

using namespace doubles;

struct PlanDevice {
  int gpu;  // or -1 for a description
  size_t plans = 0;
};

struct Plan {
  PlanDevice* device = nullptr;
  Convolution convolution = {};
  uint64_t workspace = 0;
  std::string engine;
  std::atomic<bool> is_released = false;
};

namespace {

constexpr uint64_t kVersion = 92601;
constexpr uint64_t kKibibyte = 1024;

struct Execution {
  const Plan* plan;
  HostConvolution work;
};

struct CudnnState {
  SpinLock lock;
  FaultRequests requests;
  Random random{environment_number("CUTSET_CUDA_DOUBLE_SEED", 1)};
  std::set<PlanDevice*> devices;
  std::set<const Plan*> plans;
  std::deque<Plan> all_plans;      // Plans live until the process ends, because commands refer to them.
  std::deque<Execution> enqueued;  // Executions live until the process ends, because graphs run them again.
  std::atomic<size_t> violations = 0;
};
CudnnState& state() {
  static CudnnState* const all = new CudnnState;
  return *all;
}

__attribute__((destructor)) void report() {
  if (environment("CUTSET_CUDA_DOUBLE_REPORT") != "1") return;
  const CudnnState& s = state();
  std::fprintf(stderr,
               "cutset cudnn double: %zu executions, %zu violations; not released: %zu plans, %zu devices\n",
               s.enqueued.size(), s.violations.load(), s.plans.size(), s.devices.size());
}

// The reason for a failure.
struct Failure {
  std::string reason;
};

void count_violation(const std::string& rule) {
  ++state().violations;
  std::fprintf(stderr, "cutset cudnn double: violation: %s\n", rule.c_str());
}
void require(bool holds, const std::string& rule) {
  if (holds) return;
  count_violation(rule);
  throw Failure{rule};
}

// Returns the reason for the last failure on this thread. The next call frees it, so AddressSanitizer finds a
// caller that reads it too late.
std::unique_ptr<std::string>& last_reason() {
  thread_local std::unique_ptr<std::string> reason;
  return reason;
}

template <class F>
const char* cudnn_call(const char* function, F body) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  last_reason().reset();
  try {
    if (const int requested = state().requests.call(function))
      throw Failure{std::string(function) + " fails on request with status " + std::to_string(requested)};
    body();
    return nullptr;
  } catch (const Failure& failure) {
    last_reason() = std::make_unique<std::string>(failure.reason);
    return last_reason()->c_str();
  } catch (const std::bad_alloc&) {
    return "there is no memory left on the host";
  }
}

const DriverFunctions& driver() {
  const DriverFunctions* const found = open_driver_functions();
  require(found, "there is no driver double");
  return *found;
}
void require_device(PlanDevice* device) {
  require(state().devices.contains(device), "a device is used that does not exist or was closed");
  require(device->gpu < 0 || driver().current_device() == device->gpu,
          "a device is used without its context as the current one");
}
void require_plan(const Plan* plan) {
  require(state().plans.contains(plan), "a plan is used that does not exist or was released");
}

// Returns 90 for a GPU of compute capability 9.0.
int32_t capability_of(int gpu) {
  const auto read = [&](Attribute attribute) {
    int value = 0;
    if (const Status status = driver().attribute(&value, attribute, gpu); status != kSuccess)
      throw Failure{"the driver refuses to tell the compute capability, with status " +
                    std::to_string(status)};
    return value;
  };
  return read(Attribute::kCapabilityMajor) * 10 + read(Attribute::kCapabilityMinor);
}

// Chooses a workspace of 0 bytes, of some KiB, or of all bytes that are allowed.
uint64_t choose_workspace(uint64_t most) {
  constexpr uint64_t kMany = 64;  // in KiB
  Random& random = state().random;
  switch (random.below(3)) {
    case 0:
      return 0;
    case 1:
      return std::min(most, kKibibyte * (1 + random.below(kMany)));
    default:
      return std::min(most, kKibibyte * kKibibyte);
  }
}

// Runs an execution. The lock of this library may be held.
const char* run(void* data) {
  const auto& execution = *static_cast<const Execution*>(data);
  if (execution.plan->is_released) {
    constexpr const char* kRule = "a plan was released before its execution ran";
    count_violation(kRule);
    return kRule;
  }
  convolve(execution.work);
  return nullptr;
}

const char* open_device(int32_t capability, PlanDevice** device) {
  return cudnn_call("open_device", [&] {
    require(device && capability > 0, "open_device has an illegal argument");
    const int gpu = driver().current_device();
    require(gpu >= 0, "open_device is called without a current context");
    require(capability == capability_of(gpu), "open_device is called with the compute capability " +
                                                  std::to_string(capability) + " for a GPU of " +
                                                  std::to_string(capability_of(gpu)));
    auto* const opened = new PlanDevice{gpu};
    state().devices.insert(opened);
    *device = opened;
  });
}
const char* open_description(int32_t capability, const char* properties, PlanDevice** device) {
  return cudnn_call("open_description", [&] {
    require(device && capability > 0 && properties, "open_description has an illegal argument");
    auto* const opened = new PlanDevice{-1};
    state().devices.insert(opened);
    *device = opened;
  });
}
void close_device(PlanDevice* device) {
  cudnn_call("close_device", [&] {
    require_device(device);
    require(device->plans == 0, "a device is closed before its plans are released");
    state().devices.erase(device);
    delete device;
  });
}

const char* make_plan(PlanDevice* device, const Convolution* convolution, uint64_t most_workspace,
                      Plan** plan) {
  return cudnn_call("make_plan", [&] {
    require(convolution && plan, "make_plan has an illegal argument");
    require_device(device);
    if (const std::string why = check_sizes(*convolution); !why.empty()) throw Failure{why};
    Plan& added = state().all_plans.emplace_back();
    added.device = device;
    added.convolution = *convolution;
    added.workspace = choose_workspace(most_workspace);
    added.engine = "double_k1=" + std::to_string(added.workspace / kKibibyte);
    state().plans.insert(&added);
    ++device->plans;
    *plan = &added;
  });
}
void release_plan(Plan* plan) {
  cudnn_call("release_plan", [&] {
    require_plan(plan);
    require_device(plan->device);
    plan->is_released = true;
    state().plans.erase(plan);
    --plan->device->plans;
  });
}
uint64_t workspace(const Plan* plan) {
  uint64_t bytes = 0;
  cudnn_call("workspace", [&] {
    require_plan(plan);
    bytes = plan->workspace;
  });
  return bytes;
}
const char* engine(const Plan* plan) {
  const char* name = "";
  cudnn_call("engine", [&] {
    require_plan(plan);
    name = plan->engine.c_str();
  });
  return name;
}

const char* execute(Plan* plan, void* stream, const ConvolutionMemory* memory) {
  return cudnn_call("execute", [&] {
    require(memory, "execute has an illegal argument");
    require_plan(plan);
    require_device(plan->device);
    require(plan->device->gpu >= 0, "a plan for the description of a GPU is executed");
    const std::vector<Operand> operands = operands_of(plan->convolution, *memory, plan->workspace);
    const std::string problem = operand_problem(operands, driver(), plan->device->gpu);
    require(problem.empty(), problem);
    const auto at = [](uint64_t address) { return reinterpret_cast<float*>(address); };
    state().enqueued.push_back({plan,
                                {.convolution = plan->convolution,
                                 .x = at(memory->x),
                                 .filter = at(memory->filter),
                                 .y = at(memory->y),
                                 .bias = plan->convolution.bias ? at(memory->bias) : nullptr,
                                 .workspace = at(memory->workspace),
                                 .workspace_bytes = plan->workspace}});
    std::vector<MemoryRange> ranges;
    for (const Operand& operand : operands) ranges.push_back(operand.range);
    const Status status = driver().launch_work(static_cast<Stream>(stream), run, &state().enqueued.back(),
                                               ranges.data(), ranges.size());
    if (status != kSuccess)
      throw Failure{"the driver refuses the execution with status " + std::to_string(status)};
  });
}

constexpr PlanApi kApi = {.size = sizeof(PlanApi),
                          .version = [] { return kVersion; },
                          .open_device = open_device,
                          .open_description = open_description,
                          .close_device = close_device,
                          .make_plan = make_plan,
                          .release_plan = release_plan,
                          .workspace = workspace,
                          .engine = engine,
                          .execute = execute};

}  // namespace

// Starts a new test: draws workspaces from a seed and reads CUTSET_CUDA_DOUBLE_FAULTS again. Not a function
// of the table.
CUTSET_CUDNN_EXPORT void cutset_cudnn_double_reset(unsigned long long seed) {
  const Hidden hidden;
  const std::lock_guard guard(state().lock);
  state().requests = FaultRequests();
  state().random = Random(seed);
}

// Returns the number of violations so far. Not a function of the table.
CUTSET_CUDNN_EXPORT size_t cutset_cudnn_double_violations() { return state().violations; }

CUTSET_CUDNN_EXPORT const char* cutset_cudnn_open(const PlanApi** api) {
  return cudnn_call("cutset_cudnn_open", [&] {
    require(api, "cutset_cudnn_open has an illegal argument");
    *api = &kApi;
  });
}

}  // namespace cutset::cuda

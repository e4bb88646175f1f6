// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/convolution.h"

#include <algorithm>

#include "backends/cuda/cudnn/library.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/shared_by_device.h"
#include "runtime/abi/cache_file.h"

namespace cutset::cuda {
namespace {

// Returns the compute capability as a number: 90 for "sm_90".
int32_t capability_of(const Device& device) {
  return std::stoi(device.architecture.substr(sizeof "sm_" - 1));
}

// Closes a device of cuDNN. An error of the driver is reported by the next call that can fail.
struct Close {
  const PlanApi* api;
  const Device* device;
  void operator()(PlanDevice* opened) const {
    [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
      const Current current(*device);
      api->close_device(opened);
    });
  }
};

// Throws the error that makes the host compute the convolution with another kernel.
[[noreturn]] void refuse(const std::string& why) { throw abi::Exception(CUTSET_UNSUPPORTED, why); }

// Returns cuDNN's object for the device, which lives as long as a plan uses it. The context of the device is
// current.
std::shared_ptr<PlanDevice> open_shared(const PlanApi& api, const Device& device) {
  static SharedByDevice<PlanDevice> devices;
  return devices.get(device, [&] {
    PlanDevice* raw = nullptr;
    if (const char* reason = api.open_device(capability_of(device), &raw)) refuse(reason);
    return std::shared_ptr<PlanDevice>(raw, Close{&api, &device});
  });
}

}  // namespace

Convolution convolution_of(Direction direction, const ConvShape& s, bool bias) {
  return {.direction = direction,
          .n = s.n,
          .c = s.c,
          .o = s.o,
          .cg = s.cg,
          .groups = s.groups,
          .axes = s.axes,
          .bias = bias};
}

uint64_t most_workspace(const Convolution& c) {
  constexpr double kLeast = 1 << 20, kMost = 128 << 20;
  double images = static_cast<double>(c.n) * static_cast<double>(c.c);
  double filters = static_cast<double>(c.o) * static_cast<double>(c.cg);
  for (const WindowAxis& axis : c.axes) {
    images *= static_cast<double>(axis.in);
    filters *= static_cast<double>(axis.kernel);
  }
  return static_cast<uint64_t>(std::clamp(4 * sizeof(float) * (images + filters), kLeast, kMost));
}

std::unique_ptr<CudnnPlan> CudnnPlan::make(cutset_device device, const Convolution& c,
                                           uint64_t most_workspace) {
  if (!device) refuse("there is no device");
  std::string why;
  const PlanApi* api = open_plans_for_gpus(&why);
  if (!api) refuse(why);
  const Current current(*of(device));
  std::unique_ptr<CudnnPlan> plan(new CudnnPlan(*api, *of(device), open_shared(*api, *of(device))));
  if (const char* reason = api->make_plan(plan->opened_.get(), &c, most_workspace, &plan->plan_))
    refuse(reason);
  return plan;
}

const char* CudnnPlan::identity(cutset_device device) {
  std::string why;
  const PlanApi* api = open_plans_for_gpus(&why);
  return of(device)->identity(api ? ", cuDNN " + library_version_text(api->version()) + ", plans of " +
                                        abi::library_stamp(reinterpret_cast<const void*>(api->version))
                                  : "");
}

CudnnPlan::~CudnnPlan() {
  if (!plan_) return;
  [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
    const Current current(*device_);
    api_->release_plan(plan_);
  });
}

void CudnnPlan::enqueue(cutset_queue queue, const ConvolutionMemory& memory) const {
  of(queue)->submit([this, memory](Stream stream) {
    if (const char* reason = api_->execute(plan_, stream, &memory))
      throw abi::Exception(CUTSET_FAILED, std::string("cuDNN: ") + reason);
  });
}

}  // namespace cutset::cuda

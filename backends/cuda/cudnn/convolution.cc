#include "backends/cuda/cudnn/convolution.h"

#include <algorithm>

#include "backends/cuda/cudnn/library.h"
#include "backends/cuda/queue.h"
#include "backends/cuda/shared_by_device.h"
#include "runtime/abi/cache_file.h"

namespace cutset::cuda {
namespace {

// 90 for "sm_90".
int32_t capability_of(const Device& device) { return std::stoi(device.architecture.substr(sizeof "sm_" - 1)); }

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

// Throws the error by which the host knows that another kernel is to compute the convolution.
[[noreturn]] void refuse(const std::string& why) { throw abi::Exception(CUTSET_UNSUPPORTED, why); }

// Returns cuDNN's object for the device, which lives as long as a plan uses it. The context of the device is current.
std::shared_ptr<PlanDevice> open_shared(const PlanApi& api, const Device& device) {
  static SharedByDevice<PlanDevice> devices;
  return devices.get(device, [&] {
    PlanDevice* raw = nullptr;
    if (const char* reason = api.open_device(capability_of(device), &raw)) refuse(reason);
    return std::shared_ptr<PlanDevice>(raw, Close{&api, &device});
  });
}

}  // namespace

Convolution convolution_of(Direction direction, const Conv2dShape& s, bool bias) {
  return {.direction = direction,
          .n = s.n,
          .c = s.c,
          .h = s.h,
          .w = s.w,
          .o = s.o,
          .cg = s.cg,
          .kh = s.kh,
          .kw = s.kw,
          .sh = s.sh,
          .sw = s.sw,
          .ph = s.ph,
          .pw = s.pw,
          .dh = s.dh,
          .dw = s.dw,
          .groups = s.groups,
          .bias = bias};
}

uint64_t most_workspace(const Convolution& c) {
  constexpr double kLeast = 1 << 20, kMost = 128 << 20;
  const auto product = [](std::initializer_list<int64_t> sizes) {
    double n = 1;
    for (int64_t size : sizes) n *= static_cast<double>(size);
    return n;
  };
  const double elements = product({c.n, c.c, c.h, c.w}) + product({c.o, c.cg, c.kh, c.kw});
  return static_cast<uint64_t>(std::clamp(4 * sizeof(float) * elements, kLeast, kMost));
}

std::unique_ptr<CudnnPlan> CudnnPlan::make(cutset_device device, const Convolution& c, uint64_t most_workspace) {
  if (!device) refuse("there is no device");
  std::string why;
  const PlanApi* api = open_plans_for_gpus(&why);
  if (!api) refuse(why);
  const Current current(*of(device));
  std::unique_ptr<CudnnPlan> made(new CudnnPlan(*api, *of(device), open_shared(*api, *of(device))));
  if (const char* reason = api->make_plan(made->opened_.get(), &c, most_workspace, &made->plan_)) refuse(reason);
  return made;
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

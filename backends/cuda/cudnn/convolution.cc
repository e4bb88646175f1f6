#include "backends/cuda/cudnn/convolution.h"

#include <map>
#include <mutex>

#include "backends/cuda/cudnn/library.h"

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

// Returns cuDNN's object for the device, which lives as long as a plan uses it. Returns null with the reason in `*why` if
// cuDNN cannot open the device. The context of the device is current.
std::shared_ptr<PlanDevice> open_shared(const PlanApi& api, const Device& device, std::string* why) {
  static std::mutex mutex;
  static std::map<const Device*, std::weak_ptr<PlanDevice>> all;
  std::lock_guard lock(mutex);
  std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  if (const auto found = all.find(&device); found != all.end())
    if (auto opened = found->second.lock()) return opened;
  PlanDevice* raw = nullptr;
  if (const char* reason = api.open_device(capability_of(device), &raw)) {
    *why = reason;
    return nullptr;
  }
  std::shared_ptr<PlanDevice> opened(raw, Close{&api, &device});
  all[&device] = opened;
  return opened;
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

std::unique_ptr<CudnnPlan> CudnnPlan::make(cutset_device device, const Convolution& c, uint64_t most_workspace,
                                           std::string* why) {
  if (!device) {
    *why = "there is no device";
    return nullptr;
  }
  const PlanApi* api = open_plans_for_gpus(why);
  if (!api) return nullptr;
  const Current current(*of(device));
  auto opened = open_shared(*api, *of(device), why);
  if (!opened) return nullptr;
  std::unique_ptr<CudnnPlan> made(new CudnnPlan(*api, *of(device), std::move(opened)));
  if (const char* reason = api->make_plan(made->opened_.get(), &c, most_workspace, &made->plan_)) {
    *why = reason;
    return nullptr;
  }
  return made;
}

CudnnPlan::~CudnnPlan() {
  if (!plan_) return;
  [[maybe_unused]] const cutset_error* ignored = abi::guard([&] {
    const Current current(*device_);
    api_->release_plan(plan_);
  });
}

void CudnnPlan::enqueue(cutset_queue queue, const ConvolutionMemory& memory) const {
  const Current current(*of(queue));
  if (const char* reason = api_->execute(plan_, of(queue)->stream, &memory))
    throw abi::Exception(CUTSET_FAILED, std::string("cuDNN: ") + reason);
}

}  // namespace cutset::cuda

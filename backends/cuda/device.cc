#include "backends/cuda/device.h"

#include "backends/cuda/compile.h"
#include "backends/cuda/describe.h"

namespace cutset::cuda {

Device::Device(const cutset_device_info& given) : info(given) {
  CUTSET_CUDA(device, &id, info.index);
  architecture = architecture_of(id);
  CUTSET_CUDA(retain_context, &context, id);
}

Device::~Device() {
  if (!modules_.empty() && driver().push_context(context) == kSuccess) {
    for (auto& [source, module] : modules_) driver().release_module(module);
    Context popped = nullptr;
    driver().pop_context(&popped);
  }
  driver().release_context(id);
}

Function Device::function(const std::string& source, const char* name) {
  std::lock_guard lock(mutex_);
  auto found = modules_.find(source);
  if (found == modules_.end()) {
    const std::string code = compile(source, architecture);
    found = modules_.emplace(source, nullptr).first;
    if (const Status status = driver().load_module(&found->second, code.data()); status != kSuccess) {
      modules_.erase(found);
      check(status, DriverNames::load_module);
    }
  }
  Function function = nullptr;
  CUTSET_CUDA(find_function, &function, found->second, name);
  return function;
}

void refuse_recording(const Queue& queue, const char* function) {
  if (queue.recording)
    throw abi::Exception(CUTSET_UNSUPPORTED, std::string(function) +
                                                 " cannot be recorded: a capture consists of kernels "
                                                 "and of copies on the device");
}

}  // namespace cutset::cuda

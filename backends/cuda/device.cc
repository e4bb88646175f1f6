// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/device.h"

#include "backends/cuda/compile.h"
#include "backends/cuda/describe.h"

namespace cutset::cuda {

Device::Device(const cutset_device_info& device_info) : info(device_info) {
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
    Module module = nullptr;
    // Code that was kept in a file may have been made for another driver. It is then compiled again.
    if (driver().load_module(&module, compile(source, architecture).data()) != kSuccess)
      CUTSET_CUDA(load_module, &module, compile(source, architecture, true).data());
    try {
      found = modules_.emplace(source, module).first;
    } catch (...) {
      driver().release_module(module);
      throw;
    }
  }
  Function function = nullptr;
  CUTSET_CUDA(find_function, &function, found->second, name);
  return function;
}

const char* Device::identity(const std::string& library) {
  int major = 0, minor = 0, supported = 0;
  CUTSET_CUDA(driver_version, &supported);
  check_compiler(compiler().version(&major, &minor), "nvrtcVersion");
  std::lock_guard lock(mutex_);
  const std::string text = std::string(info.description) + ", driver for CUDA " + version_text(supported) +
                           ", NVRTC " + std::to_string(major) + "." + std::to_string(minor) + library;
  return identities_.insert(text).first->c_str();
}

}  // namespace cutset::cuda

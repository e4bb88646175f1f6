// SPDX-License-Identifier: Apache-2.0
// Runs the launches of backends/portable.
#include "backends/cuda/language.h"
#include "backends/cuda/queue.h"

namespace cutset::cuda {

namespace {

class CudaLoaded : public Loaded {
 public:
  CudaLoaded(Device& device, const Launches& launches) {
    const Current current(device);
    for (const Launch& l : launches.all()) {
      Compiled& c = compiled_.emplace_back();
      c.function = device.function(kLanguage + l.source, l.kernel.c_str());
      c.grid = l.grid;
      c.arguments = l.arguments;
      c.parameters.resize(l.arguments.size());
      for (const Argument& a : l.arguments) tensors_ += a.size == 0;
    }
    addresses_.resize(tensors_);
  }

  void enqueue(cutset_queue queue, const abi::Operands& at) override {
    // A command that runs later has its own copy of the addresses, because the plan may have been enqueued
    // again by then.
    if (of(queue)->is_held())
      return of(queue)->submit([this, addresses = located(at)](Stream stream) { launch(addresses, stream); });
    locate_all(at, addresses_);
    of(queue)->submit([this](Stream stream) { launch(addresses_, stream); });
  }

 private:
  struct Compiled {
    Function function = nullptr;
    Grid grid;
    std::vector<Argument> arguments;
    std::vector<void*> parameters;  // pointers to the values of all arguments
  };

  // Writes the addresses of all arguments that are tensors, in the order of the launches.
  void locate_all(const abi::Operands& at, std::vector<Address>& addresses) const {
    size_t next = 0;
    for (const Compiled& c : compiled_)
      for (const Argument& a : c.arguments)
        if (a.size == 0) addresses[next++] = address(locate(a.memory, at));
  }
  std::vector<Address> located(const abi::Operands& at) const {
    std::vector<Address> addresses(tensors_);
    locate_all(at, addresses);
    return addresses;
  }
  void launch(const std::vector<Address>& addresses, Stream stream) {
    size_t next = 0;
    for (Compiled& c : compiled_) {
      for (size_t i = 0; i < c.arguments.size(); ++i) {
        Argument& a = c.arguments[i];
        c.parameters[i] =
            a.size == 0 ? const_cast<Address*>(&addresses[next++]) : static_cast<void*>(a.bytes);
      }
      const Extent &groups = c.grid.groups, &items = c.grid.items;
      const auto number = [](int64_t v) { return static_cast<unsigned>(v); };
      // The driver copies the parameters.
      CUTSET_CUDA(launch, c.function, number(groups.x), number(groups.y), number(groups.z), number(items.x),
                  number(items.y), number(items.z), 0, stream, c.parameters.data(), nullptr);
    }
  }

  std::vector<Compiled> compiled_;
  size_t tensors_ = 0;              // the number of arguments of all launches that are tensors
  std::vector<Address> addresses_;  // the addresses of the last execution that was launched at once
};

}  // namespace
}  // namespace cutset::cuda

namespace cutset::portable {

std::unique_ptr<Loaded> load(cutset_device device, const Launches& launches) {
  return std::make_unique<cuda::CudaLoaded>(*cuda::of(device), launches);
}

}  // namespace cutset::portable

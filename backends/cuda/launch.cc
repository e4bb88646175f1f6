// Runs the launches of backends/portable.
#include "backends/cuda/device.h"
#include "backends/cuda/language.h"

namespace cutset::cuda {

namespace {

class CudaLoaded : public Loaded {
 public:
  CudaLoaded(Device& device, const Launches& launches) {
    const Current current(device);
    for (const Launch& l : launches.all()) {
      Compiled& c = compiled_.emplace_back();
      c.function = device.function(kLanguage + l.source, l.kernel);
      c.grid = l.grid;
      c.arguments = l.arguments;
      c.addresses.resize(l.arguments.size());
      c.parameters.resize(l.arguments.size());
    }
  }

  void enqueue(cutset_queue queue, const abi::Operands& at) override {
    const Current current(*of(queue));
    for (Compiled& c : compiled_) {
      for (size_t i = 0; i < c.arguments.size(); ++i) {
        Argument& a = c.arguments[i];
        if (a.size == 0) c.addresses[i] = address(locate(a.memory, at));
        c.parameters[i] = a.size == 0 ? static_cast<void*>(&c.addresses[i]) : a.bytes;
      }
      const Extent &groups = c.grid.groups, &items = c.grid.items;
      const auto number = [](int64_t v) { return static_cast<unsigned>(v); };
      // The driver copies the parameters.
      CUTSET_CUDA(launch, c.function, number(groups.x), number(groups.y), number(groups.z), number(items.x),
                  number(items.y), number(items.z), 0, of(queue)->stream, c.parameters.data(), nullptr);
    }
  }

 private:
  struct Compiled {
    Function function = nullptr;
    Grid grid;
    std::vector<Argument> arguments;
    std::vector<Address> addresses;  // of the arguments that are tensors
    std::vector<void*> parameters;   // pointers to the values of all arguments
  };
  std::vector<Compiled> compiled_;
};

}  // namespace
}  // namespace cutset::cuda

namespace cutset::portable {

std::unique_ptr<Loaded> load(cutset_device device, const Launches& launches) {
  return std::make_unique<cuda::CudaLoaded>(*cuda::of(device), launches);
}

}  // namespace cutset::portable

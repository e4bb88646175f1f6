// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/launch.h"

#include <array>

namespace cutset::opencl {

Grid items(int64_t x, int64_t y, int64_t z) { return {.groups = {x, y, z}}; }

namespace {

// The language of backends/portable in OpenCL C. It precedes the source of every kernel.
const char* const kLanguage = R"(
#pragma OPENCL FP_CONTRACT OFF
#define KERNEL(name) __kernel void name
#define FUNCTION
#define GLOBAL __global
#define ITEM ((int)get_global_id(0))
#define FLOAT_OF(bits) as_float((uint)(bits))
#define BITS_OF(number) as_uint((float)(number))
#define TENSOR(type, name) __global type* name##_buffer, ulong name##_offset
#define BIND(type, name) __global type* name = (__global type*)((__global char*)name##_buffer + name##_offset)
)";

class OpenclLoaded : public Loaded {
 public:
  OpenclLoaded(Device& device, const Launches& launches) {
    if (launches.exact_division() && !device.context->exact_division())
      throw abi::Exception(
          CUTSET_UNSUPPORTED,
          "the kernel needs division and square roots that are rounded correctly, and the device does not "
          "have CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT");
    for (const Launch& l : launches.all()) {
      Compiled& added = compiled_.emplace_back();
      added.kernel = device.context->kernel(kLanguage + l.source, l.kernel.c_str());
      const Extent &groups = l.grid.groups, &items = l.grid.items;
      added.local = {static_cast<size_t>(items.x), static_cast<size_t>(items.y),
                     static_cast<size_t>(items.z)};
      added.global = {static_cast<size_t>(groups.x * items.x), static_cast<size_t>(groups.y * items.y),
                      static_cast<size_t>(groups.z * items.z)};
      set_arguments(added, l.arguments);
    }
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) override {
    for (const Compiled& c : compiled_) {
      for (const Tensor& t : c.tensors) {
        const cutset_slice slice = locate(t.memory, at);
        const cl_mem buffer = of(slice.buffer);
        const cl_ulong offset = slice.offset;
        check(clSetKernelArg(c.kernel.get(), t.parameter, sizeof buffer, &buffer), "clSetKernelArg");
        check(clSetKernelArg(c.kernel.get(), t.parameter + 1, sizeof offset, &offset), "clSetKernelArg");
      }
      check(clEnqueueNDRangeKernel(of(queue)->queue, c.kernel.get(), 3, nullptr, c.global.data(),
                                   c.local.data(), 0, nullptr, of(queue)->next_event()),
            "clEnqueueNDRangeKernel");
    }
  }

 private:
  // A tensor as a parameter of a kernel.
  struct Tensor {
    cl_uint parameter;  // the index of the buffer; the offset is the next parameter
    Memory memory;
  };
  struct Compiled {
    Kernel kernel;
    std::array<size_t, 3> global, local;
    std::vector<Tensor> tensors;
  };

  static void set_arguments(Compiled& to, const std::vector<Argument>& arguments) {
    cl_uint index = 0;
    for (const Argument& a : arguments) {
      if (a.size == 0) {
        to.tensors.push_back({index, a.memory});
        index += 2;
        continue;
      }
      check(clSetKernelArg(to.kernel.get(), index++, a.size, a.bytes), "clSetKernelArg");
    }
  }

  std::vector<Compiled> compiled_;
};

}  // namespace
}  // namespace cutset::opencl

namespace cutset::portable {

const Target& target() {
  static const Target here{.name = "opencl", .group_items = 64, .most_groups = {1 << 30, 1 << 30, 1 << 30}};
  return here;
}

std::unique_ptr<Loaded> load(cutset_device device, const Launches& launches) {
  return std::make_unique<opencl::OpenclLoaded>(*opencl::of(device), launches);
}

}  // namespace cutset::portable

#include "backends/opencl/launch.h"

namespace cutset::opencl {

// Precedes the source of every kernel.
static const char* const kTensors = R"(
#define TENSOR(type, name) __global type* name##_buffer, ulong name##_offset
#define BIND(type, name) __global type* name = (__global type*)((__global char*)name##_buffer + name##_offset)
)";

Launches::~Launches() {
  for (Launch& l : launches_) clReleaseKernel(l.kernel);
}

void Launches::add(const std::string& source, const char* name, std::vector<int64_t> global,
                   std::initializer_list<Argument> arguments, size_t local) {
  for (const Argument& a : arguments) too_large_ |= a.too_large;
  if (!device_) return;
  for (int64_t g : global)
    if (g == 0) return;  // no work-items
  cl_program program = device_->program(kTensors + source);
  Launch& added = launches_.emplace_back();  // before the kernel is created, so that the list always owns it
  cl_int code = CL_SUCCESS;
  added.kernel = clCreateKernel(program, name, &code);
  if (code != CL_SUCCESS) launches_.pop_back();
  check(code, "clCreateKernel");
  added.dimensions = static_cast<cl_uint>(global.size());
  for (size_t i = 0; i < 3; ++i) added.global[i] = i < global.size() ? static_cast<size_t>(global[i]) : 1;
  added.global[0] = (added.global[0] + local - 1) / local * local;
  added.local[0] = local, added.local[1] = added.local[2] = 1;
  cl_uint index = 0;
  for (const Argument& a : arguments) {
    if (a.size == 0) {
      added.tensors.push_back({index, a.memory});
      index += 2;
      continue;
    }
    check(clSetKernelArg(added.kernel, index++, a.size, a.bytes), "clSetKernelArg");
  }
}

Launches::Memory Launches::take(uint64_t bytes) {
  too_large_ |= bytes / sizeof(float) >= uint64_t{1} << 31;
  const Memory block{Memory::Kind::kScratch, used_};
  used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
  return block;
}

void Launches::run(cutset_queue queue, const abi::Operands& at) {
  for (const Launch& l : launches_) {
    for (const Tensor& t : l.tensors) {
      const bool scratch = t.memory.kind == Memory::Kind::kScratch;
      const cutset_slice& slice = scratch                              ? *at.scratch
                                  : t.memory.kind == Memory::Kind::kIn ? at.in[t.memory.index]
                                                                       : at.out[t.memory.index];
      const cl_mem buffer = of(slice.buffer);
      const cl_ulong offset = slice.offset + (scratch ? t.memory.index : 0);
      check(clSetKernelArg(l.kernel, t.parameter, sizeof buffer, &buffer), "clSetKernelArg");
      check(clSetKernelArg(l.kernel, t.parameter + 1, sizeof offset, &offset), "clSetKernelArg");
    }
    check(clEnqueueNDRangeKernel(of(queue)->queue, l.kernel, l.dimensions, nullptr, l.global, l.local, 0, nullptr,
                                 of(queue)->next_event()),
          "clEnqueueNDRangeKernel");
  }
}

const char* bits_type(int64_t bytes) {
  return bytes == 1 ? "uchar" : bytes == 2 ? "ushort" : bytes == 4 ? "uint" : "ulong";
}

const char* c_type(DType type) {
  switch (type) {
    case DType::f32:
      return "float";
    case DType::i32:
      return "int";
    case DType::i64:
      return "long";
    case DType::u8:
      return "uchar";
    case DType::i1:
      return "uchar";
    default:
      return nullptr;
  }
}

std::string only(const abi::Problem& p, std::initializer_list<DType> types) {
  for (size_t i = 0; i < p.inputs() + p.outputs(); ++i) {
    const DType t = i < p.inputs() ? p.in_type(i) : p.out_type(i - p.inputs());
    bool known = false;
    for (DType k : types) known |= k == t;
    if (!known) return std::string("no kernel for ") + name_of(t);
  }
  return "";
}

}  // namespace cutset::opencl

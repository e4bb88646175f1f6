#include "backends/opencl/launch.h"

namespace cutset::opencl {

Launches::~Launches() {
  for (Launch& l : launches_) clReleaseKernel(l.kernel);
  for (cl_mem m : blocks_) clReleaseMemObject(m);
}

void Launches::add(const std::string& source, const char* name, std::vector<int64_t> global,
                   std::initializer_list<Argument> arguments, size_t local) {
  for (const Argument& a : arguments) too_large_ |= a.too_large;
  if (!device_) return;
  for (int64_t g : global)
    if (g == 0) return;  // no work-items
  cl_int code = CL_SUCCESS;
  Launch l{
      clCreateKernel(device_->program(source), name, &code), static_cast<cl_uint>(global.size()), {1, 1, 1}, {1, 1, 1}};
  check(code, "clCreateKernel");
  launches_.push_back(l);
  Launch& added = launches_.back();
  for (size_t i = 0; i < global.size(); ++i) added.global[i] = static_cast<size_t>(global[i]);
  added.global[0] = (added.global[0] + local - 1) / local * local;
  added.local[0] = local;
  cl_uint index = 0;
  for (const Argument& a : arguments) check(clSetKernelArg(added.kernel, index++, a.size, a.bytes), "clSetKernelArg");
}

cl_mem Launches::take(uint64_t bytes) {
  too_large_ |= bytes / sizeof(float) >= uint64_t{1} << 31;
  cl_buffer_region region{used_, static_cast<size_t>(bytes ? bytes : 1)};
  used_ += (region.size + alignment_ - 1) / alignment_ * alignment_;
  if (!device_) return nullptr;
  cl_int code = CL_SUCCESS;
  // The scratch tensor is a sub-buffer, and OpenCL does not allow a sub-buffer of a sub-buffer. The block is therefore
  // a sub-buffer of the parent buffer.
  cl_mem parent = nullptr;
  size_t offset = 0;
  check(clGetMemObjectInfo(scratch_, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, nullptr),
        "clGetMemObjectInfo");
  check(clGetMemObjectInfo(scratch_, CL_MEM_OFFSET, sizeof offset, &offset, nullptr), "clGetMemObjectInfo");
  region.origin += offset;
  blocks_.push_back(clCreateSubBuffer(parent, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  check(code, "clCreateSubBuffer");
  return blocks_.back();
}

void Launches::run(cutset_queue queue) {
  for (const Launch& l : launches_)
    check(clEnqueueNDRangeKernel(of(queue)->queue, l.kernel, l.dimensions, nullptr, l.global, l.local, 0, nullptr,
                                 nullptr),
          "clEnqueueNDRangeKernel");
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

cutset_tensor in(const abi::Operands* at, size_t i) { return at ? at->in[i] : nullptr; }
cutset_tensor out(const abi::Operands* at, size_t i) { return at ? at->out[i] : nullptr; }

}  // namespace cutset::opencl

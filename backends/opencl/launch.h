// Lists of OpenCL kernel launches, of which the kernels of this backend consist.
#pragma once
#include <cstring>
#include <initializer_list>
#include <string>

#include "backends/opencl/device.h"

namespace cutset::opencl {

// In the source of a kernel, TENSOR(type, name) declares a parameter that is a tensor, and BIND(type, name), at the
// start of the kernel, declares `name` as the pointer to its first element. A tensor is a buffer and an offset in
// bytes. The macros are defined in launch.cc.
class Launches {
 public:
  // A tensor of a kernel: an operand, a result, or a block of scratch memory. Every run says where it lies.
  struct Memory {
    enum class Kind { kIn, kOut, kScratch } kind;
    uint64_t index;  // of the operand or result; in scratch memory the offset in bytes
  };

  // A list without a device, which cannot run. It only counts the bytes of scratch memory and finds out whether 32-bit
  // indices suffice. A kernel thus uses the same code to answer whether it supports a problem, to count the bytes, and
  // to build the list.
  Launches() = default;
  // A list for a device.
  explicit Launches(Device* device) : device_(device) {}
  ~Launches();
  Launches(const Launches&) = delete;

  // An argument of an OpenCL kernel: a tensor, or a number that is passed by value.
  struct Argument {
    size_t size = 0;  // 0: a tensor
    unsigned char bytes[64];
    Memory memory = {};
    bool too_large = false;  // the argument is a number that does not fit into 32 bits
    Argument(Memory m) : memory(m) {}
    Argument(int v) : Argument(&v, sizeof v) {}
    Argument(float v) : Argument(&v, sizeof v) {}
    Argument(int64_t v) : Argument(static_cast<int>(v)) {  // sizes and indices in kernels have 32 bits
      too_large = v != static_cast<int>(v);
    }
    struct Vector {  // int8
      cl_int at[8] = {};
    };
    Argument(const Vector& v) : Argument(&v, sizeof v) {}
    struct Wide {  // ulong
      cl_ulong value;
    };
    Argument(Wide v) : Argument(&v, sizeof v) {}
    struct Byte {  // uchar
      cl_uchar value;
    };
    Argument(Byte v) : Argument(&v, sizeof v) {}

   private:
    Argument(const void* from, size_t n) : size(n) { std::memcpy(bytes, from, n); }
  };
  // Appends a launch of the function `kernel` of the OpenCL program `source` over `global` work-items in one to
  // three dimensions. The first dimension is rounded up to a multiple of `local`, the size of a work-group in that
  // dimension. A launch without work-items is left out.
  void add(const std::string& source, const char* kernel, std::vector<int64_t> global,
           std::initializer_list<Argument> arguments, size_t local = 1);

  // Returns the next block of scratch memory.
  Memory take(uint64_t bytes);
  // The bytes of scratch memory that have been taken, with the alignment of each block.
  uint64_t scratch_bytes() const { return used_; }
  // Whether a number, or the index of an element in a block of floats, does not fit into 32 bits.
  bool too_large() const { return too_large_; }
  // Enqueues all launches in order, on the memory `at`, and returns without waiting for them.
  void run(cutset_queue queue, const abi::Operands& at);

 private:
  // A parameter of a kernel that is a tensor.
  struct Tensor {
    cl_uint parameter;  // the index of the buffer; the offset is the next parameter
    Memory memory;
  };
  struct Launch {
    cl_kernel kernel;
    cl_uint dimensions;
    size_t global[3], local[3];
    std::vector<Tensor> tensors;
  };
  Device* device_ = nullptr;
  uint64_t used_ = 0;
  bool too_large_ = false;
  std::vector<Launch> launches_;
};

// Operand or result i.
inline Launches::Memory in(uint64_t i) { return {Launches::Memory::Kind::kIn, i}; }
inline Launches::Memory out(uint64_t i) { return {Launches::Memory::Kind::kOut, i}; }

// A kernel that is one list of launches. `K::build(launches, problem)` appends the launches. `K::supports(problem)`
// refuses the problems that the kernel cannot compute. Problems for which 32-bit indices do not suffice are refused for
// every K.
template <class K>
struct LaunchKernel {
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    for (size_t i = 0; i < p.inputs() + p.outputs(); ++i) {
      int64_t n = 1;
      for (int64_t d : i < p.inputs() ? p.in_shape(i) : p.out_shape(i - p.inputs())) n *= d;
      if (n >= int64_t{1} << 31) return "the kernel supports only tensors with fewer than 2^31 elements";
    }
    if (std::string why = K::supports(p); !why.empty()) return why;
    Launches counting;
    K::build(counting, p);
    return counting.too_large()
               ? "the kernel supports only problems whose numbers and scratch-memory indices fit into 32 bits"
               : "";
  }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    Launches counting;
    K::build(counting, p);
    return counting.scratch_bytes();
  }
  LaunchKernel(cutset_device device, const abi::Problem& p) : launches_(of(device)) { K::build(launches_, p); }
  uint64_t scratch_bytes() const { return launches_.scratch_bytes(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) { launches_.run(queue, at); }

 private:
  Launches launches_;
};

inline int64_t elements(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
// The unsigned OpenCL type with `bytes` bytes, for kernels that only move elements.
const char* bits_type(int64_t bytes);
// The OpenCL type of an element type, such as "float", or null if there is none.
const char* c_type(DType type);
// Returns an empty string if all operands and results have one of the element types `types`, and otherwise the reason
// for the refusal.
std::string only(const abi::Problem& p, std::initializer_list<DType> types);
// The size of the work-groups of kernels with one work-item per element.
inline constexpr size_t kFlat = 64;

}  // namespace cutset::opencl

// A list of kernel launches with all arguments bound: what each kernel of this backend is.
#pragma once
#include <initializer_list>
#include <string>

#include "backends/opencl/device.h"

namespace cutset::opencl {

class Launches {
 public:
  // Without a device the list can only say how much scratch memory it wants, and whether 32-bit indices reach all of
  // it: supports(), scratch() and the constructor of a kernel run the same code. Pieces of scratch memory lie at
  // multiples of `alignment`.
  explicit Launches(uint64_t alignment) : alignment_(alignment) {}
  Launches(Device* device, cutset_tensor scratch)
      : device_(device), scratch_(scratch ? of(scratch) : nullptr), alignment_(device->info.alignment) {}
  ~Launches();
  Launches(const Launches&) = delete;

  // An argument: memory, or a number by value.
  struct Argument {
    size_t size;
    unsigned char bytes[64];
    bool too_large = false;  // a number that does not fit the 32 bits of an index
    Argument(cl_mem m) : Argument(&m, sizeof m) {}
    Argument(cutset_tensor t) : Argument(of(t)) {}  // a tensor is its slice
    Argument(int v) : Argument(&v, sizeof v) {}
    Argument(float v) : Argument(&v, sizeof v) {}
    Argument(int64_t v) : Argument(static_cast<int>(v)) {  // indices are 32 bits wide in kernels
      too_large = v != static_cast<int>(v);
    }
    struct Vector {
      cl_int at[8] = {};
    };
    Argument(const Vector& v) : Argument(&v, sizeof v) {}
    struct Wide {
      cl_ulong value;
    };
    Argument(Wide v) : Argument(&v, sizeof v) {}
    struct Byte {
      cl_uchar value;
    };
    Argument(Byte v) : Argument(&v, sizeof v) {}

   private:
    Argument(const void* from, size_t n) : size(n) { std::memcpy(bytes, from, n); }
  };
  // Runs `kernel` of `source` over `global` work-items, rounded up to `local` along the first dimension.
  void add(const std::string& source, const char* kernel, std::vector<int64_t> global,
           std::initializer_list<Argument> arguments, size_t local = 1);

  // A piece of the scratch tensor, from `offset`, which grows by it. Null while only counting.
  cl_mem take(uint64_t bytes);
  uint64_t scratch_bytes() const { return used_; }
  // A number or a piece of scratch memory of floats is beyond what 32-bit indices reach.
  bool too_large() const { return too_large_; }
  void run(cutset_queue queue);

 private:
  struct Launch {
    cl_kernel kernel;
    cl_uint dimensions;
    size_t global[3], local[3];
  };
  Device* device_ = nullptr;
  cl_mem scratch_ = nullptr;
  uint64_t alignment_, used_ = 0;
  bool too_large_ = false;
  std::vector<Launch> launches_;
  std::vector<cl_mem> pieces_;
};

// A kernel that is such a list. `K::build(launches, problem, at)`; `at` null: only count scratch bytes.
// `K::supports` says what it does not take; tensors and scratch memory that 32-bit indices cannot reach are refused
// for all.
template <class K>
struct LaunchKernel {
  static std::string supports(const abi::Problem& p) {
    for (size_t i = 0; i < p.inputs() + p.outputs(); ++i) {
      int64_t n = 1;
      for (int64_t d : i < p.inputs() ? p.in_shape(i) : p.out_shape(i - p.inputs())) n *= d;
      if (n >= int64_t{1} << 31) return "only tensors below 2^31 elements";
    }
    if (std::string why = K::supports(p); !why.empty()) return why;
    Launches counting(kAlignment);
    K::build(counting, p, nullptr);
    return counting.too_large() ? "only scratch memory below 2^31 elements" : "";
  }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    Launches counting(info.alignment);
    K::build(counting, p, nullptr);
    return counting.scratch_bytes();
  }
  LaunchKernel(cutset_device device, const abi::Problem& p, const abi::Operands& at)
      : launches_(of(device), at.scratch) {
    K::build(launches_, p, &at);
  }
  void enqueue(cutset_queue queue) { launches_.run(queue); }

 private:
  Launches launches_;
};

inline int64_t elements(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
// An unsigned type of so many bytes, for kernels that only move elements.
const char* bits_type(int64_t bytes);
const char* c_type(DType type);                                               // "float"; null: none
std::string only(const abi::Problem& p, std::initializer_list<DType> types);  // of all operands and results
cutset_tensor in(const abi::Operands* at, size_t i);
cutset_tensor out(const abi::Operands* at, size_t i);

// One kernel an element, `n` of them: work-groups of 64.
inline constexpr size_t kFlat = 64;

}  // namespace cutset::opencl

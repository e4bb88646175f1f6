// SPDX-License-Identifier: Apache-2.0
// Kernels in a language that OpenCL C and CUDA C++ share, as lists of launches. A backend that has a compiler
// for this language gets all kernels of backends/portable/kernels. It defines `target` and `load` below, and
// the functions of gemm.h and im2col.h.
//
// The source of a kernel is C with these additions, which each backend defines as macros:
// - KERNEL(name) begins a kernel with the name `name`.
// - FUNCTION begins any other function.
// - GLOBAL qualifies a pointer to the memory of the device.
// - TENSOR(type, name) is a parameter that is a tensor.
// - BIND(type, name) at the start of the kernel declares `name` as the pointer to the tensor's first element.
// - ITEM is the number of the work-item, of type int, in a flat launch.
// - FLOAT_OF(bits) is the float with these 32 bits, and BITS_OF(number) are the bits of a float as a uint.
//
// The types are uchar, ushort, uint, ulong (64 bits), char, short, int, long (64 bits), float, and int8, a
// struct of the ints s0 to s7. The functions are cospi, and the functions of C's <math.h> that OpenCL C also
// has, without the suffix f. The compiler must not contract operations to fused multiply-adds. A source that
// needs a fused multiply-add calls fma. Expressions are rounded as in the reference kernels.
#pragma once
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "runtime/abi/half_kernel.h"

namespace cutset::portable {

// A tensor of a kernel: an operand, a result, or a block of scratch memory. Each run provides its address.
struct Memory {
  enum class Kind { kIn, kOut, kScratch } kind;
  uint64_t index;  // the index of the operand or result, or the offset in scratch memory in bytes
};
// Return operand or result i.
inline Memory in(uint64_t i) { return {Memory::Kind::kIn, i}; }
inline Memory out(uint64_t i) { return {Memory::Kind::kOut, i}; }

// Returns the slice in which a tensor lies in an execution with the operands `at`.
cutset_slice locate(const Memory& memory, const abi::Operands& at);

// An argument of a kernel: a tensor, or a number that is passed by value.
struct Argument {
  size_t size = 0;  // in bytes; 0: a tensor
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
    int32_t at[8] = {};
  };
  Argument(const Vector& v) : Argument(&v, sizeof v) {}
  struct Wide {  // ulong
    uint64_t value;
  };
  Argument(Wide v) : Argument(&v, sizeof v) {}
  struct Short {  // ushort
    uint16_t value;
  };
  Argument(Short v) : Argument(&v, sizeof v) {}
  struct Byte {  // uchar
    uint8_t value;
  };
  Argument(Byte v) : Argument(&v, sizeof v) {}

 private:
  Argument(const void* from, size_t n) : size(n) { std::memcpy(bytes, from, n); }
};

// The number of groups of a launch, and the number of work-items per group, in three dimensions.
struct Extent {
  int64_t x = 1, y = 1, z = 1;
};
struct Grid {
  Extent groups, items;  // items: per group
};

struct Launch {
  std::string source;
  std::string kernel;  // the name of the kernel in the source
  Grid grid;
  std::vector<Argument> arguments;
};

// The launches that make up a kernel of the device ABI, in the order in which they run.
class Launches {
 public:
  // Appends a launch. A launch without work-items is left out.
  void add(std::string source, std::string kernel, const Grid& grid, std::vector<Argument> arguments);
  // Appends a flat launch of at least `items` work-items. The launch may have more work-items, so the kernel
  // must check that ITEM is less than `items`.
  void add_flat(std::string source, std::string kernel, int64_t items, std::vector<Argument> arguments);

  // Requires that division and sqrt of floats are rounded correctly. An OpenCL device that rounds them
  // otherwise refuses the launches with CUTSET_UNSUPPORTED when they are compiled.
  void need_exact_division() { exact_division_ = true; }
  bool exact_division() const { return exact_division_; }
  // Returns the next block of scratch memory.
  Memory take(uint64_t bytes);
  // Returns the bytes of scratch memory that have been taken, including the alignment of each block.
  uint64_t scratch_bytes() const { return used_; }
  // Whether a number, or the index of an element in a block of floats, does not fit into 32 bits, or a launch
  // has more groups than the target can run.
  bool too_large() const { return too_large_; }
  const std::vector<Launch>& all() const { return launches_; }

 private:
  uint64_t used_ = 0;
  bool too_large_ = false, exact_division_ = false;
  std::vector<Launch> launches_;
};

// The blocks of scratch memory begin at multiples of this number of bytes.
inline constexpr uint64_t kScratchAlignment = 256;
// A tensor may have fewer elements than this, so that the index of every work-item of a flat launch fits into
// an int.
inline constexpr int64_t kMostElements = (int64_t{1} << 31) - 1024;

// The properties of a backend.
struct Target {
  const char* name;     // the name of the backend; the kernel of the op `slice` is called "slice.NAME"
  int64_t group_items;  // the work-items of a group in a flat launch, at most 1024
  Extent most_groups;   // the largest number of groups of a launch in each dimension
};
const Target& target();

// Launches that are compiled for a device.
class Loaded {
 public:
  virtual ~Loaded() = default;
  // Enqueues all launches in order, on the memory `at`, and returns without waiting for them. Throws
  // abi::Exception.
  virtual void enqueue(cutset_queue queue, const abi::Operands& at) = 0;
};
// Compiles launches for a device of the backend. Throws with the compiler's message.
std::unique_ptr<Loaded> load(cutset_device device, const Launches& launches);

// A kernel of the device ABI that is one list of launches. `K::build(launches, problem)` appends the
// launches. `K::supports(problem)` refuses the problems that the kernel cannot compute. Problems for which
// 32-bit indices do not suffice are refused for every K.
template <class K>
struct LaunchKernel {
  static std::string supports(const cutset_device_info&, const abi::Problem& p);
  static uint64_t scratch(const cutset_device_info&, const abi::Problem& p) {
    return built(p).scratch_bytes();
  }
  LaunchKernel(cutset_device device, const abi::Problem& p) {
    const Launches launches = built(p);
    scratch_bytes_ = launches.scratch_bytes();
    loaded_ = load(device, launches);
  }
  uint64_t scratch_bytes() const { return scratch_bytes_; }
  void enqueue(cutset_queue queue, const abi::Operands& at) { loaded_->enqueue(queue, at); }

 private:
  static Launches built(const abi::Problem& p) {
    Launches launches;
    K::build(launches, p);
    return launches;
  }
  uint64_t scratch_bytes_;
  std::unique_ptr<Loaded> loaded_;
};

// The conversions between 16-bit floats and f32 around a kernel (runtime/abi/half_kernel.h).
class HalfConversion {
 public:
  HalfConversion(cutset_device device, const std::vector<abi::FloatProblem::Half>& halves, bool results);
  void enqueue(cutset_queue queue, const cutset_slice* from, const cutset_slice* to, const cutset_run* run);

 private:
  std::unique_ptr<Loaded> loaded_;
};

// Registers the kernel class K for the op `op` under the name `name`. K computes in f32, and f16 and bf16 are
// converted.
template <class K>
void add_kernel(abi::KernelTable& kernels, const char* op, const char* name) {
  kernels.add<abi::HalfKernel<K, HalfConversion>>(op, name);
}
// Does the same for LaunchKernel<K>, under the name "OP.TARGET".
template <class K>
void add_kernel(abi::KernelTable& kernels, const char* op) {
  add_kernel<LaunchKernel<K>>(kernels, op, kernels.keep(std::string(op) + "." + target().name));
}
// Appends all kernels of backends/portable/kernels.
void add_portable_kernels(abi::KernelTable& kernels);

// Returns an empty string if all tensors have fewer than kMostElements elements, and otherwise the reason.
std::string check_sizes(const abi::Problem& p);
// Returns an empty string if kernels have a C type for `type` (c_type), and otherwise the reason for the
// refusal.
std::string check_c_type(DType type);
// Does the same for all operands and results.
std::string check_c_types(const abi::Problem& p);
// Returns an empty string if all operands and results have one of the element types `types`, and otherwise
// the reason for the refusal.
std::string only(const abi::Problem& p, std::initializer_list<DType> types);
// The base of a kernel that supports only operands and results of f32.
struct SupportsF32 {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
};
// Returns the type of the shared language for an element type, such as "float", or null if there is none. f16
// and bf16 have none: halves.h stores them as ushort, and a kernel that does not use halves.h gets f32 in
// their place (runtime/abi/half_kernel.h).
const char* c_type(DType type);

inline int64_t elements(std::span<const int64_t> shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

template <class K>
std::string LaunchKernel<K>::supports(const cutset_device_info&, const abi::Problem& p) {
  if (std::string why = check_sizes(p); !why.empty()) return why;
  if (std::string why = K::supports(p); !why.empty()) return why;
  return built(p).too_large()
             ? "the kernel supports only problems whose numbers and scratch-memory indices fit into 32 bits"
             : "";
}

}  // namespace cutset::portable

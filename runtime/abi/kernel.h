// SPDX-License-Identifier: Apache-2.0
// Lets a backend write a kernel as a C++ class. KernelTable turns such a class into a cutset_kernel:
//
//   struct Relu : NoScratch {
//     // Empty if the kernel can compute the problem on such a device, otherwise the reason.
//     static std::string supports(const cutset_device_info&, const Problem& p);
//     // The bytes of scratch memory on such a device.
//     static uint64_t scratch(const cutset_device_info&, const Problem& p);
//     Relu(cutset_device device, const Problem& p);
//     // The bytes of scratch memory of this plan.
//     uint64_t scratch_bytes() const;
//     void enqueue(cutset_queue queue, const Operands& at);
//   };
//   KernelTable kernels;
//   kernels.add<Relu>("relu", "relu.mine");
//
// The functions of the class may throw: error.h turns an exception into an error of the ABI. A class that
// needs no scratch memory derives from NoScratch instead of defining `scratch` and `scratch_bytes`. Two
// static members are optional:
// - `kMayRefuse`: if the class has it, the constructor may throw CUTSET_UNSUPPORTED
//   (cutset_kernel::may_refuse).
// - `const char* identity(cutset_device device)`: returns the text of cutset_kernel::identity.
#pragma once
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/core/types.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/abi/error.h"

namespace cutset::abi {

inline TensorType type_of(const cutset_type& t) {
  return {static_cast<DType>(t.dtype), Shape(t.shape, t.shape + t.rank)};
}

// A cutset_problem with accessors. `A` is the generated attribute struct of the op.
struct Problem {
  const cutset_problem* raw;
  template <class A>
  const A& attributes() const {
    return *static_cast<const A*>(raw->attributes);
  }
  size_t inputs() const { return raw->in_count; }
  size_t outputs() const { return raw->out_count; }
  std::span<const int64_t> in_shape(size_t i) const { return shape_of(*raw->in[i]); }
  std::span<const int64_t> out_shape(size_t i) const { return shape_of(*raw->out[i]); }
  DType in_type(size_t i) const { return static_cast<DType>(raw->in[i]->dtype); }
  DType out_type(size_t i) const { return static_cast<DType>(raw->out[i]->dtype); }
  // Returns the operands, followed by the results.
  const cutset_type& tensor(size_t i) const { return i < inputs() ? *raw->in[i] : *raw->out[i - inputs()]; }

  Types in_types() const {
    Types types;
    for (size_t i = 0; i < inputs(); ++i) types.push_back(type_of(*raw->in[i]));
    return types;
  }

  // Two common conditions of `supports`. Each function returns an empty string if the problem meets the
  // condition, and otherwise the reason. only_f32: all operands and results are f32, and no dimension has the
  // size 0. no_empty: no dimension has the size 0.
  std::string only_f32() const {
    for (size_t i = 0; i < inputs() + outputs(); ++i)
      if (const auto type = static_cast<DType>(tensor(i).dtype); type != DType::f32)
        return std::string("only f32, not ") + name_of(type);
    return no_empty();
  }
  std::string no_empty() const {
    for (size_t i = 0; i < inputs() + outputs(); ++i)
      for (int64_t d : shape_of(tensor(i)))
        if (d == 0) return "no tensors of size 0";
    return "";
  }

 private:
  static std::span<const int64_t> shape_of(const cutset_type& t) {
    return {t.shape, static_cast<size_t>(t.rank)};
  }
};

// The memory of one execution; see cutset_kernel::enqueue.
struct Operands {
  const cutset_slice *in, *out, *scratch;
  const cutset_run* run;
};

struct NoScratch {
  static uint64_t scratch(const cutset_device_info&, const Problem&) { return 0; }
  uint64_t scratch_bytes() const { return 0; }
};

// The kernels of a backend, in order of preference. It must live as long as the process, because the
// backend's table points to it.
class KernelTable {
 public:
  // `identity` is cutset_kernel::identity of the kernels whose class does not define `identity`.
  explicit KernelTable(const cutset_error* (*identity)(cutset_device, const char**) = nullptr)
      : identity_(identity) {}

  // Appends the kernel class K for the op `op`. The strings are not copied.
  template <class K>
  void add(const char* op, const char* name) {
    auto identity = identity_;
    if constexpr (requires(cutset_device device) { K::identity(device); }) identity = &identity_of<K>;
    kernels_.push_back(&own_.emplace_back(cutset_kernel{.size = sizeof(cutset_kernel),
                                                        .op = op,
                                                        .name = name,
                                                        .supports = &supports<K>,
                                                        .scratch = &scratch<K>,
                                                        .prepare = &prepare<K>,
                                                        .enqueue = &enqueue<K>,
                                                        .release = &release<K>,
                                                        .may_refuse = requires { K::kMayRefuse; },
                                                        .identity = identity}));
  }
  // Appends kernels that live as long as the process.
  void add(const std::vector<const cutset_kernel*>& more) {
    kernels_.insert(kernels_.end(), more.begin(), more.end());
  }
  const std::vector<const cutset_kernel*>& kernels() const { return kernels_; }
  // Copies a name into the table and returns a pointer that is valid as long as the table, for names that are
  // computed.
  const char* keep(std::string name) { return names_.emplace_back(std::move(name)).c_str(); }

 private:
  template <class K>
  static const cutset_error* supports(const cutset_device_info* info, const cutset_problem* p) {
    std::string why;
    if (const cutset_error* e = guard([&] { why = K::supports(*info, Problem{p}); })) return e;
    return why.empty() ? nullptr : keep_error(CUTSET_UNSUPPORTED, std::move(why));
  }
  template <class K>
  static const cutset_error* scratch(const cutset_device_info* info, const cutset_problem* p,
                                     uint64_t* bytes) {
    return guard([&] { *bytes = K::scratch(*info, Problem{p}); });
  }
  template <class K>
  static const cutset_error* prepare(cutset_device device, const cutset_problem* p, cutset_plan* plan,
                                     uint64_t* scratch_bytes) {
    return guard([&] {
      auto kernel = std::make_unique<K>(device, Problem{p});
      *scratch_bytes = kernel->scratch_bytes();
      *plan = reinterpret_cast<cutset_plan>(kernel.release());
    });
  }
  template <class K>
  static const cutset_error* enqueue(cutset_queue queue, cutset_plan plan, const cutset_slice* in,
                                     const cutset_slice* out, const cutset_slice* scratch,
                                     const cutset_run* run) {
    return guard([&] { reinterpret_cast<K*>(plan)->enqueue(queue, Operands{in, out, scratch, run}); });
  }
  template <class K>
  static void release(cutset_plan plan) {
    delete reinterpret_cast<K*>(plan);
  }

  template <class K>
  static const cutset_error* identity_of(cutset_device device, const char** identity) {
    return guard([&] { *identity = K::identity(device); });
  }

  const cutset_error* (*identity_)(cutset_device, const char**);
  std::deque<cutset_kernel> own_;
  std::vector<const cutset_kernel*> kernels_;
  std::deque<std::string> names_;
};

}  // namespace cutset::abi

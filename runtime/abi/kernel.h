// Lets a backend write a kernel as a C++ class. KernelTable turns such a class into a cutset_kernel:
//
//   struct Relu {
//     static std::string supports(const Problem& p);  // empty if it can compute the problem, otherwise the reason
//     static uint64_t scratch(const cutset_device_info&, const Problem& p);  // bytes
//     Relu(cutset_device device, const Problem& p, const Operands& at);
//     void enqueue(cutset_queue queue);
//   };
//   KernelTable kernels;
//   kernels.add<Relu>("relu", "relu.mine");
//
// The functions of the class may throw: the text of the exception becomes the error message of the ABI.
#pragma once
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "ir/core/types.h"
#include "runtime/abi/cutset_device.h"
#include "runtime/abi/host_device.h"

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
  std::span<const int64_t> in_shape(size_t i) const { return {raw->in[i].shape, static_cast<size_t>(raw->in[i].rank)}; }
  std::span<const int64_t> out_shape(size_t i) const {
    return {raw->out[i].shape, static_cast<size_t>(raw->out[i].rank)};
  }
  DType in_type(size_t i) const { return static_cast<DType>(raw->in[i].dtype); }
  DType out_type(size_t i) const { return static_cast<DType>(raw->out[i].dtype); }

  Types in_types() const {
    Types types;
    for (size_t i = 0; i < inputs(); ++i) types.push_back(type_of(raw->in[i]));
    return types;
  }

  // Two common conditions of `supports`. Each returns an empty string if the problem meets it and otherwise the reason.
  // only_f32: all operands and results are f32, and none has a size of 0. no_empty: none has a size of 0.
  std::string only_f32() const {
    for (size_t i = 0; i < inputs(); ++i)
      if (in_type(i) != DType::f32) return std::string("only f32, not ") + name_of(in_type(i));
    for (size_t i = 0; i < outputs(); ++i)
      if (out_type(i) != DType::f32) return std::string("only f32, not ") + name_of(out_type(i));
    return no_empty();
  }
  std::string no_empty() const {
    for (size_t i = 0; i < inputs() + outputs(); ++i)
      for (int64_t d : i < inputs() ? in_shape(i) : out_shape(i - inputs()))
        if (d == 0) return "no tensors of size 0";
    return "";
  }
};

// The tensors that an instance is bound to. The comment of cutset_kernel::instantiate says which of them may be null.
struct Operands {
  const cutset_tensor* in;
  const cutset_tensor* out;
  cutset_tensor scratch;
};

// The kernels of a backend, in order of preference. It must live as long as the process, because the backend's table
// points to it.
class KernelTable {
 public:
  // Appends the kernel class K for the op `op`. The strings are not copied.
  template <class K>
  void add(const char* op, const char* name) {
    kernels_.push_back({.size = sizeof(cutset_kernel),
                        .op = op,
                        .name = name,
                        .supports = &supports<K>,
                        .scratch = &scratch<K>,
                        .instantiate = &instantiate<K>,
                        .enqueue = &enqueue<K>,
                        .release = &release<K>});
  }
  void add(const std::vector<cutset_kernel>& more) { kernels_.insert(kernels_.end(), more.begin(), more.end()); }
  const std::vector<cutset_kernel>& kernels() const { return kernels_; }
  // Copies a name into the table and returns a pointer that is valid as long as the table, for names that are computed.
  const char* keep(std::string name) { return names_.emplace_back(std::move(name)).c_str(); }

 private:
  template <class K>
  static const char* supports(const cutset_problem* p) {
    std::string why;
    if (const char* e = guard([&] { why = K::supports(Problem{p}); })) return e;
    return why.empty() ? nullptr : keep_message(std::move(why));
  }
  template <class K>
  static const char* scratch(const cutset_device_info* info, const cutset_problem* p, uint64_t* bytes) {
    return guard([&] { *bytes = K::scratch(*info, Problem{p}); });
  }
  template <class K>
  static const char* instantiate(cutset_device device, const cutset_problem* p, const cutset_tensor* in,
                                 const cutset_tensor* out, cutset_tensor scratch, cutset_instance* instance) {
    return guard(
        [&] { *instance = reinterpret_cast<cutset_instance>(new K(device, Problem{p}, Operands{in, out, scratch})); });
  }
  template <class K>
  static const char* enqueue(cutset_queue queue, cutset_instance instance) {
    return guard([&] { reinterpret_cast<K*>(instance)->enqueue(queue); });
  }
  template <class K>
  static void release(cutset_instance instance) {
    delete reinterpret_cast<K*>(instance);
  }

  std::vector<cutset_kernel> kernels_;
  std::deque<std::string> names_;
};

}  // namespace cutset::abi

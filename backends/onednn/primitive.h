// SPDX-License-Identifier: Apache-2.0
// Chains of oneDNN primitives, and parallel loops on oneDNN's threads. The kernels of this backend use them.
//
// Cutset's tensors are plain: row-major and contiguous. If a primitive needs another layout, the chain has
// reorders before and after it, which convert the tensors through scratch memory. Scratchpads of primitives
// are in scratch memory as well. All primitives that one thread has made share oneDNN's own scratchpad, so
// two devices would overwrite each other's data.
#pragma once
#include <dnnl.hpp>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/abi/half_kernel.h"
#include "runtime/abi/host_device.h"

namespace cutset::onednn {

// Returns the CPU engine of oneDNN, one per process.
const dnnl::engine& engine();
// Sets the number of OpenMP threads of the calling thread to the number of threads of a device. The
// destructor restores the earlier number, because the thread may belong to the user. When a primitive is
// made, the number of threads determines its scratchpad and the division of its work. This class is therefore
// needed both when primitives are made and when they run.
class UseThreads {
 public:
  explicit UseThreads(const cutset_device_info& info);
  ~UseThreads();
  UseThreads(const UseThreads&) = delete;

 private:
  int before_, now_;
};
// Returns the oneDNN stream of the calling thread.
dnnl_stream_t stream();

// Divides 0 to n - 1 into one range per thread of the device and calls f(first, last) for each range [first,
// last) that is not empty, on a thread of oneDNN. The ranges depend on n and the number of threads alone.
// Returns when all calls have returned. `f` must not throw.
template <class F>
void parallel_for(cutset_queue queue, int64_t n, F&& f);
// Does the same for n elements, but calls f(0, n) on the calling thread if n < 2 * least: each of two threads
// would have fewer than `least` elements, and one thread is done before another has begun.
template <class F>
void parallel_for_large(cutset_queue queue, int64_t n, int64_t least, F&& f) {
  if (n < 2 * least)
    f(0, n);
  else
    parallel_for(queue, n, std::forward<F>(f));
}
// Divides 0 to n - 1 into one range per part of the scratch memory, and calls f(part, first, last) for each
// range on the threads of the device. A part has `floats` elements. The scratch memory has one part for each
// thread that the program was compiled for. If `alone`, there is one range. `f` must not throw.
template <class F>
void parallel_for_parts(cutset_queue queue, const cutset_slice& scratch, int64_t floats, int64_t n,
                        bool alone, F&& f) {
  const auto parts = static_cast<int64_t>(scratch.bytes / sizeof(float)) / floats;
  auto* memory = static_cast<float*>(abi::address(scratch));
  if (alone || parts < 2) return f(memory, 0, n);
  parallel_for(queue, parts, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) f(memory + i * floats, n * i / parts, n * (i + 1) / parts);
  });
}

// Returns the description of an f32 tensor that is row-major and contiguous.
dnnl::memory::desc plain(std::span<const int64_t> shape);
// Returns the description of an f32 tensor whose layout the primitive chooses.
dnnl::memory::desc any(std::span<const int64_t> shape);
// Returns the attribute of a primitive whose scratchpad the caller provides.
inline dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

// A sequence of primitives with their reorders. It is bound to no memory: each run receives the operands.
class Chain {
 public:
  // The place of an operand of a primitive: an operand or a result of the kernel, or its scratch memory.
  struct Place {
    enum class Kind { kIn, kOut, kScratch } kind;
    uint64_t index;  // the index of the operand or result, or the offset in scratch memory in bytes
  };
  // An operand or result of a primitive. The chain adds a reorder if the two layouts differ.
  struct Argument {
    int name;                         // DNNL_ARG_SRC and so on
    dnnl::memory::desc of_primitive;  // the layout that the primitive needs
    dnnl::memory::desc of_tensor;     // the layout of the tensor
    Place place;
  };
  // Appends the primitive that `pd` describes, with reorders of its operands before it and of its results
  // after it.
  template <class Primitive, class Desc>
  void add(const Desc& pd, const std::vector<Argument>& arguments) {
    add_primitive(Primitive(pd), pd.scratchpad_desc(), arguments);
  }
  // The layout of a tensor, and its place.
  struct Memory {
    dnnl::memory::desc layout;
    Place place;
  };
  // Returns the next block of scratch memory, for the caller or for primitives that are added later.
  Memory take(const dnnl::memory::desc& layout);
  // Returns the bytes of scratch memory of everything that has been added.
  uint64_t scratch_bytes() const { return used_; }
  // Returns the number of primitives and reorders that have been added.
  size_t size() const { return steps_.size(); }
  // Runs the primitives in order on the memory `at` and returns when they are done. Throws if oneDNN reports
  // an error.
  void run(cutset_queue queue, const abi::Operands& at) { run(queue, at, 0, steps_.size()); }
  // Does the same with the primitives [first, last) alone.
  void run(cutset_queue queue, const abi::Operands& at, size_t first, size_t last);

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;
    std::vector<Place> places;               // the places of the memories
    std::vector<void*> addresses;            // the addresses of the memories in the last run
    std::vector<dnnl_exec_arg_t> arguments;  // the memories as oneDNN takes them
  };
  void add_primitive(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                     const std::vector<Argument>& arguments);
  void add_reorder(const Memory& from, const Memory& to);
  void append(dnnl::primitive primitive, const std::map<int, Memory>& arguments);

  uint64_t used_ = 0;
  std::vector<Step> steps_;
};

inline constexpr Chain::Place in(uint64_t index) { return {Chain::Place::Kind::kIn, index}; }
inline constexpr Chain::Place out(uint64_t index) { return {Chain::Place::Kind::kOut, index}; }

// A kernel that is one chain. `K::build(chain, problem)` appends its primitives.
template <class K>
struct ChainKernel {
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    UseThreads threads(info);
    Chain chain;
    K::build(chain, p);
    return chain.scratch_bytes();
  }
  ChainKernel(cutset_device device, const abi::Problem& p) {
    UseThreads threads(abi::host(device)->info);
    K::build(chain_, p);
  }
  uint64_t scratch_bytes() const { return chain_.scratch_bytes(); }
  void enqueue(cutset_queue queue, const abi::Operands& at) { chain_.run(queue, at); }

 private:
  Chain chain_;
};

// Calls member(data, number, threads) on each of the `threads` threads of the device, numbered from 0, for
// parallel_for.
void run_team(cutset_queue queue, void (*member)(void*, int64_t number, int64_t threads), void* data);

template <class F>
void parallel_for(cutset_queue queue, int64_t n, F&& f) {
  struct Team {
    F& f;
    int64_t n;
  } team{f, n};
  run_team(
      queue,
      [](void* data, int64_t number, int64_t threads) {
        Team& t = *static_cast<Team*>(data);
        const int64_t first = t.n * number / threads, last = t.n * (number + 1) / threads;
        if (first < last) t.f(first, last);
      },
      &team);
}

// The conversions between 16-bit floats and f32 around a kernel, on all threads (runtime/abi/half_kernel.h).
class HalfConversion {
 public:
  HalfConversion(cutset_device, const std::vector<abi::FloatProblem::Half>& halves, bool results);
  void enqueue(cutset_queue queue, const cutset_slice* from, const cutset_slice* to, const cutset_run*);

 private:
  std::vector<abi::FloatProblem::Half> halves_;
};
// Registers the kernel class K, which computes in f32; f16 and bf16 are converted.
template <class K>
void add_kernel(abi::KernelTable& kernels, const char* op, const char* name) {
  kernels.add<abi::HalfKernel<K, HalfConversion>>(op, name);
}

}  // namespace cutset::onednn

// A chain of oneDNN primitives over planned memory: what each kernel of this backend is.
//
// Tensors are plain (row-major) in Cutset. A primitive that wants another layout gets reorders around it,
// into scratch memory. Scratchpads are planned too, since oneDNN's own are shared by all primitives that
// one thread made, and two devices would then write over each other.
#pragma once
#include <dnnl.hpp>
#include <map>
#include <vector>

#include "runtime/abi/kernel.h"

namespace cutset::onednn {

const dnnl::engine& engine();
// While it lives, oneDNN sees the device's number of threads on the calling thread, which may be the user's: it gets
// its own number back. A primitive fixes its scratchpad and its partition when it is made, by the threads of whoever
// makes it, so this is needed then too.
class UseThreads {
 public:
  explicit UseThreads(const cutset_device_info& info);
  ~UseThreads();
  UseThreads(const UseThreads&) = delete;

 private:
  int before_, now_;
};
// The stream of the calling thread.
dnnl_stream_t stream();

// Calls f(first, last) for pieces of 0..n-1, each on one of the threads that oneDNN uses too, whatever
// compiler builds this: pieces are fixed by n and the number of threads. `f` must not throw.
template <class F>
void parallel_for(cutset_queue queue, int64_t n, F&& f);

dnnl::memory::desc plain(std::span<const int64_t> shape);
dnnl::memory::desc any(std::span<const int64_t> shape);
inline dnnl::primitive_attr user_scratchpad() {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

class Chain {
 public:
  // Without a scratch tensor the chain can only say how many bytes it wants: scratch() and the constructor
  // of a kernel run the same code.
  explicit Chain(cutset_tensor scratch) : scratch_(scratch ? static_cast<char*>(abi::host(scratch)->data) : nullptr) {}

  // A tensor of Cutset's as the primitive wants it: itself, or a reordered copy.
  struct Argument {
    int name;
    dnnl::memory::desc wanted, given;
    cutset_tensor tensor;  // null while only counting
    bool result = false;
  };
  // Adds the primitive with its reorders, results after it. `pd` owns the scratchpad's size.
  template <class Primitive, class Desc>
  void add(const Desc& pd, const std::vector<Argument>& arguments) {
    add_primitive(Primitive(pd), pd.scratchpad_desc(), arguments);
  }
  uint64_t scratch_bytes() const { return used_; }
  void run(cutset_queue queue);

 private:
  struct Step {
    dnnl::primitive primitive;
    std::vector<dnnl::memory> memories;
    std::vector<dnnl_exec_arg_t> arguments;
  };
  void add_primitive(dnnl::primitive primitive, const dnnl::memory::desc& scratchpad,
                     const std::vector<Argument>& arguments);
  void add_reorder(const dnnl::memory& from, const dnnl::memory& to);
  void append(dnnl::primitive primitive, std::map<int, dnnl::memory> arguments);
  void* take(uint64_t bytes);

  char* scratch_ = nullptr;
  uint64_t used_ = 0;
  std::vector<Step> steps_;
};

// A kernel that is one chain. `K::build(chain, problem, at)` adds its primitives; `at` null: only to count
// scratch bytes.
template <class K>
struct ChainKernel {
  static std::string supports(const abi::Problem& p) { return p.only_f32(); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    UseThreads threads(info);
    Chain chain(nullptr);
    K::build(chain, p, nullptr);
    return chain.scratch_bytes();
  }
  ChainKernel(cutset_device device, const abi::Problem& p, const abi::Operands& at) : chain_(at.scratch) {
    UseThreads threads(abi::host(device)->info);
    K::build(chain_, p, &at);
  }
  void enqueue(cutset_queue queue) { chain_.run(queue); }

 private:
  Chain chain_;
};

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

}  // namespace cutset::onednn

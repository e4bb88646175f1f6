// SPDX-License-Identifier: Apache-2.0
// Computes on all threads whether all elements of all operands are finite.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "ir/structural/all_finite/finite.h"

namespace cutset::onednn {
namespace {

CUTSET_FOR_EACH_PROCESSOR
bool finite(const float* x, int64_t n) { return all_are_finite(x, n); }

class AllFinite : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    for (size_t i = 0; i < p.inputs(); ++i)
      if (p.in_type(i) != DType::f32)
        return std::string("the kernel supports only f32, not ") + name_of(p.in_type(i));
    return "";
  }
  AllFinite(cutset_device, const abi::Problem& p) {
    for (const TensorType& type : p.in_types()) {
      elements_.push_back(type.elements());
      total_ += type.elements();
    }
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    std::atomic<bool> all = true;
    // The threads divide the elements of all operands, one after the other.
    parallel_for_large(queue, total_, kLeastElements, [&](int64_t first, int64_t last) {
      bool all_of_thread = true;
      int64_t start = 0;  // where the elements of operand i begin
      for (size_t i = 0; i < elements_.size() && start < last; start += elements_[i++]) {
        const int64_t begin = std::max<int64_t>(first - start, 0), end = std::min(last - start, elements_[i]);
        if (begin < end)
          all_of_thread &= finite(static_cast<const float*>(abi::address(at.in[i])) + begin, end - begin);
      }
      if (!all_of_thread) all.store(false, std::memory_order_relaxed);
    });
    *static_cast<bool*>(abi::address(at.out[0])) = all;
  }

 private:
  static constexpr int64_t kLeastElements = 65536;  // per thread
  std::vector<int64_t> elements_;                   // by operand
  int64_t total_ = 0;
};

}  // namespace

void register_all_finite(abi::KernelTable& kernels) {
  add_kernel<AllFinite>(kernels, "all_finite", "all_finite.vectors");
}

}  // namespace cutset::onednn

// SPDX-License-Identifier: Apache-2.0
// The gradient of gather on all threads. Each thread owns a range of the rows of the table and reads all
// indices. The gradients of a row are therefore added in the order of the indices for any number of threads.
#include <algorithm>

#include "backends/onednn/primitive.h"
#include "ir/ops/gather/gather_attrs.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::onednn {
namespace {

class GatherBackward : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return p.in_type(0) == DType::f32
               ? ""
               : std::string("the kernel supports only f32, not ") + name_of(p.in_type(0));
  }
  GatherBackward(cutset_device, const abi::Problem& p)
      : s_(shape_of(p.in_shape(2), p.in_shape(1), p.attributes<GatherBackwardAttrs>())),
        wide_(p.in_type(1) == DType::i64) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    if (wide_)
      add(queue, at, static_cast<const int64_t*>(abi::address(at.in[1])));
    else
      add(queue, at, static_cast<const int32_t*>(abi::address(at.in[1])));
  }

 private:
  static GatherShape shape_of(std::span<const int64_t> data, std::span<const int64_t> indices,
                              const GatherBackwardAttrs& a) {
    return *gather_shape(data, indices, a.axis, a.first_row, a.table_rows);
  }
  template <class Index>
  void add(cutset_queue queue, const abi::Operands& at, const Index* indices) {
    const auto* g = static_cast<const float*>(abi::address(at.in[0]));
    auto* d = static_cast<float*>(abi::address(at.out[0]));
    parallel_for(queue, s_.length, [&](int64_t first, int64_t last) {
      for (int64_t o = 0; o < s_.outer; ++o) {
        float* table = d + o * s_.length * s_.inner;
        std::fill(table + first * s_.inner, table + last * s_.inner, 0.0f);
        const float* from = g + o * s_.indices * s_.inner;
        for (int64_t i = 0; i < s_.indices; ++i, from += s_.inner) {
          const int64_t row = gathered_row(indices[i], s_);
          if (row < first || row >= last) continue;
          float* to = table + row * s_.inner;
          for (int64_t k = 0; k < s_.inner; ++k) to[k] += from[k];
        }
      }
    });
  }

  GatherShape s_;
  bool wide_;
};

}  // namespace

void register_gather(abi::KernelTable& kernels) {
  add_kernel<GatherBackward>(kernels, "gather_backward", "gather_backward.rows");
}

}  // namespace cutset::onednn

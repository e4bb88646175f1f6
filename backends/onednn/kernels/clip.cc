// SPDX-License-Identifier: Apache-2.0
// Clip in vectors and on all threads.
#include "backends/onednn/for_each_processor.h"
#include "backends/onednn/primitive.h"
#include "ir/ops/clip/clip_attrs.h"

namespace cutset::onednn {
namespace {

// A bound that is NaN makes all elements NaN. Elements that are NaN stay NaN.
CUTSET_FOR_EACH_PROCESSOR
void raise(const float* x, float bound, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] < bound || bound != bound ? bound : x[i];
}
CUTSET_FOR_EACH_PROCESSOR
void lower(const float* x, float bound, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] > bound || bound != bound ? bound : x[i];
}
CUTSET_FOR_EACH_PROCESSOR
void raise_and_lower(const float* x, float low, float high, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const float raised = x[i] < low || low != low ? low : x[i];
    y[i] = raised > high || high != high ? high : raised;
  }
}

class Clip : public abi::NoScratch {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    return p.inputs() == 1 ? "the kernel supports only clips with a bound" : p.only_f32();
  }
  Clip(cutset_device, const abi::Problem& p)
      : at_(clip_operands(p.attributes<ClipAttrs>(), p.inputs())),
        elements_(abi::type_of(p.tensor(0)).elements()) {}
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    const auto operand = [&](size_t i) { return static_cast<const float*>(abi::address(at.in[i])); };
    const float *x = operand(0), *low = at_.minimum ? operand(at_.minimum.first) : nullptr,
                *high = at_.maximum ? operand(at_.maximum.first) : nullptr;
    auto* y = static_cast<float*>(abi::address(at.out[0]));
    parallel_for_large(queue, elements_, kLeastElements, [&](int64_t first, int64_t last) {
      if (low && high)
        raise_and_lower(x + first, *low, *high, y + first, last - first);
      else if (low)
        raise(x + first, *low, y + first, last - first);
      else
        lower(x + first, *high, y + first, last - first);
    });
  }

 private:
  static constexpr int64_t kLeastElements = 32768;  // per thread
  ClipOperands at_;
  int64_t elements_;
};

}  // namespace

void register_clip(abi::KernelTable& kernels) { add_kernel<Clip>(kernels, "clip", "clip.vectors"); }

}  // namespace cutset::onednn

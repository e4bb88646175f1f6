// Max-pooling over planes in parallel. oneDNN's own drops NaN, and its backward needs a workspace that only
// its forward makes.
#include "backends/onednn/primitive.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::onednn {
namespace {

// Without padding every window is whole, and the loops need no branch.
std::string whole_windows(const abi::Problem& p, cutset_i64s padding) {
  if (padding.data[0] || padding.data[1]) return "only without padding";
  return p.only_f32();
}

class Forward {
 public:
  static std::string supports(const abi::Problem& p) { return whole_windows(p, p.attributes<PoolingAttrs>().padding); }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem&) { return 0; }
  Forward(cutset_device, const abi::Problem& p, const abi::Operands& at)
      : s_(*pool_shape(p.in_shape(0), p.attributes<PoolingAttrs>().kernel, p.attributes<PoolingAttrs>().stride,
                       p.attributes<PoolingAttrs>().padding)),
        x_(static_cast<const float*>(abi::host(at.in[0])->data)),
        y_(static_cast<float*>(abi::host(at.out[0])->data)) {}
  void enqueue(cutset_queue queue) {
    parallel_for(queue, s_.planes * s_.oh, [&](int64_t first, int64_t last) {
      for (int64_t line = first; line < last; ++line) {
        const float* x = x_ + (line / s_.oh * s_.h + line % s_.oh * s_.sh) * s_.w;
        float* y = y_ + line * s_.ow;
        for (int64_t j = 0; j < s_.ow; ++j) y[j] = x[j * s_.sw];
        for (int64_t k = 0; k < s_.kh; ++k)
          for (int64_t l = 0; l < s_.kw; ++l)
            for (int64_t j = 0; j < s_.ow; ++j) {
              const float v = x[k * s_.w + j * s_.sw + l];
              y[j] = v > y[j] || v != v ? v : y[j];
            }
      }
    });
  }

 private:
  PoolShape s_;
  const float* x_;
  float* y_;
};

class Backward {
 public:
  static std::string supports(const abi::Problem& p) {
    return whole_windows(p, p.attributes<PoolingBackwardAttrs>().padding);
  }
  static uint64_t scratch(const cutset_device_info&, const abi::Problem&) { return 0; }
  Backward(cutset_device, const abi::Problem& p, const abi::Operands& at)
      : s_(*pool_shape(p.in_shape(1), p.attributes<PoolingBackwardAttrs>().kernel,
                       p.attributes<PoolingBackwardAttrs>().stride, p.attributes<PoolingBackwardAttrs>().padding)),
        g_(static_cast<const float*>(abi::host(at.in[0])->data)),
        x_(static_cast<const float*>(abi::host(at.in[1])->data)),
        d_(static_cast<float*>(abi::host(at.out[0])->data)) {}
  void enqueue(cutset_queue queue) {
    parallel_for(queue, s_.planes, [&](int64_t first, int64_t last) {
      std::memset(d_ + first * s_.h * s_.w, 0, static_cast<size_t>((last - first) * s_.h * s_.w) * sizeof(float));
      for (int64_t p = first; p < last; ++p)
        for (int64_t i = 0; i < s_.oh; ++i) {
          const int64_t corner = (p * s_.h + i * s_.sh) * s_.w;
          const float* g = g_ + (p * s_.oh + i) * s_.ow;
          for (int64_t j = 0; j < s_.ow; ++j) {
            const int64_t from = corner + j * s_.sw;
            int64_t best = from;
            for (int64_t k = 0; k < s_.kh; ++k)
              for (int64_t l = 0; l < s_.kw; ++l) {
                const int64_t at = from + k * s_.w + l;
                const bool wins = (x_[at] > x_[best]) | ((x_[at] != x_[at]) & (x_[best] == x_[best]));
                best = wins ? at : best;
              }
            d_[best] += g[j];
          }
        }
    });
  }

 private:
  PoolShape s_;
  const float *g_, *x_;
  float* d_;
};

}  // namespace

void register_pooling(abi::KernelTable& kernels) {
  kernels.add<Forward>("max_pool2d", "max_pool2d.parallel");
  kernels.add<Backward>("max_pool2d_backward", "max_pool2d_backward.parallel");
}

}  // namespace cutset::onednn

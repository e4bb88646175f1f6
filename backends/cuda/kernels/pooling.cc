#include "backends/portable/pooling.h"

#include "backends/cuda/language.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::cuda {
namespace {

// There is one thread per element of the result. In the backward kernel, it adds the gradients of the windows whose
// maximum is its element, in the order of the windows, so no atomics are needed.
const char* const kSource = R"(
KERNEL(forward)(TENSOR(const float, x), TENSOR(float, y), int count, SIZES) {
  BIND(const float, x); BIND(float, y);
  int e = ITEM;
  if (e >= count) return;
  x += e / (oh * ow) * h * w;
  y[e] = x[winner(x, e / ow % oh, e % ow, h, w, oh, ow, kh, kw, sh, sw, ph, pw)];
}
KERNEL(backward)(TENSOR(const float, x), TENSOR(const float, g), TENSOR(float, d), int count, SIZES) {
  BIND(const float, x); BIND(const float, g); BIND(float, d);
  int e = ITEM;
  if (e >= count) return;
  int at = e % (h * w), plane = e / (h * w), r = at / w + ph, c = at % w + pw;
  x += plane * h * w; g += plane * oh * ow;
  // The windows that cover row r and column c of the padded plane.
  int top = r < kh ? 0 : (r - kh) / sh + 1, left = c < kw ? 0 : (c - kw) / sw + 1;
  float sum = 0;
  for (int i = top; i <= r / sh && i < oh; i++)
    for (int j = left; j <= c / sw && j < ow; j++)
      if (winner(x, i, j, h, w, oh, ow, kh, kw, sh, sw, ph, pw) == at) sum += g[i * ow + j];
  d[e] = sum;
}
)";

struct Forward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<PoolingAttrs>();
    const PoolShape s = *pool_shape(p.in_shape(0), a.kernel, a.stride, a.padding);
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(std::string(kWinner) + kSource, "forward", n,
                  {in(0), out(0), n, s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw, s.ph, s.pw});
  }
};
struct Backward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<PoolingBackwardAttrs>();
    const PoolShape s = *pool_shape(p.in_shape(1), a.kernel, a.stride, a.padding);
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(std::string(kWinner) + kSource, "backward", n,
                  {in(1), in(0), out(0), n, s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw, s.ph, s.pw});
  }
};

}  // namespace

void register_pooling(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "max_pool2d");
  add_kernel<Backward>(kernels, "max_pool2d_backward");
}

}  // namespace cutset::cuda

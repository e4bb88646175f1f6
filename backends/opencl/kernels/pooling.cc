#include "backends/portable/pooling.h"

#include "backends/opencl/launch.h"
#include "ir/ops/pooling/pooling_attrs.h"
#include "ir/ops/pooling/pooling_shape.h"

namespace cutset::opencl {
namespace {

// There is one work-item per plane, so the backward kernel can add to the elements of its plane without atomics.
const char* kSource = R"(
KERNEL(forward)(TENSOR(const float, x), TENSOR(float, y), SIZES) {
  BIND(const float, x); BIND(float, y);
  int p = ITEM;
  x += p * h * w; y += p * oh * ow;
  for (int i = 0; i < oh; i++)
    for (int j = 0; j < ow; j++) y[i * ow + j] = x[winner(x, i, j, h, w, oh, ow, kh, kw, sh, sw, ph, pw)];
}
KERNEL(backward)(TENSOR(const float, x), TENSOR(const float, g), TENSOR(float, d), SIZES) {
  BIND(const float, x); BIND(const float, g); BIND(float, d);
  int p = ITEM;
  x += p * h * w; d += p * h * w; g += p * oh * ow;
  for (int i = 0; i < h * w; i++) d[i] = 0;
  for (int i = 0; i < oh; i++)
    for (int j = 0; j < ow; j++) d[winner(x, i, j, h, w, oh, ow, kh, kw, sh, sw, ph, pw)] += g[i * ow + j];
}
)";

struct Forward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<PoolingAttrs>();
    const PoolShape s = *pool_shape(p.in_shape(0), a.kernel, a.stride, a.padding);
    list.add(std::string(kWinner) + kSource, "forward", items(s.planes),
             {in(0), out(0), s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw, s.ph, s.pw});
  }
};
struct Backward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<PoolingBackwardAttrs>();
    const PoolShape s = *pool_shape(p.in_shape(1), a.kernel, a.stride, a.padding);
    list.add(std::string(kWinner) + kSource, "backward", items(s.planes),
             {in(1), in(0), out(0), s.h, s.w, s.oh, s.ow, s.kh, s.kw, s.sh, s.sw, s.ph, s.pw});
  }
};

}  // namespace

void register_pooling(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "max_pool2d");
  add_kernel<Backward>(kernels, "max_pool2d_backward");
}

}  // namespace cutset::opencl

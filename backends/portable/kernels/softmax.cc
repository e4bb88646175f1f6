// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/block_sums.h"
#include "backends/portable/launches.h"
#include "ir/ops/softmax/softmax_attrs.h"
#include "ir/ops/softmax/softmax_lines.h"

namespace cutset::portable {
namespace {

// A work-item computes a line of `length` elements, which are `inner` elements apart. With LOG defined, the
// kernels compute log_softmax and its gradient.
const char* kSource = R"(
FUNCTION int first_of(int line, int length, int inner) { return line / inner * length * inner + line % inner; }
FUNCTION float largest(GLOBAL const float* x, int end, int inner) {
  float top = x[0];
  for (int j = inner; j < end; j += inner) top = x[j] > top ? x[j] : top;
  return top;
}
KERNEL(forward)(TENSOR(const float, x), TENSOR(float, y), int length, int inner, int lines) {
  BIND(const float, x); BIND(float, y);
  int i = ITEM, end = length * inner;
  if (i >= lines) return;
  x += first_of(i, length, inner); y += first_of(i, length, inner);
  float top = largest(x, end, inner);
#ifdef LOG
  SUM_TERMS(sum, j, length, exp(x[j * inner] - top));
  float log_of_sum = log(sum);
  for (int j = 0; j < end; j += inner) y[j] = x[j] - top - log_of_sum;
#else
  SUM_TERMS(sum, j, length, y[j * inner] = exp(x[j * inner] - top));
  for (int j = 0; j < end; j += inner) y[j] /= sum;
#endif
}
KERNEL(backward)(TENSOR(const float, g), TENSOR(const float, y), TENSOR(float, d), int length, int inner, int lines) {
  BIND(const float, g); BIND(const float, y); BIND(float, d);
  int i = ITEM, end = length * inner;
  if (i >= lines) return;
  g += first_of(i, length, inner); y += first_of(i, length, inner); d += first_of(i, length, inner);
#ifdef LOG
  SUM_TERMS(sum, j, length, g[j * inner]);
  for (int j = 0; j < end; j += inner) d[j] = g[j] - exp(y[j]) * sum;
#else
  SUM_TERMS(sum, j, length, g[j * inner] * y[j * inner]);
  for (int j = 0; j < end; j += inner) d[j] = y[j] * (g[j] - sum);
#endif
}
)";

// The kernel of softmax or of log_softmax, or of the gradient of one of them.
template <class Attrs, bool kLog>
struct Lines : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const SoftmaxLines s = *softmax_lines(p.out_shape(0), p.attributes<Attrs>().axis);
    const int64_t lines = s.length ? s.count() : 0;
    const std::string source = std::string(kLog ? "#define LOG\n" : "") + kBlockSums + kSource;
    if constexpr (std::is_same_v<Attrs, SoftmaxAttrs>)
      list.add_flat(source, "forward", lines, {in(0), out(0), s.length, s.inner, lines});
    else
      list.add_flat(source, "backward", lines, {in(0), in(1), out(0), s.length, s.inner, lines});
  }
};

}  // namespace

void register_softmax(abi::KernelTable& kernels) {
  add_kernel<Lines<SoftmaxAttrs, false>>(kernels, "softmax");
  add_kernel<Lines<SoftmaxAttrs, true>>(kernels, "log_softmax");
  add_kernel<Lines<SoftmaxBackwardAttrs, false>>(kernels, "softmax_backward");
  add_kernel<Lines<SoftmaxBackwardAttrs, true>>(kernels, "log_softmax_backward");
}

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/block_sums.h"
#include "backends/portable/reduce.h"
#include "backends/portable/typed_kernels.h"
#include "ir/ops/cumulative/cumulative_attrs.h"
#include "ir/ops/cumulative/cumulative_lines.h"

namespace cutset::portable {
namespace {

// A work-item computes a line of `length` elements, which are `inner` elements apart.
const char* kSource = R"(
KERNEL(accumulate_lines)(TENSOR(const T, x), TENSOR(T, y), int length, int inner, int lines) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= lines) return;
  int first = i / inner * length * inner + i % inner;
  TOTAL total = FIRST, part = FIRST;
  for (int k = 0; k < length;) {
    for (int end = block_end(k, length); k < end; k++) {
      int at = first + (REVERSE ? length - 1 - k : k) * inner;
      TOTAL joined = JOIN(part, (TOTAL)x[at]);
      y[at] = (T)(EXCLUSIVE ? WHOLE(total, part) : WHOLE(total, joined));
      part = joined;
    }
    JOIN_BLOCK(total, part);
  }
}
)";
// The reference kernel has the same two loops.
const char* kBackward = R"(
KERNEL(cumprod_backward)(TENSOR(const float, g), TENSOR(const float, x), TENSOR(float, d), int length, int inner,
                         int lines) {
  BIND(const float, g); BIND(const float, x); BIND(float, d);
  int i = ITEM;
  if (i >= lines) return;
  int first = i / inner * length * inner + i % inner;
  float before = 1, behind = 0;
  for (int k = 0; k < length; k++) {
    int at = first + (REVERSE ? length - 1 - k : k) * inner;
    d[at] = before;
    before *= x[at];
  }
  for (int k = length - 1; k >= 0; k--) {
    int at = first + (REVERSE ? length - 1 - k : k) * inner;
    float sum = EXCLUSIVE ? behind : g[at] + behind;
    d[at] *= sum;
    behind = x[at] * sum;
    if (EXCLUSIVE) behind += g[at];
  }
}
)";

template <class A>  // CumulativeAttrs or CumprodBackwardAttrs
std::string directions(const A& a) {
  return definitions({{"REVERSE", a.reverse ? "1" : "0"}, {"EXCLUSIVE", a.exclusive ? "1" : "0"}});
}

template <Reduction kWhat>
struct Cumulative {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<CumulativeAttrs>();
    const CumulativeLines s(p.out_shape(0), a.axis, a.reverse);
    const DType type = p.in_type(0);
    const auto macros = [](DType t) { return join_macros(kWhat, t); };
    const TypedKernel kernel = typed_kernel("accumulate_lines", type, macros, kSource);
    list.add_flat(kBlockSums + directions(a) + kernel.source, kernel.name, s.count,
                  {in(0), out(0), s.length, s.inner, s.count});
  }
};
struct CumprodBackward : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<CumprodBackwardAttrs>();
    const CumulativeLines s(p.out_shape(0), a.axis, a.reverse);
    list.add_flat(directions(a) + kBackward, "cumprod_backward", s.count,
                  {in(0), in(1), out(0), s.length, s.inner, s.count});
  }
};

}  // namespace

void register_cumulative(abi::KernelTable& kernels) {
  add_kernel<Cumulative<Reduction::kSum>>(kernels, "cumsum");
  add_kernel<Cumulative<Reduction::kProduct>>(kernels, "cumprod");
  add_kernel<CumprodBackward>(kernels, "cumprod_backward");
}

}  // namespace cutset::portable

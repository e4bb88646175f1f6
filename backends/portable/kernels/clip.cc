// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/typed_kernels.h"
#include "ir/ops/clip/clip_attrs.h"

namespace cutset::portable {
namespace {

// A bound that is absent is replaced by x in the arguments, and not read.
const char* kSource = R"(
KERNEL(clip)(TENSOR(const T, x), TENSOR(const T, low), TENSOR(const T, high), TENSOR(T, y), int n) {
  BIND(const T, x); BIND(const T, low); BIND(const T, high); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  T v = x[i];
  if (HAS_LOW) v = v < low[0] || low[0] != low[0] ? low[0] : v;
  if (HAS_HIGH) v = v > high[0] || high[0] != high[0] ? high[0] : v;
  y[i] = v;
}
)";

struct Clip {
  static std::string supports(const abi::Problem& p) { return check_c_type(p.in_type(0)); }
  static void build(Launches& list, const abi::Problem& p) {
    const ClipOperands at = clip_operands(p.attributes<ClipAttrs>(), p.inputs());
    const int64_t n = elements(p.out_shape(0));
    const TypedKernel kernel = typed_kernel("clip", p.in_type(0), kSource);
    list.add_flat(
        definitions({{"HAS_LOW", at.minimum ? "1" : "0"}, {"HAS_HIGH", at.maximum ? "1" : "0"}}) +
            kernel.source,
        kernel.name, n,
        {in(0), in(at.minimum ? at.minimum.first : 0), in(at.maximum ? at.maximum.first : 0), out(0), n});
  }
};

}  // namespace

void register_clip(abi::KernelTable& kernels) { add_kernel<Clip>(kernels, "clip"); }

}  // namespace cutset::portable

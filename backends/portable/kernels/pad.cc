#include "backends/portable/copy_rows.h"
#include "ir/ops/pad/pad_attrs.h"

namespace cutset::portable {
namespace {

// The result consists of blocks of `block` elements. In each of them, the elements from `from` up to, but not
// including, `to` come from x.
const char* kSource = R"(
KERNEL(pad)(TENSOR(const T, x), TENSOR(T, y), int block, int from, int to, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  int at = i % block;
  y[i] = at >= from && at < to ? x[i / block * (to - from) + at - from] : 0;
}
)";

struct Pad {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<PadAttrs>();
    const int64_t axis = axis_from_front(a.axis, p.in_shape(0).size()), n = elements(p.out_shape(0));
    const int64_t inner = blocks_of(p.out_shape(0), axis).inner, rows = p.in_shape(0)[static_cast<size_t>(axis)];
    if (n == 0) return;
    list.add_flat(std::string("#define T ") + bits_type(size_of(p.in_type(0))) + kSource, "pad", n,
                  {in(0), out(0), (a.before + rows + a.after) * inner, a.before * inner, (a.before + rows) * inner, n});
  }
};

}  // namespace

void register_pad(abi::KernelTable& kernels) { add_kernel<Pad>(kernels, "pad"); }

}  // namespace cutset::portable

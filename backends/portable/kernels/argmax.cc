#include "backends/portable/launches.h"
#include "ir/ops/argmax/argmax_attrs.h"

namespace cutset::portable {
namespace {

const char* kSource = R"(
KERNEL(argmax)(TENSOR(const T, x), TENSOR(long, y), int length, int inner, int n) {
  BIND(const T, x); BIND(long, y);
  int i = ITEM;
  if (i >= n) return;
  x += i / inner * length * inner + i % inner;
  int best = 0;
  for (int j = 1; j < length; j++) {
    T v = x[j * inner], b = x[best * inner];
    if (v > b || (v != v && b == b)) best = j;
  }
  y[i] = best;
}
)";

struct Argmax {
  static std::string supports(const abi::Problem& p) { return check_c_type(p.in_type(0)); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto shape = p.in_shape(0);
    const int64_t given = p.attributes<ArgmaxAttrs>().axis,
                  axis = given < 0 ? given + static_cast<int64_t>(shape.size()) : given;
    const int64_t n = elements(p.out_shape(0));
    list.add_flat(
        std::string("#define T ") + c_type(p.in_type(0)) + kSource, "argmax", n,
        {in(0), out(0), shape[static_cast<size_t>(axis)], elements(shape.subspan(static_cast<size_t>(axis) + 1)), n});
  }
};

}  // namespace

void register_argmax(abi::KernelTable& kernels) { add_kernel<Argmax>(kernels, "argmax"); }

}  // namespace cutset::portable

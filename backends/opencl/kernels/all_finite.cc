// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/launch.h"

namespace cutset::opencl {
namespace {

// A work-item reads STRIP elements, so that the compiler can vectorise the loop. All work-items that find an
// element that is not finite write the same 0, so no order is needed.
const char* kSource = R"(
#define STRIP 1024
KERNEL(begin)(TENSOR(uchar, flag)) { BIND(uchar, flag); *flag = 1; }
KERNEL(look)(TENSOR(const uint, x), TENSOR(uchar, flag), int n) {
  BIND(const uint, x); BIND(uchar, flag);
  long from = ITEM * (long)STRIP, to = min(from + STRIP, (long)n);
  uint bad = 0;
  for (long i = from; i < to; i++) bad |= (x[i] & 0x7f800000u) == 0x7f800000u;
  if (bad) *flag = 0;
}
)";
constexpr int64_t kStrip = 1024;

struct AllFinite {
  static std::string supports(const abi::Problem& p) {
    for (size_t i = 0; i < p.inputs(); ++i)
      if (p.in_type(i) != DType::f32) return std::string("no kernel for ") + name_of(p.in_type(i));
    return "";
  }
  static void build(Launches& list, const abi::Problem& p) {
    list.add(kSource, "begin", items(1), {out(0)});
    for (size_t i = 0; i < p.inputs(); ++i) {
      const int64_t n = elements(p.in_shape(i));
      list.add(kSource, "look", items((n + kStrip - 1) / kStrip), {in(i), out(0), n});
    }
  }
};

}  // namespace

void register_all_finite(abi::KernelTable& kernels) { add_kernel<AllFinite>(kernels, "all_finite"); }

}  // namespace cutset::opencl

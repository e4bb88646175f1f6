// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/cuda/language.h"

namespace cutset::cuda {
namespace {

// Each block writes whether it has found an element that is not finite, and the last launch joins the results
// of the blocks.
const char* const kSource = R"(
KERNEL(look)(TENSOR(const uint, x), TENSOR(float, bad), int n) {
  BIND(const uint, x); BIND(float, bad);
  float found = 0;
  for (int i = ITEM; i < n && i >= 0; i += blockDim.x * gridDim.x)
    if ((x[i] & 0x7f800000u) == 0x7f800000u) found = 1;
  found = join_block(found);
  if (threadIdx.x == 0) bad[blockIdx.x] = found;
}
KERNEL(join)(TENSOR(const float, bad), TENSOR(uchar, flag), int n) {
  BIND(const float, bad); BIND(uchar, flag);
  float found = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) found = JOIN(found, bad[i]);
  found = join_block(found);
  if (threadIdx.x == 0) *flag = found == 0;
}
)";
constexpr int64_t kElements = 4096;   // per block at most, as long as kMostParts blocks are enough
constexpr int64_t kMostParts = 1024;  // blocks per operand

struct AllFinite {
  static std::string supports(const abi::Problem& p) {
    for (size_t i = 0; i < p.inputs(); ++i)
      if (p.in_type(i) != DType::f32) return std::string("no kernel for ") + name_of(p.in_type(i));
    return "";
  }
  static int64_t parts(int64_t elements) {
    return std::min((elements + kElements - 1) / kElements, kMostParts);
  }

  static void build(Launches& list, const abi::Problem& p) {
    const std::string source =
        std::string("#define TOTAL float\n#define FIRST 0.0f\n#define JOIN(a, b) ((a) > (b) ? (a) : (b))\n") +
        kJoinBlock + kSource;
    int64_t all = 0;
    for (size_t i = 0; i < p.inputs(); ++i) all += parts(elements(p.in_shape(i)));
    const Memory bad = list.take(static_cast<uint64_t>(all) * sizeof(float));
    int64_t first = 0;
    for (size_t i = 0; i < p.inputs(); ++i) {
      const int64_t n = elements(p.in_shape(i)), here = parts(n);
      const Memory at{bad.kind, bad.index + static_cast<uint64_t>(first) * sizeof(float)};
      list.add(source, "look", {.groups = {here}, .items = {kThreads}}, {in(i), at, n});
      first += here;
    }
    list.add(source, "join", {.groups = {1}, .items = {kThreads}}, {bad, out(0), all});
  }
};

}  // namespace

void register_all_finite(abi::KernelTable& kernels) { add_kernel<AllFinite>(kernels, "all_finite"); }

}  // namespace cutset::cuda

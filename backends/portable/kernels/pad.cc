// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"
#include "backends/portable/typed_kernels.h"
#include "ir/ops/pad/pad_rows.h"

namespace cutset::portable {
namespace {

// The result of pad consists of blocks of `all` rows of `inner` elements. MODE is the number of the mode, and
// x has `rows` rows.
const char* kSource = R"(
KERNEL(pad)(TENSOR(const T, x), TENSOR(T, y), int inner, int before, int rows, int all, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  int at = i / inner % all - before;
  bool zero = MODE == 0 && (at < 0 || at >= rows);
  if (at < 0) at = MODE == 1 ? 0 : -at;
  if (at >= rows) at = MODE == 1 ? rows - 1 : 2 * (rows - 1) - at;
  y[i] = zero ? 0 : x[(i / inner / all * rows + at) * inner + i % inner];
}
)";

// Each element of the result is the sum of the elements of the gradient at its copies. The order is: the row
// itself, the rows before it, and the rows after it.
const char* kBackward = R"(
KERNEL(pad_backward)(TENSOR(const float, g), TENSOR(float, d), int inner, int before, int rows, int all, int n) {
  BIND(const float, g); BIND(float, d);
  int i = ITEM;
  if (i >= n) return;
  int row = i / inner % rows, after = all - before - rows;
  g += i / inner / rows * all * inner + i % inner;
  float sum = g[(row + before) * inner];
  if (MODE == 1) {
    for (int j = 0; row == 0 && j < before; j++) sum += g[j * inner];
    for (int j = 0; row == rows - 1 && j < after; j++) sum += g[(before + rows + j) * inner];
  }
  if (MODE == 2) {
    if (row >= 1 && row <= before) sum += g[(before - row) * inner];
    if (row <= rows - 2 && row >= rows - 1 - after) sum += g[(before + 2 * (rows - 1) - row) * inner];
  }
  d[i] = sum;
}
)";

// Returns the definitions that precede a source.
std::string define_mode(const Padding& p) { return definitions({{"MODE", std::to_string(p.mode)}}); }

struct Pad {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& problem) {
    const Padding p = padding_of(problem.attributes<PadAttrs>());
    const auto shape = problem.out_shape(0);
    const int64_t axis = axis_from_front(p.axis, shape.size()), n = elements(shape);
    if (n == 0) return;
    const TypedKernel kernel = moving_kernel("pad", size_of(problem.in_type(0)), kSource);
    list.add_flat(define_mode(p) + kernel.source, kernel.name, n,
                  {in(0), out(0), blocks_of(shape, axis).inner, p.before,
                   problem.in_shape(0)[static_cast<size_t>(axis)], shape[static_cast<size_t>(axis)], n});
  }
};

struct PadBackward : SupportsF32 {
  static void build(Launches& list, const abi::Problem& problem) {
    const Padding p = padding_of(problem.attributes<PadBackwardAttrs>());
    const auto shape = problem.out_shape(0);
    const int64_t axis = axis_from_front(p.axis, shape.size()), n = elements(shape);
    if (n == 0) return;
    list.add_flat(define_mode(p) + kBackward, "pad_backward", n,
                  {in(0), out(0), blocks_of(shape, axis).inner, p.before, shape[static_cast<size_t>(axis)],
                   problem.in_shape(0)[static_cast<size_t>(axis)], n});
  }
};

}  // namespace

void register_pad(abi::KernelTable& kernels) {
  add_kernel<Pad>(kernels, "pad");
  add_kernel<PadBackward>(kernels, "pad_backward");
}

}  // namespace cutset::portable

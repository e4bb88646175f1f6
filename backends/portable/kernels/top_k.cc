// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/typed_kernels.h"
#include "ir/core/rows.h"
#include "ir/ops/top_k/top_k_attrs.h"

namespace cutset::portable {
namespace {

// A work-item selects the elements of a line of `length` elements, which are `step` elements apart, in the
// same way as the reference kernel: `heap` is a heap of indices, whose root is the index that comes last.
// LARGEST says whether the largest or the smallest elements are selected.
const char* kSource = R"(
FUNCTION bool is_larger(T a, T b) { return a > b || (a != a && b == b); }
FUNCTION bool comes_first(GLOBAL const T* x, int step, long i, long j) {
  T a = x[(int)i * step], b = x[(int)j * step];
  if (is_larger(a, b)) return LARGEST;
  if (is_larger(b, a)) return !LARGEST;
  return i < j;
}
FUNCTION void sink(GLOBAL const T* x, GLOBAL long* heap, int step, int place, int size) {
  for (int below = 2 * place + 1; below < size; place = below, below = 2 * place + 1) {
    if (below + 1 < size && comes_first(x, step, heap[below * step], heap[(below + 1) * step])) below++;
    long lower = heap[below * step], upper = heap[place * step];
    if (comes_first(x, step, lower, upper)) return;
    heap[below * step] = upper;
    heap[place * step] = lower;
  }
}
KERNEL(top_k)(TENSOR(const T, x), TENSOR(T, values), TENSOR(long, heap), int length, int step, int count, int lines) {
  BIND(const T, x); BIND(T, values); BIND(long, heap);
  int line = ITEM;
  if (line >= lines) return;
  x += line / step * length * step + line % step;
  values += line / step * count * step + line % step;
  heap += line / step * count * step + line % step;
  for (int i = 0; i < count; i++) heap[i * step] = i;
  for (int i = count / 2 - 1; i >= 0; i--) sink(x, heap, step, i, count);
  for (int i = count; i < length; i++)
    if (comes_first(x, step, i, heap[0])) { heap[0] = i; sink(x, heap, step, 0, count); }
  for (int last = count - 1; last > 0; last--) {
    long root = heap[0];
    heap[0] = heap[last * step];
    heap[last * step] = root;
    sink(x, heap, step, 0, last);
  }
  for (int i = 0; i < count; i++) values[i * step] = x[(int)heap[i * step] * step];
}
)";

Macros macros_of(DType type) {
  Macros macros = {{"T", c_type(type)}};
  for (const char* function : {"is_larger", "comes_first", "sink"})
    macros.emplace_back(function, kernel_name(function, type));
  return macros;
}

struct TopK {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<TopKAttrs>();
    const auto shape = p.in_shape(0);
    const int64_t axis = axis_from_front(a.axis, shape.size());
    const Blocks b = blocks_of(shape, axis);
    const int64_t lines = a.k ? b.count * b.inner : 0;
    const DType type = p.in_type(0);
    const TypedKernel kernel = typed_kernel("top_k", type, macros_of, kSource);
    list.add_flat(definitions({{"LARGEST", a.largest ? "1" : "0"}}) + kernel.source, kernel.name, lines,
                  {in(0), out(0), out(1), shape[static_cast<size_t>(axis)], b.inner, a.k, lines});
  }
};

}  // namespace

void register_top_k(abi::KernelTable& kernels) { add_kernel<TopK>(kernels, "top_k"); }

}  // namespace cutset::portable

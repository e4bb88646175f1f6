// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/indexing.h"
#include "backends/portable/typed_kernels.h"
#include "ir/ops/gather/gather_attrs.h"
#include "ir/ops/gather/gather_shape.h"

namespace cutset::portable {
namespace {

// Data is [outer, length, inner]; the gathered tensor is [outer, indices, inner]. INDEX is the type of the
// indices, and T is the type of data. `first` and `rows` say which rows of the whole table data has. row_of
// returns the same result as gathered_row.
const char* kRowOf = R"(
FUNCTION int row_of(INDEX index, int length, long first, long rows) {
  long row = index < 0 ? index + rows : index;
  if (row < 0 || row >= rows) return first == 0 ? -1 : -2;
  return row >= first && row < first + length ? (int)(row - first) : -2;
}
)";
const char* kSource = R"(
KERNEL(gather)(TENSOR(const T, data), TENSOR(const INDEX, ids), TENSOR(T, y), int length, int inner,
               int indices, long first, long rows, int n) {
  BIND(const T, data); BIND(const INDEX, ids); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  int row = row_of(ids[i / inner % indices], length, first, rows);
  y[i] = row >= 0 ? data[(i / inner / indices * length + row) * inner + i % inner] : row == -1 ? OUT_OF_RANGE : 0;
}
)";
const char* kBackward = R"(
KERNEL(clear)(TENSOR(float, d), int n) {
  BIND(float, d);
  if (ITEM < n) d[ITEM] = 0;
}
// A work-item owns a column of data, and adds the gradients in the order of the indices.
KERNEL(gather_backward)(TENSOR(const float, g), TENSOR(const INDEX, ids), TENSOR(float, d), int length, int inner,
                        int indices, long first, long rows, int columns) {
  BIND(const float, g); BIND(const INDEX, ids); BIND(float, d);
  int c = ITEM;
  if (c >= columns) return;
  g += c / inner * indices * inner + c % inner;
  d += c / inner * length * inner + c % inner;
  for (int i = 0; i < indices; i++) {
    int row = row_of(ids[i], length, first, rows);
    if (row >= 0) d[row * inner] += g[i * inner];
  }
}
)";

std::string row_of(const abi::Problem& p) { return index_definition(p.in_type(1)) + kRowOf; }

template <class A>  // GatherAttrs or GatherBackwardAttrs
GatherShape shape_of(const abi::Problem& p, size_t data) {
  const A& a = p.attributes<A>();
  return *gather_shape(p.in_shape(data), p.in_shape(1), a.axis, a.first_row, a.table_rows);
}
Argument wide(int64_t v) { return Argument::Wide{static_cast<uint64_t>(v)}; }

struct Gather {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto s = shape_of<GatherAttrs>(p, 0);
    const int64_t n = elements(p.out_shape(0));
    const DType type = p.in_type(0);
    const TypedKernel kernel = typed_kernel("gather", type, element_macros, kSource);
    list.add_flat(row_of(p) + kernel.source, kernel.name, n,
                  {in(0), in(1), out(0), s.length, s.inner, s.indices, wide(s.first), wide(s.rows), n});
  }
};

struct GatherBackward {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32, DType::i32, DType::i64}); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto s = shape_of<GatherBackwardAttrs>(p, 2);
    const int64_t n = elements(p.out_shape(0)), columns = n ? s.outer * s.inner : 0;
    const std::string source = row_of(p) + kBackward;
    list.add_flat(source, "clear", n, {out(0), n});
    list.add_flat(source, "gather_backward", columns,
                  {in(0), in(1), out(0), s.length, s.inner, s.indices, wide(s.first), wide(s.rows), columns});
  }
};

}  // namespace

void register_gather(abi::KernelTable& kernels) {
  add_kernel<Gather>(kernels, "gather");
  add_kernel<GatherBackward>(kernels, "gather_backward");
}

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"
#include "backends/portable/indexing.h"
#include "backends/portable/reduce.h"
#include "backends/portable/strided_loop.h"
#include "backends/portable/typed_kernels.h"
#include "ir/ops/gather_elements/element_lines.h"
#include "ir/ops/scatter_elements/scatter_elements_attrs.h"

namespace cutset::portable {
namespace {

// A work-item applies the updates of a line of `count` indices, in their order, to a line of data of `length`
// elements.
const char* kSource = R"(
KERNEL(scatter_elements)(TENSOR(const INDEX, ids), TENSOR(const T, u), TENSOR(T, y), int8 lines, int8 to_stride,
                         int8 from_stride, int length, int to_step, int count, int from_step, int n) {
  BIND(const INDEX, ids); BIND(const T, u); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  int from = offset_of(i, lines, from_stride);
  bool beyond = false;
  y += offset_of(i, lines, to_stride);
  for (int k = 0; k < count; k++, from += from_step) {
    INDEX row = ids[from];
    if (row < 0) row += length;
    if (row < 0 || row >= length) { beyond = true; continue; }
    TOTAL before = y[(int)row * to_step], update = u[from];
    y[(int)row * to_step] = (T)JOIN(before, update);
  }
  for (int k = 0; beyond && k < length; k++) y[k * to_step] = OUT_OF_RANGE;
}
)";

Macros join_of(int32_t reduction, DType type) {
  switch (reduction) {
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_ADD:
      return join_macros(Reduction::kSum, type);
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MUL:
      return join_macros(Reduction::kProduct, type);
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MAX:
      return join_macros(Reduction::kMax, type);
    case CUTSET_SCATTER_ELEMENTS_REDUCTION_MIN:
      return join_macros(Reduction::kMin, type);
    default:
      return {{"T", c_type(type)}, {"TOTAL", c_type(type)}, {"JOIN(a, b)", "(b)"}};
  }
}

struct ScatterElements {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<ScatterElementsAttrs>();
    const ElementLines s = lines_of_elements(p.in_shape(0), p.in_shape(1), a.axis);
    const int64_t n = elements(p.out_shape(0)), lines = elements(s.lines());
    const DType type = p.in_type(0);
    const auto macros = [&](DType t) {
      Macros all = join_of(a.reduction, t);
      all.push_back(out_of_range_macro(t));
      return all;
    };
    const TypedKernel kernel = typed_kernel("scatter_elements", type, macros, kSource);
    add_copy_rows(list, {}, size_of(type), in(0), n, 0, out(0), n, 0, n);
    list.add_flat(index_definition(p.in_type(1)) + offset_function(s.rank) + kernel.source, kernel.name,
                  s.count ? lines : 0,
                  {in(1), in(2), out(0), eight(s.shape, s.rank, 1), eight(s.in_data.at, s.rank, 0),
                   eight(s.in_indices.at, s.rank, 0), s.length, s.data_step, s.count, s.index_step, lines});
  }
};

}  // namespace

void register_scatter_elements(abi::KernelTable& kernels) {
  add_kernel<ScatterElements>(kernels, "scatter_elements");
}

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "backends/portable/indexing.h"
#include "backends/portable/strided_loop.h"
#include "backends/portable/typed_kernels.h"
#include "ir/core/rows.h"
#include "ir/ops/gather_elements/gather_elements_attrs.h"

namespace cutset::portable {
namespace {

// Element i of the result reads a line of data of `length` elements, which are `step` elements apart.
const char* kSource =
    R"(
KERNEL(gather_elements)(TENSOR(const T, data), TENSOR(const INDEX, ids), TENSOR(T, y), int8 shape, int8 stride, int length,
                        int step, int n) {
  BIND(const T, data); BIND(const INDEX, ids); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  INDEX row = ids[i];
  if (row < 0) row += length;
  y[i] = row < 0 || row >= length ? OUT_OF_RANGE : data[offset_of(i, shape, stride) + (int)row * step];
}
)";

struct GatherElements {
  static std::string supports(const abi::Problem& p) { return check_c_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    const auto data = p.in_shape(0), shape = p.out_shape(0);
    const auto axis =
        static_cast<size_t>(axis_from_front(p.attributes<GatherElementsAttrs>().axis, data.size()));
    Strides strides = broadcast_strides(data, data);
    const int64_t step = std::exchange(strides.at[axis], 0), n = elements(shape);
    const StridedLoop loop = strided_loop(shape, {&strides, 1});
    const DType type = p.in_type(0);
    const TypedKernel kernel = typed_kernel("gather_elements", type, element_macros, kSource);
    list.add_flat(index_definition(p.in_type(1)) + offset_function(loop.rank) + kernel.source, kernel.name, n,
                  {in(0), in(1), out(0), eight(loop.sizes, loop.rank, 1),
                   eight(loop.strides[0].at, loop.rank, 0), data[axis], step, n});
  }
};

}  // namespace

void register_gather_elements(abi::KernelTable& kernels) {
  add_kernel<GatherElements>(kernels, "gather_elements");
}

}  // namespace cutset::portable

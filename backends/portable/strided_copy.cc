// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/strided_copy.h"

#include "backends/portable/strided_loop.h"
#include "backends/portable/typed_kernels.h"

namespace cutset::portable {
namespace {

const char* kStridedCopySource = R"(
KERNEL(strided_copy)(TENSOR(const T, x), TENSOR(T, y), int8 shape, int8 stride, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i] = x[offset_of(i, shape, stride)];
}
)";

}  // namespace

void add_strided_copy(Launches& list, std::span<const int64_t> shape, const Strides& strides, int64_t bytes,
                      Argument x, Argument y) {
  const StridedLoop loop = strided_loop(shape, {&strides, 1});
  const TypedKernel kernel = moving_kernel("strided_copy", bytes, kStridedCopySource);
  const int64_t n = elements(shape);
  list.add_flat(offset_function(loop.rank) + kernel.source, kernel.name, n,
                {x, y, eight(loop.sizes, loop.rank, 1), eight(loop.strides[0].at, loop.rank, 0), n});
}

}  // namespace cutset::portable

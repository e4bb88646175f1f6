// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"

#include "backends/portable/typed_kernels.h"

namespace cutset::portable {
namespace {

const char* kCopyRowsSource = R"(
KERNEL(copy_rows)(TENSOR(const T, x), TENSOR(T, y), int length, int x_stride, int x_at, int y_stride, int y_at, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i < n) y[i / length * y_stride + y_at + i % length] = x[i / length * x_stride + x_at + i % length];
}
)";

}  // namespace

void add_copy_rows(Launches& list, const Blocks& b, int64_t bytes, Argument from, int64_t from_rows,
                   int64_t from_start, Argument to, int64_t to_rows, int64_t to_start, int64_t rows) {
  const int64_t length = rows * b.inner, n = b.count * length;
  if (n == 0) return;
  const TypedKernel kernel = moving_kernel("copy_rows", bytes, kCopyRowsSource);
  list.add_flat(kernel.source, kernel.name, n,
                {from, to, length, from_rows * b.inner, from_start * b.inner, to_rows * b.inner,
                 to_start * b.inner, n});
}

}  // namespace cutset::portable

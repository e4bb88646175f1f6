// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"

#include "backends/opencl/launch.h"
#include "backends/portable/block_sums.h"
#include "backends/portable/strided_loop.h"
#include "backends/portable/typed_kernels.h"

namespace cutset::portable {
namespace {

// The elements along the innermost reduced dimension form a line and are `step` elements apart. A block of
// elements is part of one line.
const char* kReduce = R"(
KERNEL(reduce)(TENSOR(const T, x), TENSOR(T, y), int8 kept, int8 kept_stride, int8 lines,
               int8 line_stride, int line_count, int length, int step, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  x += offset_of(i, kept, kept_stride);
  TOTAL total = FIRST, part = FIRST;
  for (int l = 0; l < line_count; l++) {
    GLOBAL const T* line = x + offset_of(l, lines, line_stride);
    for (int k = 0; k < length;) {
      for (int end = block_end(k, length); k < end; k++) { TOTAL v = line[k * step]; part = JOIN(part, v); }
      JOIN_BLOCK(total, part);
    }
  }
  y[i] = (T)WHOLE(total, part);
}
)";

}  // namespace

void add_reduction(Launches& list, Reduction what, const ReductionShape& s, Argument x, Argument y,
                   DType type) {
  const int inner = s.reduced_rank - 1;
  const int64_t length = inner < 0 ? 1 : s.reduced[inner], step = inner < 0 ? 0 : s.reduced_strides.at[inner];
  const int64_t lines = length ? s.reduced_elements / length : 0;
  const auto macros = [what](DType t) { return join_macros(what, t); };
  const TypedKernel kernel = typed_kernel("reduce", type, macros, kReduce);
  list.add(kBlockSums + offset_function(kMaxRank) + kernel.source, kernel.name,
           opencl::items(s.kept_elements),
           {x, y, eight(s.kept, s.kept_rank, 1), eight(s.kept_strides.at, s.kept_rank, 0),
            eight(s.reduced, std::max(inner, 0), 1), eight(s.reduced_strides.at, std::max(inner, 0), 0),
            lines, length, step, s.kept_elements});
}

}  // namespace cutset::portable

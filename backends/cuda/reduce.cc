// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/reduce.h"

#include <algorithm>

#include "backends/cuda/language.h"
#include "backends/portable/block_sums.h"
#include "backends/portable/strided_loop.h"

namespace cutset::portable {
namespace {

const char* const kThreadPerResult = R"(
KERNEL(reduce)(TENSOR(const T, x), TENSOR(T, y), int8 kept, int8 kept_stride, int8 reduced,
               int8 reduced_stride, int length, int n) {
  BIND(const T, x); BIND(T, y);
  int i = ITEM;
  if (i >= n) return;
  x += offset_of(i, kept, kept_stride);
  TOTAL total = FIRST, part = FIRST;
  for (int k = 0; k < length;) {
    for (int end = block_end(k, length); k < end; k++) {
      TOTAL v = x[offset_of(k, reduced, reduced_stride)];
      part = JOIN(part, v);
    }
    JOIN_BLOCK(total, part);
  }
  y[i] = (T)WHOLE(total, part);
}
)";
// Block (part, result) reduces one part of the elements of a result. A part has at most `each` elements.
const char* const kBlockPerPart = R"(
KERNEL(reduce_parts)(TENSOR(const T, x), TENSOR(T, y), int8 kept, int8 kept_stride, int8 reduced,
                     int8 reduced_stride, int length, int each, int parts) {
  BIND(const T, x); BIND(T, y);
  int result = blockIdx.x / parts, first = blockIdx.x % parts * each,
      end = length - first < each ? length : first + each;
  x += offset_of(result, kept, kept_stride);
  TOTAL total = FIRST, part = FIRST;
  int left = SUM_BLOCK;
  for (int k = first + threadIdx.x; k < end && k >= 0; k += blockDim.x) {
    TOTAL v = x[offset_of(k, reduced, reduced_stride)];
    part = JOIN(part, v);
    if (--left == 0) {
      JOIN_BLOCK(total, part);
      left = SUM_BLOCK;
    }
  }
  total = join_block(WHOLE(total, part));
  if (threadIdx.x == 0) y[blockIdx.x] = (T)total;
}
)";

constexpr int64_t kShort = 64;             // at most this many elements are reduced by one thread
constexpr int64_t kManyResults = 1 << 15;  // about this many threads keep a GPU busy
constexpr int64_t kPart = 1 << 14;         // the elements that a block reduces

}  // namespace

// If y has many elements, there is one thread per element of y, and neighbouring threads read neighbouring
// elements where the last kept dimension of x is contiguous. Otherwise, a block of threads reduces a part of
// the elements of one result, and a second launch joins the parts.
void add_reduction(Launches& list, Reduction what, const ReductionShape& s, Argument x, Argument y,
                   DType type) {
  const std::string functions = kBlockSums + definitions(join_macros(what, type)) +
                                offset_function(std::max(s.kept_rank, s.reduced_rank));
  const Argument kept = eight(s.kept, s.kept_rank, 1), kept_stride = eight(s.kept_strides.at, s.kept_rank, 0),
                 reduced = eight(s.reduced, s.reduced_rank, 1),
                 reduced_stride = eight(s.reduced_strides.at, s.reduced_rank, 0);
  const int64_t n = s.kept_elements, length = s.reduced_elements;
  if (length <= kShort || n >= kManyResults)
    return list.add_flat(functions + kThreadPerResult, "reduce", n,
                         {x, y, kept, kept_stride, reduced, reduced_stride, length, n});
  const auto add_parts = [&](const Argument& from, const Argument& to, const Argument& at,
                             const Argument& at_stride, const Argument& over, const Argument& over_stride,
                             int64_t count, int64_t parts) {
    list.add(functions + cuda::kJoinBlock + kBlockPerPart, "reduce_parts",
             {.groups = {n * parts}, .items = {cuda::kThreads}},
             {from, to, at, at_stride, over, over_stride, count, (count + parts - 1) / parts, parts});
  };
  const int64_t parts = (length + kPart - 1) / kPart;
  if (parts == 1) return add_parts(x, y, kept, kept_stride, reduced, reduced_stride, length, 1);
  const Memory partial = list.take(static_cast<uint64_t>(n * parts * size_of(type)));
  add_parts(x, partial, kept, kept_stride, reduced, reduced_stride, length, parts);
  const int64_t sizes[] = {n}, strides[] = {parts}, part_sizes[] = {parts}, part_strides[] = {1};
  add_parts(partial, y, eight(sizes, 1, 1), eight(strides, 1, 0), eight(part_sizes, 1, 1),
            eight(part_strides, 1, 0), parts, 1);
}

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/arange.h"

#include <cutset/constants.h>
#include <cutset/ops.h>

#include "frontends/cpp/graph/append.h"

namespace cutset {

// From 64 on, the numbers are sums of a multiple of 64 and a number below 64, because constants are small.
Tensor arange_of(const std::shared_ptr<GraphState>& graph, int64_t size, DType dtype,
                 std::source_location source) {
  constexpr int64_t kBlock = 64;
  if (size <= kBlock) {
    HostTensor numbers({dtype, {size}}, source);
    for (int64_t i = 0; i < size; ++i) numbers.set(i, static_cast<double>(i), source);
    return constant_of(graph, numbers, source);
  }
  const int64_t blocks = (size + kBlock - 1) / kBlock;
  const Tensor few = arange_of(graph, kBlock, dtype, source);
  const Tensor starts =
      mul(arange_of(graph, blocks, dtype, source), constant(few, Number(kBlock, source)), source);
  const Tensor all = add(reshape(starts, {.shape = {blocks, 1}}, source), few, source);
  return ops::slice(reshape(all, {.shape = {blocks * kBlock}}, source),
                    {.axis = 0, .start = 0, .length = size}, source);
}

}  // namespace cutset

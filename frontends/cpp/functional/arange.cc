// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/arange.h"

#include <cutset/constants.h>
#include <cutset/ops.h>

#include "frontends/cpp/graph/append.h"

namespace cutset {

// The numbers from 64 on are sums of a multiple of 64 and a number below 64, because constants are small.
Tensor arange_of(const std::shared_ptr<GraphState>& graph, int64_t size, DType dtype,
                 std::source_location where) {
  constexpr int64_t kBlock = 64;
  if (size <= kBlock) {
    HostTensor numbers({dtype, {size}}, where);
    for (int64_t i = 0; i < size; ++i) numbers.set(i, static_cast<double>(i), where);
    return constant_of(graph, numbers, where);
  }
  const int64_t blocks = (size + kBlock - 1) / kBlock;
  const Tensor few = arange_of(graph, kBlock, dtype, where);
  const Tensor starts =
      mul(arange_of(graph, blocks, dtype, where), constant(few, Number(kBlock, where)), where);
  const Tensor all = add(reshape(starts, {.shape = {blocks, 1}}, where), few, where);
  return ops::slice(reshape(all, {.shape = {blocks * kBlock}}, where),
                    {.axis = 0, .start = 0, .length = size}, where);
}

}  // namespace cutset

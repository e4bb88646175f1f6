// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/quantization_groups.h"

#include <cutset/shapes.h>

#include <algorithm>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

Tensor of_elements(const Tensor& value, const Tensor& x, const char* function,
                   const QuantizationGroups& groups, std::source_location source) {
  if (groups.block_size < 0)
    refuse(x, function, "a block size that is not negative, not " + std::to_string(groups.block_size),
           source);
  if (value.type().elements() == 1 && (groups.block_size == 0 || value.type().rank() == 0))
    return value.type().rank() == 0 ? value : reshape(value, {.shape = {}}, source);
  const int64_t axis = axis_of(x, function, groups.axis, source);
  const auto d = static_cast<size_t>(axis);
  const int64_t size = x.shape()[d];
  if (groups.block_size == 0) {
    if (value.shape() != Shape{size})
      refuse(x, function,
             "one scale and zero point per index of axis " + std::to_string(axis) + ", not " +
                 to_string(value.type()),
             source);
    Shape beside(x.shape().size() - d, 1);
    beside[0] = 0;  // keeps the size
    return reshape(value, {.shape = beside}, source);
  }
  Shape blocks = x.shape();
  blocks[d] = size == 0 ? 0 : (size - 1) / groups.block_size + 1;
  if (value.shape() != blocks)
    refuse(x, function,
           "one scale and zero point per block, of the shape " + to_string(blocks) + ", not " +
               to_string(value.type()),
           source);
  if (blocks[d] == size) return value;
  const int64_t repeats = std::min(groups.block_size, size);
  Shape repeated = blocks, joined = blocks;
  repeated.insert(repeated.begin() + axis + 1, repeats);
  joined[d] = blocks[d] * repeats;
  const Tensor copies = broadcast_to(unsqueeze(value, {axis + 1}, source), repeated, source);
  const Tensor all = ops::reshape_like(copies, type_only(value, {value.dtype(), joined}, source), source);
  return joined[d] == size ? all : ops::slice(all, {.axis = axis, .start = 0, .length = size}, source);
}

}  // namespace cutset

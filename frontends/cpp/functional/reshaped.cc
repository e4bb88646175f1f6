// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/reshaped.h"

#include <cutset/ops.h>

#include <algorithm>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

Tensor reshaped(const Tensor& x, Shape shape, std::source_location source) {
  // A size of 0 in the attribute keeps the size of x. So an empty tensor gets its sizes from a value that
  // only has a type.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end())
    return ops::reshape_like(x, type_only(x, {x.dtype(), shape}, source), source);
  for (size_t d = 0; d < std::min(shape.size(), x.shape().size()) && shape[d] == x.shape()[d]; ++d)
    shape[d] = 0;
  return reshape(x, {.shape = std::move(shape)}, source);
}

}  // namespace cutset

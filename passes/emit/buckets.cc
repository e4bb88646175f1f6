// SPDX-License-Identifier: Apache-2.0
#include "passes/emit/buckets.h"

namespace cutset::passes {

int64_t next_in_bucket(int64_t offset, const TensorType& tensor, uint64_t alignment) {
  const auto a = static_cast<int64_t>(alignment);
  return (offset + tensor.bytes() + a - 1) / a * a;
}

TensorType bucket_type(const Types& tensors, uint64_t alignment) {
  if (tensors.size() == 1) return tensors[0];
  int64_t bytes = 0;
  for (const TensorType& t : tensors) bytes = next_in_bucket(bytes, t, alignment);
  return {tensors[0].dtype, {bytes / size_of(tensors[0].dtype)}};
}

}  // namespace cutset::passes

// SPDX-License-Identifier: Apache-2.0
// The labels of softmax_cross_entropy, for its reference kernels and the backends.
#pragma once
#include <cstdint>

#include "ir/core/types.h"

namespace cutset {

// Returns label i of labels of type i32, i64 or u8.
inline int64_t label_at(DType type, const void* labels, int64_t i) {
  if (type == DType::i64) return static_cast<const int64_t*>(labels)[i];
  if (type == DType::u8) return static_cast<const uint8_t*>(labels)[i];
  return static_cast<const int32_t*>(labels)[i];
}

}  // namespace cutset

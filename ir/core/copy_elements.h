// SPDX-License-Identifier: Apache-2.0
// The reference kernel of ops that keep the bytes of their operand.
#pragma once
#include "ir/core/result.h"
#include "ir/core/tensor_view.h"

namespace cutset {

// Copies the bytes of operand 0 to result 0, which has the same number of bytes, unless both are the same
// memory.
Status copy_elements(Views in, Views out);

}  // namespace cutset

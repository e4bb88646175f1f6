// SPDX-License-Identifier: Apache-2.0
// The first value of a variable, drawn by an op. Processes with the same C library draw the same bits,
// because the numbers depend only on the seed and the stream, which are attributes of the op
// (ir/core/philox.h). Another C library may round the logarithms and cosines of normal numbers otherwise.
#pragma once
#include <string>

#include "ir/core/attributes.h"
#include "ir/core/result.h"
#include "ir/core/types.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// An op that draws random numbers, with its attributes.
struct DrawnValue {
  std::string op;  // "random_normal"; empty: no op draws the value
  Attributes attributes;
  bool is_set() const { return !op.empty(); }
};

// Fails unless the op draws values of this type.
Status check_drawn(const DrawnValue& drawn, const TensorType& type);
// Draws the value with the reference kernel of the op, so that it does not depend on a device. check_drawn
// must accept the arguments. Throws std::bad_alloc if there is no memory for the value.
Result<HostTensor> draw(const DrawnValue& drawn, const TensorType& type);

}  // namespace cutset

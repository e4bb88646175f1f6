// Checks that hold for the operands and results of every op. The generated glue calls them around the op's own `infer`:
// on the operands before it, and on the results after it.
#pragma once
#include "ir/core/types.h"

namespace cutset {

// Fails if check_type refuses one of the types, or if has_arithmetic does not hold for its element type. The error
// names the first such type as `what`, which is "operand" or "result", and its index: "operand 1: ...".
Status check_types(const char* what, const Types& types);

}  // namespace cutset

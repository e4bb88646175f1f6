// What every op checks of its operands before its own rule, and of its results after it.
#pragma once
#include "ir/core/types.h"

namespace cutset {

// check_type and has_arithmetic of each. The error names the operand or result: `what` and its number, "operand 1".
Status check_types(const char* what, const Types& types);

}  // namespace cutset

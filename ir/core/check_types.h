// What every op checks of its operands before its own rule, and of its results after it.
#pragma once
#include "ir/core/types.h"

namespace cutset {

// Do ops compute with elements of this type? bf16, f16 and i8 have a size and a name, and files may hold them.
inline bool is_computed(DType t) { return is_dtype(t) && t != DType::bf16 && t != DType::f16 && t != DType::i8; }

// check_type and is_computed of each. The error names the operand or result: `what` and its number, "operand 1".
Status check_types(const char* what, const Types& types);

}  // namespace cutset

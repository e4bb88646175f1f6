// SPDX-License-Identifier: Apache-2.0
// Checks tensor types, and returns failures as values.
#pragma once
#include <vector>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

// Fails if the element type is not an enumerator, if the rank is above kMaxRank, if a size is negative, or if
// the tensor has more than 2^48 bytes. Every type that comes from a file or a user is checked before memory
// is allocated for it. A size of 0 counts as 1 for the limit, so that the product of any subset of the sizes
// does not overflow.
Status check_type(const TensorType& type);

// Fails if an element in `bytes`, the contents of a tensor of this type, is not a value of the type. Only i1
// has bytes that are no values: all bytes except 0 and 1.
Status check_bytes(const TensorType& type, const std::vector<unsigned char>& bytes);

// Returns the shape to which both shapes broadcast by the rules of NumPy. The error names both shapes and the
// sizes that differ.
Result<Shape> broadcast_shapes(const Shape& a, const Shape& b);

// Checks the operands or the results of an op: fails if check_type refuses one of the types. The generated
// glue of every op calls it on the operands before the op's own `infer`, and on the results after it. The
// error names the first refused type by `what`, which is "operand" or "result", and by its index: "operand 1:
// ...".
Status check_types(const char* what, const Types& types);

}  // namespace cutset

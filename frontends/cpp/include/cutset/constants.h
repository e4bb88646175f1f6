// SPDX-License-Identifier: Apache-2.0
// Scalars that are part of the program. Graph::constant makes small tensors of any shape.
//
// constant() throws a cutset::Error that names the line of the number in these cases:
// - The type is i1.
// - The type is an integer type, and the number is not a whole number in its range (0.5 or 2^40 as an i32).
// - The number is too large for a floating-point type.
// - The number is an integer beyond 2^53.
// Conversion to a floating-point type rounds to nearest.
#pragma once
#include <cutset/graph.h>

namespace cutset {

// Appends a scalar constant of the element type `dtype` to `graph` and returns it.
Tensor constant(Graph& graph, const Number& value, DType dtype = f32);
// Appends a scalar constant with the element type of `like` to the graph of `like`. Most functions take
// numbers themselves: x > 0.5.
Tensor constant(const Tensor& like, const Number& value);

}  // namespace cutset

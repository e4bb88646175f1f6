// Scalars that are part of the program. Graph::constant makes small tensors of any shape.
//
// A number has no constant, and throws a cutset::Error with the line that wrote the number, if the type is i1, if it is
// not a whole number in the range of an integer type (0.5 or 2^40 as an i32), if it is too large for a floating-point
// type, or if it is an integer beyond 2^53. The floating-point types round to nearest.
#pragma once
#include <cutset/graph.h>

namespace cutset {

// Appends a scalar constant of the element type `dtype` to `graph` and returns it.
Tensor constant(Graph& graph, const Number& value, DType dtype);
// Appends a scalar constant with the element type of `like` to the graph of `like`. Ops with several operands take only
// tensors, so a comparison with a number is written greater(x, constant(x, 0.5)).
Tensor constant(const Tensor& like, const Number& value);

}  // namespace cutset

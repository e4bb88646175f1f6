// The scalar expressions of the elementwise ops as text, for backends that generate the source of their kernels.
#pragma once
#include <span>

namespace cutset {

struct ElementwiseBody {
  const char* op;
  int arity;               // the number of operands, 1 to 3; the expression calls them a, b and c
  const char* expression;  // in the common subset of C++, OpenCL C and CUDA C++
};

// One entry per elementwise op, in the order of elementwise_bodies.inc.
std::span<const ElementwiseBody> elementwise_bodies();

}  // namespace cutset

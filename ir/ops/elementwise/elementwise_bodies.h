// The scalar bodies of elementwise ops, as text for backends that print kernels.
#pragma once
#include <span>

namespace cutset {

struct ElementwiseBody {
  const char* op;
  int arity;               // operands a, b, c
  const char* expression;  // in the part of C that C++ and OpenCL C share
};

std::span<const ElementwiseBody> elementwise_bodies();

}  // namespace cutset

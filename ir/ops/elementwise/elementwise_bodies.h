// SPDX-License-Identifier: Apache-2.0
// The scalar expressions of the elementwise ops as text, for backends that generate the source of their
// kernels.
#pragma once
#include <span>

#include "ir/core/types.h"

namespace cutset {

// A set of element types. kNumbers are the floating-point and the integer types, and kBits the integer types
// and i1.
enum class ElementTypes { kFloats, kIntegers, kFlags, kNumbers, kBits, kAll };
constexpr bool includes(ElementTypes set, DType type) {
  const bool floats =
      set == ElementTypes::kFloats || set == ElementTypes::kNumbers || set == ElementTypes::kAll;
  const bool flags = set == ElementTypes::kFlags || set == ElementTypes::kBits || set == ElementTypes::kAll;
  const bool integers = set != ElementTypes::kFloats && set != ElementTypes::kFlags;
  return is_float(type) ? floats : type == DType::i1 ? flags : integers;
}

struct ElementwiseBody {
  const char* op;
  int arity;               // the number of operands, 1 to 3; the expression calls them a, b and c
  const char* expression;  // in the common subset of C++, OpenCL C and CUDA C++
};

// A function T name(T a, T b) that expressions and later helpers call. T is the element type of the operands.
struct ElementwiseHelper {
  const char* name;
  ElementTypes types;      // the types for which this definition holds
  const char* statements;  // its body, in the common subset
};

// Returns one entry per elementwise op, in the order of elementwise_bodies.inc.
std::span<const ElementwiseBody> elementwise_bodies();
// Returns one entry per definition of a helper, in the order of elementwise_bodies.inc.
std::span<const ElementwiseHelper> elementwise_helpers();

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Loads and stores elements of every type in the sources of kernels: f16 and bf16 are stored as ushort, and
// their values are floats.
#pragma once
#include <span>
#include <string>

#include "backends/portable/launches.h"
#include "ir/core/half.h"

namespace cutset::portable {

// Return the type of the elements in memory, and the type of their values: c_type for a type that has one.
// Return null if kernels do not compute in the type.
inline const char* stored_type(DType type) { return is_half(type) ? "ushort" : c_type(type); }
inline const char* value_type(DType type) { return is_half(type) ? "float" : c_type(type); }
// Return the value of an element, and the element that holds a value, as expressions.
inline std::string loaded(DType type, const std::string& element) {
  return is_half(type) ? std::string("float_of_") + name_of(type) + "(" + element + ")" : element;
}
inline std::string stored(DType type, const std::string& value) {
  return is_half(type) ? std::string(name_of(type)) + "_of(" + value + ")" : value;
}
// Returns the functions that these expressions call, if one of the types needs them.
inline std::string half_functions(std::span<const DType> types) {
  for (DType t : types)
    if (is_half(t)) return half_functions_source();
  return "";
}
// Returns an empty string if all operands and results have a stored_type, and otherwise the reason for the
// refusal.
std::string check_stored_types(const abi::Problem& p);

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
// The environment variables of the doubles.
#pragma once
#include <cstdlib>
#include <string>

namespace cutset::cuda::doubles {

// Returns the value of a variable, or `otherwise` if the variable is not set or is empty.
inline std::string environment(const char* variable, const char* otherwise = "") {
  const char* const value = std::getenv(variable);
  return value && *value ? value : otherwise;
}
inline unsigned long long environment_number(const char* variable, unsigned long long otherwise) {
  const std::string value = environment(variable);
  return value.empty() ? otherwise : std::strtoull(value.c_str(), nullptr, 10);
}

}  // namespace cutset::cuda::doubles

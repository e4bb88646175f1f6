// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/samples.h"

namespace cutset {

Status check_count(const char* name, int64_t value) {
  if (value >= 1 && value <= INT32_MAX) return {};
  return invalid_argument(std::string("the ") + name + " cannot be " + std::to_string(value),
                          "it is from 1 to " + std::to_string(INT32_MAX));
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// The equations of einsum (<cutset/einsum.h>).
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// The names of the dimensions: a letter, or a negative number for a dimension of the ellipsis, whose last
// dimension is -1.
using EinsumLabels = std::vector<int>;
struct EinsumEquation {
  std::vector<EinsumLabels> operands;
  EinsumLabels result;
};
// Returns the dimensions that the equation names for operands of these ranks. Fails if the equation is
// malformed, or if it has another number of operands or of dimensions.
Result<EinsumEquation> parse_einsum(std::string_view equation, std::span<const int> ranks);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// compose() for activation functions, which take one floating-point tensor and numbers.
#pragma once
#include <cutset/constants.h>

#include "frontends/cpp/functional/compose_in_f32.h"

namespace cutset {

// Returns what `build` appends. `build` gets x and a function that makes a number of the type of x.
template <class Build>
Tensor compose_activation(const Tensor& x, const char* function, std::source_location source, Build build) {
  require_tensor(x, function, source);
  if (!is_float(x.dtype()))
    throw Error(ErrorCode::kInvalidArgument,
                std::string(function) + " of " + to_string(x.type()) + " needs a floating-point type",
                Error::line_of(source), "cast it");
  return compose_in_f32(x, function, source, std::tie(x), [&](const Tensor& x) {
    return build(x, [&](double value) { return constant(x, Number(value, source)); });
  });
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "ir/structural/all_finite/all_finite_rules.h"
#include "ir/structural/all_finite/finite.h"

namespace cutset::rules::all_finite {
Status reference(const AllFiniteAttrs&, Views in, Views out) {
  bool all = true;
  for (const TensorView& v : in)
    CUTSET_TRY(dispatch_float(v.dtype, [&]<class T>(T) { all &= all_are_finite(v.as<T>(), v.elements()); }));
  *out[0].as<bool>() = all;
  return {};
}
}  // namespace cutset::rules::all_finite

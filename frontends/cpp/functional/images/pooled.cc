// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/functional/images/pooled.h"

#include <cmath>

#include "frontends/cpp/functional/compose.h"

namespace cutset {

std::vector<int64_t> image_axes(const Tensor& x, const char* function, std::source_location source) {
  require_tensor(x, function, source);
  if (x.shape().size() < 3) refuse(x, function, "images [n, c, ...] of at least one axis", source);
  std::vector<int64_t> axes;
  for (size_t d = 2; d < x.shape().size(); ++d) axes.push_back(static_cast<int64_t>(d));
  return axes;
}

void require_power(double p, const char* function, std::source_location source) {
  if (p > 0 && std::isfinite(p)) return;
  throw Error(ErrorCode::kInvalidArgument, std::string(function) + " has p = " + std::to_string(p),
              Error::line_of(source), "set p to a finite positive number");
}

}  // namespace cutset

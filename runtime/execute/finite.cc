#include "runtime/execute/finite.h"

#include <cmath>

namespace cutset {

std::string first_non_finite(const HostTensor& t) {
  if (!is_float(t.dtype())) return "";
  for (int64_t i = 0, n = t.elements(); i < n; ++i) {
    if (std::isfinite(t.at(i))) continue;
    Shape index(t.shape().size());
    int64_t rest = i;
    for (size_t d = index.size(); d-- > 0; rest /= t.shape()[d]) index[d] = rest % t.shape()[d];
    return (std::isnan(t.at(i)) ? "nan" : std::to_string(t.at(i))) +
           (index.empty() ? "" : " at element " + to_string(index));
  }
  return "";
}

}  // namespace cutset

#include "ir/core/convert.h"
#include "ir/structural/fill/fill_rules.h"

namespace cutset::ops::fill {
Status reference(const FillAttrs& a, Views, Views out) {
  return dispatch_all(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) out[0].as<T>()[i] = convert<T>(a.value);
  });
}
}  // namespace cutset::ops::fill

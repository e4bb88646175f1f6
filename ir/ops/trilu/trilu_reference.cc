// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/trilu/trilu_rules.h"

namespace cutset::rules::trilu {

Status reference(const Attrs& a, Views in, Views out) {
  const int64_t rows = in[0].dim(in[0].rank() - 2), columns = in[0].dim(in[0].rank() - 1),
                n = in[0].elements();
  return dispatch_all(in[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t of_diagonal = i % columns - i / columns % rows;
      const bool kept = a.upper ? of_diagonal >= a.diagonal : of_diagonal <= a.diagonal;
      out[0].as<T>()[i] = kept ? in[0].as<T>()[i] : T{0};
    }
  });
}

}  // namespace cutset::rules::trilu

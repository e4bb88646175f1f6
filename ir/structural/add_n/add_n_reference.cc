// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "ir/structural/add_n/add_n_rules.h"

namespace cutset::rules::add_n {
Status reference(const AddNAttrs&, Views in, Views out) {
  // Integers are added as unsigned numbers, which wrap around.
  return dispatch_all(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) {
      using Sum = std::conditional_t<std::is_floating_point_v<T>, T, uint64_t>;
      auto sum = static_cast<Sum>(in[0].as<T>()[i]);
      for (size_t k = 1; k < in.size(); ++k) sum += static_cast<Sum>(in[k].as<T>()[i]);
      out[0].as<T>()[i] = static_cast<T>(sum);
    }
  });
}
}  // namespace cutset::rules::add_n

// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/one_hot/one_hot_rules.h"

namespace cutset::rules::one_hot {

Status reference(const OneHotAttrs& a, Views in, Views out) {
  return dispatch_float(out[0].dtype, [&]<class T>(T) {
    for (int64_t i = 0, n = in[0].elements(); i < n; ++i) {
      const int64_t label = in[0].dtype == DType::i64 ? in[0].as<int64_t>()[i] : in[0].as<int32_t>()[i];
      for (int64_t j = 0; j < a.depth; ++j) out[0].as<T>()[i * a.depth + j] = static_cast<T>(j == label);
    }
  });
}

}  // namespace cutset::rules::one_hot

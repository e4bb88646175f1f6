// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/transpose/transpose_rules.h"

namespace cutset::rules::transpose {

Status reference(const TransposeAttrs& a, Views in, Views out) {
  const Strides from = broadcast_strides(in[0].shape, in[0].shape);
  Strides strides[1];
  for (size_t i = 0; i < a.permutation.size; ++i) strides[0].at[i] = from.at[a.permutation.data[i]];
  dispatch_bits(in[0].dtype, [&]<class T>(T) {
    for_each_element(out[0].shape, strides,
                     [&](int64_t i, const int64_t (&at)[1]) { out[0].as<T>()[i] = in[0].as<T>()[at[0]]; });
  });
  return {};
}

}  // namespace cutset::rules::transpose

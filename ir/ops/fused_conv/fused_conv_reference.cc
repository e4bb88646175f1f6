// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/conv/conv_rules.h"
#include "ir/ops/fused_conv/fused_conv_product.h"
#include "ir/ops/fused_conv/fused_conv_rules.h"

namespace cutset::rules::fused_conv {

Status reference(const FusedConvAttrs& a, Views in, Views out) {
  CUTSET_TRY(conv::reference(product_of(a), in, out));
  return dispatch_float(in[0].dtype, [&]<class T>(T) {
    T* y = out[0].as<T>();
    for (int64_t i = 0, n = out[0].elements(); i < n; ++i) y[i] = y[i] < 0 ? 0 : y[i];
  });
}

}  // namespace cutset::rules::fused_conv

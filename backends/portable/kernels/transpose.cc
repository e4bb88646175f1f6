// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/strided_copy.h"
#include "ir/ops/transpose/transpose_attrs.h"

namespace cutset::portable {
namespace {

struct Transpose {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& permutation = p.attributes<TransposeAttrs>().permutation;
    const Strides from = broadcast_strides(p.in_shape(0), p.in_shape(0));
    Strides strides;
    for (size_t i = 0; i < permutation.size; ++i) strides.at[i] = from.at[permutation.data[i]];
    add_strided_copy(list, p.out_shape(0), strides, size_of(p.in_type(0)), in(0), out(0));
  }
};

}  // namespace

void register_transpose(abi::KernelTable& kernels) { add_kernel<Transpose>(kernels, "transpose"); }

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/strided_copy.h"
#include "ir/structural/expand/expand_attrs.h"
#include "ir/structural/expand/expand_shape.h"

namespace cutset::portable {
namespace {

struct Expand {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    add_strided_copy(list, p.out_shape(0),
                     *expand_strides(p.in_shape(0), p.in_shape(1), p.attributes<ExpandAttrs>().axes),
                     size_of(p.in_type(0)), in(0), out(0));
  }
};

}  // namespace

void register_expand(abi::KernelTable& kernels) { add_kernel<Expand>(kernels, "expand"); }

}  // namespace cutset::portable

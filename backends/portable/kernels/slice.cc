// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"
#include "ir/structural/slice/slice_attrs.h"
#include "ir/structural/slice/slice_shape.h"

namespace cutset::portable {
namespace {

struct Slice {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<SliceAttrs>();
    const SliceShape s = *slice_shape(p.in_shape(0), a.axis, a.start, a.length);
    add_copy_rows(list, blocks_of(p.in_shape(0), s.axis), size_of(p.in_type(0)), in(0), s.all, s.start,
                  out(0), s.length, 0, s.length);
  }
};

}  // namespace

void register_slice(abi::KernelTable& kernels) { add_kernel<Slice>(kernels, "slice"); }

}  // namespace cutset::portable

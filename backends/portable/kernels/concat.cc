// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"
#include "ir/structural/concat/concat_attrs.h"

namespace cutset::portable {
namespace {

// One launch per operand.
struct Concat {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t axis = axis_from_front(p.attributes<ConcatAttrs>().axis, p.out_shape(0).size());
    const int64_t all = p.out_shape(0)[static_cast<size_t>(axis)];
    int64_t start = 0;
    for (size_t i = 0; i < p.inputs(); ++i) {
      const int64_t rows = p.in_shape(i)[static_cast<size_t>(axis)];
      add_copy_rows(list, blocks_of(p.out_shape(0), axis), size_of(p.in_type(i)), in(i), rows, 0, out(0), all,
                    start, rows);
      start += rows;
    }
  }
};

}  // namespace

void register_concat(abi::KernelTable& kernels) { add_kernel<Concat>(kernels, "concat"); }

}  // namespace cutset::portable

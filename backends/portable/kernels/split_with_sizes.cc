// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"
#include "ir/ops/split_with_sizes/split_with_sizes_attrs.h"

namespace cutset::portable {
namespace {

// One launch per result.
struct SplitWithSizes {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t axis = axis_from_front(p.attributes<SplitWithSizesAttrs>().axis, p.in_shape(0).size());
    const int64_t all = p.in_shape(0)[static_cast<size_t>(axis)];
    int64_t start = 0;
    for (size_t i = 0; i < p.outputs(); ++i) {
      const int64_t rows = p.out_shape(i)[static_cast<size_t>(axis)];
      add_copy_rows(list, blocks_of(p.in_shape(0), axis), size_of(p.in_type(0)), in(0), all, start, out(i),
                    rows, 0, rows);
      start += rows;
    }
  }
};

}  // namespace

void register_split_with_sizes(abi::KernelTable& kernels) {
  add_kernel<SplitWithSizes>(kernels, "split_with_sizes");
}

}  // namespace cutset::portable

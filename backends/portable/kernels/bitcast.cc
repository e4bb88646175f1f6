// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/copy_rows.h"

namespace cutset::portable {
namespace {

struct Bitcast {
  static std::string supports(const abi::Problem&) { return ""; }
  static void build(Launches& list, const abi::Problem& p) {
    const int64_t n = elements(p.out_shape(0));
    add_copy_rows(list, {}, size_of(p.in_type(0)), in(0), n, 0, out(0), n, 0, n);
  }
};

}  // namespace

void register_bitcast(abi::KernelTable& kernels) { add_kernel<Bitcast>(kernels, "bitcast"); }

}  // namespace cutset::portable

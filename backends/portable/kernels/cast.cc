// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/cast.h"

#include "backends/portable/halves.h"

namespace cutset::portable {
namespace {

struct Cast {
  static std::string supports(const abi::Problem& p) { return check_stored_types(p); }
  static void build(Launches& list, const abi::Problem& p) {
    add_cast(list, p.in_type(0), p.out_type(0), elements(p.out_shape(0)), in(0), out(0));
  }
};

}  // namespace

void register_cast(abi::KernelTable& kernels) { add_kernel<Cast>(kernels, "cast"); }

}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
// The launches of conv, fused_conv, conv_transpose and conv_backward_filter, for the kernels here and for
// kernels that choose between these launches and a library of the vendor. Each of them keeps the patches of
// im2col.h in scratch memory.
#pragma once
#include "backends/portable/launches.h"

namespace cutset::portable {

// Each struct is a K of LaunchKernel (launches.h), which documents the functions.
struct Conv : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p);
};
struct FusedConv : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p);
};
struct ConvTranspose : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p);
};
struct ConvBackwardFilter : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p);
};

}  // namespace cutset::portable

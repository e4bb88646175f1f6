// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/convolution.h"
#include "backends/portable/convolution.h"
#include "ir/ops/conv_backward_filter/conv_backward_filter_attrs.h"

namespace cutset::cuda {
namespace {

struct BackwardFilter {
  using Own = portable::ConvBackwardFilter;
  static Convolution convolution(const abi::Problem& p) {
    const auto& a = p.attributes<ConvBackwardFilterAttrs>();
    const ConvShape s = *conv_shape_of(a, p.in_shape(1), p.out_shape(0));
    return convolution_of(Direction::kBackwardFilter, s, false);
  }
  static ConvolutionMemory memory(const abi::Problem&, const abi::Operands& at) {
    return {.x = address(at.in[1]), .filter = address(at.out[0]), .y = address(at.in[0])};
  }
};

}  // namespace

void register_conv_backward_filter_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<BackwardFilter>>(kernels, "conv_backward_filter",
                                                    "conv_backward_filter.cudnn");
}

}  // namespace cutset::cuda

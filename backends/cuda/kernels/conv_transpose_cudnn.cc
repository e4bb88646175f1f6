// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/convolution.h"
#include "backends/portable/convolution.h"
#include "ir/ops/conv_transpose/conv_transpose_attrs.h"

namespace cutset::cuda {
namespace {

struct BackwardInput {
  using Own = portable::ConvTranspose;
  static Convolution convolution(const abi::Problem& p) {
    const auto& a = p.attributes<ConvTransposeAttrs>();
    const ConvShape s = *conv_shape_of(a, p.out_shape(0), p.in_shape(1));
    return convolution_of(Direction::kBackwardInput, s, false);
  }
  static ConvolutionMemory memory(const abi::Problem&, const abi::Operands& at) {
    return {.x = address(at.out[0]), .filter = address(at.in[1]), .y = address(at.in[0])};
  }
};

}  // namespace

void register_conv_transpose_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<BackwardInput>>(kernels, "conv_transpose", "conv_transpose.cudnn");
}

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/cudnn/convolution.h"
#include "backends/cuda/then_relu.h"
#include "backends/portable/convolution.h"
#include "ir/ops/fused_conv/fused_conv_product.h"

namespace cutset::cuda {
namespace {

// The description of a problem for the kernels of the two ops.
struct Plain {
  using Own = portable::Conv;
  static ConvAttrs attributes(const abi::Problem& p) { return p.attributes<ConvAttrs>(); }
};
struct Fused {
  using Own = portable::FusedConv;
  static ConvAttrs attributes(const abi::Problem& p) { return product_of(p.attributes<FusedConvAttrs>()); }
};

bool has_relu(const abi::Problem&) { return true; }

template <class Op>
struct Forward {
  using Own = Op::Own;
  static Convolution convolution(const abi::Problem& p) {
    const ConvAttrs a = Op::attributes(p);
    const ConvShape s = *conv_shape_of(a, p.in_shape(0), p.in_shape(1));
    return convolution_of(Direction::kForward, s, p.inputs() > 2);
  }
  // The bias is read only if the convolution has one.
  static ConvolutionMemory memory(const abi::Problem& p, const abi::Operands& at) {
    return {.x = address(at.in[0]),
            .filter = address(at.in[1]),
            .y = address(at.out[0]),
            .bias = p.inputs() > 2 ? address(at.in[2]) : 0};
  }
};

}  // namespace

void register_conv_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<Forward<Plain>>>(kernels, "conv", "conv.cudnn");
  portable::add_kernel<ThenRelu<CudnnKernel<Forward<Fused>>, has_relu>>(kernels, "fused_conv",
                                                                        "fused_conv.cudnn");
}

}  // namespace cutset::cuda

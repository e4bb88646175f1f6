#include "backends/cuda/cudnn/convolution.h"
#include "backends/portable/convolution.h"
#include "ir/ops/conv2d_backward_input/conv2d_backward_input_attrs.h"

namespace cutset::cuda {
namespace {

struct BackwardInput {
  using Own = portable::Conv2dBackwardInput;
  static Convolution convolution(const abi::Problem& p) {
    const auto& a = p.attributes<Conv2dBackwardInputAttrs>();
    const Conv2dShape s = *conv2d_shape(p.out_shape(0), p.in_shape(1), a.stride, a.padding, a.dilation, a.groups);
    return convolution_of(Direction::kBackwardInput, s, false);
  }
  static ConvolutionMemory memory(const abi::Problem&, const abi::Operands& at) {
    return {.x = address(at.out[0]), .filter = address(at.in[1]), .y = address(at.in[0]), .bias = 0, .workspace = 0};
  }
};

}  // namespace

void register_conv2d_backward_input_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<BackwardInput>>(kernels, "conv2d_backward_input", "conv2d_backward_input.cudnn");
}

}  // namespace cutset::cuda

#include "backends/cuda/cudnn/convolution.h"
#include "backends/portable/convolution.h"
#include "ir/ops/conv2d/conv2d_attrs.h"

namespace cutset::cuda {
namespace {

struct Forward {
  using Own = portable::Conv2d;
  static Convolution convolution(const abi::Problem& p) {
    const auto& a = p.attributes<Conv2dAttrs>();
    const Conv2dShape s = *conv2d_shape(p.in_shape(0), p.in_shape(1), a.stride, a.padding, a.dilation, a.groups);
    return convolution_of(Direction::kForward, s, p.inputs() > 2);
  }
  // The bias is read only if the convolution has one.
  static ConvolutionMemory memory(const abi::Problem& p, const abi::Operands& at) {
    return {.x = address(at.in[0]),
            .filter = address(at.in[1]),
            .y = address(at.out[0]),
            .bias = p.inputs() > 2 ? address(at.in[2]) : 0,
            .workspace = 0};
  }
};

}  // namespace

void register_conv2d_cudnn(abi::KernelTable& kernels) { kernels.add<CudnnKernel<Forward>>("conv2d", "conv2d.cudnn"); }

}  // namespace cutset::cuda

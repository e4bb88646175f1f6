#include "backends/cuda/cudnn/convolution.h"
#include "backends/portable/convolution.h"
#include "ir/ops/conv2d_backward_filter/conv2d_backward_filter_attrs.h"

namespace cutset::cuda {
namespace {

struct BackwardFilter {
  using Own = portable::Conv2dBackwardFilter;
  static Convolution convolution(const abi::Problem& p) {
    const auto& a = p.attributes<Conv2dBackwardFilterAttrs>();
    const Conv2dShape s = *conv2d_shape(p.in_shape(1), p.out_shape(0), a.stride, a.padding, a.dilation, a.groups);
    return convolution_of(Direction::kBackwardFilter, s, false);
  }
  static ConvolutionMemory memory(const abi::Problem&, const abi::Operands& at) {
    return {.x = address(at.in[1]), .filter = address(at.out[0]), .y = address(at.in[0]), .bias = 0, .workspace = 0};
  }
};

}  // namespace

void register_conv2d_backward_filter_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<BackwardFilter>>(kernels, "conv2d_backward_filter", "conv2d_backward_filter.cudnn");
}

}  // namespace cutset::cuda

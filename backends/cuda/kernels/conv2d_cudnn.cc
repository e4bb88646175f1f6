#include "backends/cuda/cudnn/convolution.h"
#include "backends/cuda/then_relu.h"
#include "backends/portable/convolution.h"
#include "ir/ops/fused_conv2d/fused_conv2d_product.h"

namespace cutset::cuda {
namespace {

// What the kernels of the two ops need to know of a problem.
struct Plain {
  using Own = portable::Conv2d;
  static Conv2dAttrs attributes(const abi::Problem& p) { return p.attributes<Conv2dAttrs>(); }
};
struct Fused {
  using Own = portable::FusedConv2d;
  static Conv2dAttrs attributes(const abi::Problem& p) { return product_of(p.attributes<FusedConv2dAttrs>()); }
};

bool has_relu(const abi::Problem&) { return true; }

template <class Op>
struct Forward {
  using Own = Op::Own;
  static Convolution convolution(const abi::Problem& p) {
    const Conv2dAttrs a = Op::attributes(p);
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

void register_conv2d_cudnn(abi::KernelTable& kernels) {
  portable::add_kernel<CudnnKernel<Forward<Plain>>>(kernels, "conv2d", "conv2d.cudnn");
  portable::add_kernel<ThenRelu<CudnnKernel<Forward<Fused>>, has_relu>>(kernels, "fused_conv2d", "fused_conv2d.cudnn");
}

}  // namespace cutset::cuda

// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <type_traits>
#include <variant>

#include "backends/onednn/conv_product.h"
#include "backends/onednn/depthwise.h"
#include "backends/onednn/kernels/conv_description.h"
#include "backends/onednn/relu_kernel.h"
#include "ir/ops/fused_conv/fused_conv_product.h"

namespace cutset::onednn {
namespace {

ConvAttrs conv_of(const ConvAttrs& a) { return a; }
ConvAttrs conv_of(const FusedConvAttrs& a) { return product_of(a); }

// The chain of conv or fused_conv. A is the attribute struct of the op.
template <class A>
struct Conv {
  static ConvAttrs attributes(const abi::Problem& p) { return conv_of(p.attributes<A>()); }
  static bool relu(const abi::Problem&) { return std::is_same_v<A, FusedConvAttrs>; }
  static void build(Chain& chain, const abi::Problem& p) {
    const ConvAttrs a = attributes(p);
    const bool bias = p.inputs() > 2;
    if (const ConvShape s = *conv_shape_of(a, p.in_shape(0), p.in_shape(1)); is_faster_as_product(s))
      return add_product(chain, s, in(0), in(1), bias ? std::optional(in(2)) : std::nullopt, out(0));
    const auto c = describe_conv(a, p.in_shape(0), p.in_shape(1));
    dnnl::convolution_forward::primitive_desc pd(
        engine(), dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, any(p.in_shape(0)),
        any(c.filter), bias ? plain(p.in_shape(2)) : dnnl::memory::desc(), any(p.out_shape(0)), c.strides,
        c.dilates, c.padding_left, c.padding_right, user_scratchpad());
    std::vector<Chain::Argument> arguments = {{DNNL_ARG_SRC, pd.src_desc(), plain(p.in_shape(0)), in(0)},
                                              {DNNL_ARG_WEIGHTS, pd.weights_desc(), plain(c.filter), in(1)},
                                              {DNNL_ARG_DST, pd.dst_desc(), plain(p.out_shape(0)), out(0)}};
    if (bias) arguments.push_back({DNNL_ARG_BIAS, pd.bias_desc(), plain(p.in_shape(2)), in(2)});
    chain.add<dnnl::convolution_forward>(pd, arguments);
  }
};

// The kernel of conv or fused_conv. A depthwise convolution is a loop of this backend, a pointwise
// convolution is a matrix product of oneDNN, and any other convolution is a convolution of oneDNN.
template <class K>
class ConvKernel {
 public:
  static std::string supports(const cutset_device_info&, const abi::Problem& p) { return p.only_f32(); }
  static uint64_t scratch(const cutset_device_info& info, const abi::Problem& p) {
    const ConvShape s = shape_of(p);
    return Depthwise::fits(s) ? depthwise(p, s).scratch_bytes() * static_cast<uint64_t>(info.threads)
                              : OneDnn::scratch(info, p);
  }
  ConvKernel(cutset_device device, const abi::Problem& p) : kernel_(make(device, p)) {}
  uint64_t scratch_bytes() const {
    return std::visit([](const auto& kernel) { return kernel.scratch_bytes(); }, kernel_);
  }
  void enqueue(cutset_queue queue, const abi::Operands& at) {
    std::visit([&](auto& kernel) { kernel.enqueue(queue, at); }, kernel_);
  }

 private:
  using OneDnn = ReluKernel<K>;
  using Either = std::variant<Depthwise, OneDnn>;
  static ConvShape shape_of(const abi::Problem& p) {
    return *conv_shape_of(K::attributes(p), p.in_shape(0), p.in_shape(1));
  }
  static Depthwise depthwise(const abi::Problem& p, const ConvShape& s) {
    return {s, p.inputs() > 2, K::relu(p)};
  }
  static Either make(cutset_device device, const abi::Problem& p) {
    if (const ConvShape s = shape_of(p); Depthwise::fits(s)) return depthwise(p, s);
    return Either(std::in_place_type<OneDnn>, device, p);
  }

  Either kernel_;
};

}  // namespace

void register_conv(abi::KernelTable& kernels) {
  add_kernel<ConvKernel<Conv<ConvAttrs>>>(kernels, "conv", "conv.onednn");
  add_kernel<ConvKernel<Conv<FusedConvAttrs>>>(kernels, "fused_conv", "fused_conv.onednn");
}

}  // namespace cutset::onednn

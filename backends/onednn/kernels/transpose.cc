// SPDX-License-Identifier: Apache-2.0
// Permutations of dimensions as oneDNN's reorders, which move blocks in vectors and on all threads.
#include "backends/onednn/primitive.h"
#include "ir/ops/transpose/transpose_attrs.h"

namespace cutset::onednn {
namespace {

struct Transpose {
  // The result is described with the strides that its elements have in the operand.
  static void build(Chain& chain, const abi::Problem& p) {
    const auto& permutation = p.attributes<TransposeAttrs>().permutation;
    const dnnl::memory::desc to = plain(p.out_shape(0));
    const auto strides = plain(p.in_shape(0)).get_strides();
    dnnl::memory::dims permuted;
    for (size_t i = 0; i < permutation.size; ++i)
      permuted.push_back(strides[static_cast<size_t>(permutation.data[i])]);
    const dnnl::memory::desc from(to.get_dims(), dnnl::memory::data_type::f32, permuted);
    dnnl::reorder::primitive_desc pd(engine(), from, engine(), to, user_scratchpad());
    chain.add<dnnl::reorder>(pd, {{DNNL_ARG_FROM, from, from, in(0)}, {DNNL_ARG_TO, to, to, out(0)}});
  }
};

struct Kernel : ChainKernel<Transpose> {
  using ChainKernel::ChainKernel;
  static std::string supports(const cutset_device_info&, const abi::Problem& p) {
    if (p.in_shape(0).empty()) return "the kernel supports only tensors that have a dimension";
    return p.only_f32();
  }
};

}  // namespace

// 16-bit floats are moved by the reference kernel, without a conversion.
void register_transpose(abi::KernelTable& kernels) { kernels.add<Kernel>("transpose", "transpose.onednn"); }

}  // namespace cutset::onednn

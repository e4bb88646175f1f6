#include "backends/onednn/primitive.h"
#include "ir/ops/matmul/matmul_attrs.h"

namespace cutset::onednn {
namespace {

struct Matmul {
  // The description of a batch of matrices with `rank` dimensions. Transposition swaps the sizes and strides of the
  // last two.
  static dnnl::memory::desc matrix(std::span<const int64_t> shape, size_t rank, bool transposed) {
    dnnl::memory::dims dims(rank - shape.size(), 1);
    dims.insert(dims.end(), shape.begin(), shape.end());
    dnnl::memory::dims strides(rank, 1);
    for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    if (transposed) std::swap(dims[rank - 1], dims[rank - 2]), std::swap(strides[rank - 1], strides[rank - 2]);
    return {dims, dnnl::memory::data_type::f32, strides};
  }
  static void build(Chain& chain, const abi::Problem& p) {
    const auto& a = p.attributes<MatmulAttrs>();
    const size_t rank = p.out_shape(0).size();
    const auto x = matrix(p.in_shape(0), rank, a.transpose_x), y = matrix(p.in_shape(1), rank, a.transpose_y),
               z = matrix(p.out_shape(0), rank, false);
    dnnl::matmul::primitive_desc pd(engine(), x, y, z, user_scratchpad());
    chain.add<dnnl::matmul>(
        pd, {{DNNL_ARG_SRC, x, x, in(0)}, {DNNL_ARG_WEIGHTS, y, y, in(1)}, {DNNL_ARG_DST, z, z, out(0)}});
  }
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) { kernels.add<ChainKernel<Matmul>>("matmul", "matmul.onednn"); }

}  // namespace cutset::onednn

// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/relu_kernel.h"
#include "ir/ops/fused_matmul/fused_matmul_product.h"

namespace cutset::onednn {
namespace {

struct Matmul {
  // With fewer rows, reordering the right factor takes longer than it saves: for 768 x 3072 elements, the
  // product with the reorder takes 1.8 times as long for 8 rows, 1.0 times for 32 rows, and 0.58 times for
  // 197 rows.
  static constexpr int64_t kLeastRowsToReorder = 128;
  // Returns the description of a batch of matrices with `rank` dimensions. Transposition swaps the sizes and
  // strides of the last two dimensions.
  static dnnl::memory::desc matrix(std::span<const int64_t> shape, size_t rank, bool transposed) {
    dnnl::memory::dims dims(rank - shape.size(), 1);
    dims.insert(dims.end(), shape.begin(), shape.end());
    dnnl::memory::dims strides(rank, 1);
    for (size_t i = rank; i-- > 1;) strides[i - 1] = strides[i] * dims[i];
    if (transposed) {
      std::swap(dims[rank - 1], dims[rank - 2]);
      std::swap(strides[rank - 1], strides[rank - 2]);
    }
    return {dims, dnnl::memory::data_type::f32, strides};
  }
  // Returns the number of matrices in a batch.
  static int64_t batch(std::span<const int64_t> shape) {
    int64_t count = 1;
    for (size_t i = 0; i + 2 < shape.size(); ++i) count *= shape[i];
    return count;
  }
  // Returns the shape of the matrix that has the rows of all matrices of a batch.
  static std::vector<int64_t> rows(std::span<const int64_t> shape) {
    return {batch(shape) * shape[shape.size() - 2], shape.back()};
  }
  // Appends the product. `bias` is the operand that is added to each row, or null.
  static void build(Chain& chain, const abi::Problem& p, const MatmulAttrs& a, const Chain::Place* bias) {
    std::vector<int64_t> left(p.in_shape(0).begin(), p.in_shape(0).end()),
        right(p.in_shape(1).begin(), p.in_shape(1).end()),
        product(p.out_shape(0).begin(), p.out_shape(0).end());
    // If all matrices of the batch have the same right factor, one product computes the rows of all of them.
    // oneDNN computes it faster than a batch: up to 14 times as fast if each matrix has one row.
    if (product.size() > 2 && !a.transpose_x && batch(right) == 1 && batch(left) == batch(product)) {
      left = rows(left);
      right = rows(right);
      product = rows(product);
    }
    const size_t rank = product.size();
    const auto x = matrix(left, rank, a.transpose_x), y = matrix(right, rank, a.transpose_y),
               z = matrix(product, rank, false);
    const auto columns = matrix(p.out_shape(0).last(1), rank, false);
    // If the distance between rows of the right factor is a multiple of 4 KiB, all rows fall into the same
    // sets of the cache. A reorder avoids this. A transposed factor is read along its rows, which are
    // contiguous.
    const bool reorders = rank == 2 && !a.transpose_y && product[0] >= kLeastRowsToReorder;
    dnnl::matmul::primitive_desc pd(engine(), x, reorders ? any(right) : y,
                                    bias ? columns : dnnl::memory::desc(), z, user_scratchpad());
    std::vector<Chain::Argument> arguments = {{DNNL_ARG_SRC, x, x, in(0)},
                                              {DNNL_ARG_WEIGHTS, pd.weights_desc(), y, in(1)},
                                              {DNNL_ARG_DST, z, z, out(0)}};
    if (bias) arguments.push_back({DNNL_ARG_BIAS, columns, columns, *bias});
    chain.add<dnnl::matmul>(pd, arguments);
  }
};
struct Plain {
  static void build(Chain& chain, const abi::Problem& p) {
    Matmul::build(chain, p, p.attributes<MatmulAttrs>(), nullptr);
  }
};
struct Fused {
  static bool relu(const abi::Problem& p) { return p.attributes<FusedMatmulAttrs>().relu != 0; }
  static void build(Chain& chain, const abi::Problem& p) {
    const Chain::Place bias = in(2);
    Matmul::build(chain, p, product_of(p.attributes<FusedMatmulAttrs>()), &bias);
  }
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) {
  add_kernel<ChainKernel<Plain>>(kernels, "matmul", "matmul.onednn");
  add_kernel<ReluKernel<Fused>>(kernels, "fused_matmul", "fused_matmul.onednn");
}

}  // namespace cutset::onednn

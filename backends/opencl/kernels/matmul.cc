// SPDX-License-Identifier: Apache-2.0
// The kernels of matmul and of fused_matmul, which are the same matrix products with another epilogue.
#include "backends/opencl/launch.h"
#include "backends/portable/gemm.h"
#include "ir/ops/fused_matmul/fused_matmul_product.h"

namespace cutset::opencl {
namespace {

// Transposes each matrix of a batch. gemm needs this kernel because each row of y must be contiguous.
const char* kTranspose = R"(
KERNEL(transpose)(TENSOR(const float, from), TENSOR(float, to), int rows, int columns) {
  BIND(const float, from); BIND(float, to);
  int i = ITEM, b = get_global_id(1);
  from += b * rows * columns; to += b * rows * columns;
  for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}
)";

// Appends the products of a matmul. `epilogue` has the bias and relu, and `bias` is null if it has no bias.
void build_products(Launches& list, const abi::Problem& p, const MatmulAttrs& a, const Gemm& epilogue,
                    const Argument* bias) {
  Argument y = in(1);
  if (a.transpose_y) {
    const auto shape = p.in_shape(1);
    const int64_t rows = shape[shape.size() - 2], columns = shape.back(),
                  batch = elements(shape.first(shape.size() - 2));
    const Memory turned = list.take(static_cast<uint64_t>(elements(shape)) * 4);
    list.add(kTranspose, "transpose", items(rows, batch), {y, turned, rows, columns});
    y = turned;
  }
  for_each_product(p, a, [&](Gemm g) {
    g.bias = epilogue.bias;
    g.relu = epilogue.relu;
    add_gemm(list, g, in(0), y, out(0), bias);
  });
}

struct Matmul : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    build_products(list, p, p.attributes<MatmulAttrs>(), {}, nullptr);
  }
};
struct FusedMatmul : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const auto& a = p.attributes<FusedMatmulAttrs>();
    const Argument bias = in(2);
    build_products(list, p, product_of(a), {.bias = Gemm::Bias::kOfColumn, .relu = a.relu != 0}, &bias);
  }
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) {
  add_kernel<Matmul>(kernels, "matmul");
  add_kernel<FusedMatmul>(kernels, "fused_matmul");
}

}  // namespace cutset::opencl

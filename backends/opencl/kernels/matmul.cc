#include "backends/opencl/gemm.h"
#include "ir/core/tensor_view.h"
#include "ir/ops/matmul/matmul_attrs.h"
#include "ir/ops/matmul/matmul_shape.h"

namespace cutset::opencl {
namespace {

// Transposes each matrix of a batch. gemm needs this kernel for y, each of whose rows must be contiguous.
const char* kTranspose = R"(
__kernel void transpose(TENSOR(const float, from), TENSOR(float, to), int rows, int columns) {
  BIND(const float, from); BIND(float, to);
  int i = get_global_id(0), b = get_global_id(1);
  from += b * rows * columns; to += b * rows * columns;
  for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}
)";

struct Matmul {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }

  static void build(Launches& list, const abi::Problem& p) {
    const auto& attributes = p.attributes<MatmulAttrs>();
    const MatmulShape s = *matmul_shape(p.in_shape(0), p.in_shape(1), attributes.transpose_x, attributes.transpose_y);
    const auto stack_y = p.in_shape(1).first(p.in_shape(1).size() - 2),
               stack_x = p.in_shape(0).first(p.in_shape(0).size() - 2);
    const auto stack = p.out_shape(0).first(p.out_shape(0).size() - 2);
    Launches::Argument y = in(1);
    if (attributes.transpose_y) {
      const Launches::Memory turned = list.take(static_cast<uint64_t>(elements(p.in_shape(1))) * 4);
      list.add(kTranspose, "transpose", {s.n, elements(stack_y)}, {y, turned, s.n, s.k});
      y = turned;
    }
    Gemm g{.batch = s.batch,
           .m = s.m,
           .n = s.n,
           .k = s.k,
           .a_row = s.x_row,
           .a_column = s.x_column,
           .y_row = s.n,
           .c_batch = s.m * s.n,
           .c_row = s.n};
    g.a_batch = elements(stack_x) == 1 ? 0 : s.m * s.k;
    g.y_batch = elements(stack_y) == 1 ? 0 : s.k * s.n;
    if (whole(stack_x, stack) && whole(stack_y, stack)) return add_gemm(list, g, in(0), y, out(0));
    // A batch that is broadcast along some, but not all, of its dimensions has no single stride. There is one launch
    // per product.
    g.batch = 1;
    const Strides strides[2] = {broadcast_strides(stack_x, stack), broadcast_strides(stack_y, stack)};
    for_each_element(stack, strides, [&](int64_t b, const int64_t (&offset)[2]) {
      g.a_offset = offset[0] * s.m * s.k, g.y_offset = offset[1] * s.k * s.n, g.c_offset = b * s.m * s.n;
      add_gemm(list, g, in(0), y, out(0));
    });
  }
  // Whether one stride is enough to find every matrix of a batch of shape `from` that is broadcast to the shape `to`:
  // the batch is a single matrix, or it has as many matrices as `to`.
  static bool whole(std::span<const int64_t> from, std::span<const int64_t> to) {
    return elements(from) == 1 || elements(from) == elements(to);
  }
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) { kernels.add<LaunchKernel<Matmul>>("matmul", "matmul.opencl"); }

}  // namespace cutset::opencl

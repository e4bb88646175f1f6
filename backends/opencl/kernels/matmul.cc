#include "backends/opencl/launch.h"
#include "backends/portable/gemm.h"
#include "ir/ops/matmul/matmul_attrs.h"

namespace cutset::opencl {
namespace {

// Transposes each matrix of a batch. gemm needs this kernel for y, each of whose rows must be contiguous.
const char* kTranspose = R"(
KERNEL(transpose)(TENSOR(const float, from), TENSOR(float, to), int rows, int columns) {
  BIND(const float, from); BIND(float, to);
  int i = ITEM, b = get_global_id(1);
  from += b * rows * columns; to += b * rows * columns;
  for (int j = 0; j < columns; j++) to[j * rows + i] = from[i * columns + j];
}
)";

struct Matmul {
  static std::string supports(const abi::Problem& p) { return only(p, {DType::f32}); }
  static void build(Launches& list, const abi::Problem& p) {
    Argument y = in(1);
    if (p.attributes<MatmulAttrs>().transpose_y) {
      const auto shape = p.in_shape(1);
      const int64_t rows = shape[shape.size() - 2], columns = shape.back(),
                    batch = elements(shape.first(shape.size() - 2));
      const Memory turned = list.take(static_cast<uint64_t>(elements(shape)) * 4);
      list.add(kTranspose, "transpose", items(rows, batch), {y, turned, rows, columns});
      y = turned;
    }
    for_each_product(p, [&](const Gemm& g) { add_gemm(list, g, in(0), y, out(0)); });
  }
};

}  // namespace

void register_matmul(abi::KernelTable& kernels) { add_kernel<Matmul>(kernels, "matmul"); }

}  // namespace cutset::opencl

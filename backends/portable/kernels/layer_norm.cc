// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/block_sums.h"
#include "backends/portable/reduce.h"
#include "ir/ops/layer_norm/layer_norm_attrs.h"
#include "ir/ops/layer_norm/layer_norm_rows.h"

namespace cutset::portable {
namespace {

// A work-item computes a row. The statistics are computed from the differences to the first element of the
// row. Differences of neighbouring numbers are exact, so a mean far from zero costs no digits.
const char* kSource = R"(
typedef struct { float mean, scale; } Statistics;
FUNCTION float square(float v) { return v * v; }
FUNCTION Statistics statistics(GLOBAL const float* x, int width, float epsilon) {
  Statistics s;
  SUM_TERMS(sum, j, width, x[j] - x[0]);
  s.mean = sum / width;
  SUM_TERMS(squares, j, width, square(x[j] - x[0] - s.mean));
  s.scale = 1 / sqrt(squares / width + epsilon);
  return s;
}
#ifdef BIAS
KERNEL(layer_norm)(TENSOR(const float, x), TENSOR(const float, w), TENSOR(const float, b), TENSOR(float, y), int width,
                   int rows, float epsilon) {
  BIND(const float, b);
#else
KERNEL(layer_norm)(TENSOR(const float, x), TENSOR(const float, w), TENSOR(float, y), int width, int rows,
                   float epsilon) {
#endif
  BIND(const float, x); BIND(const float, w); BIND(float, y);
  int i = ITEM;
  if (i >= rows) return;
  x += i * width; y += i * width;
  Statistics s = statistics(x, width, epsilon);
  for (int j = 0; j < width; j++) {
    y[j] = (x[j] - x[0] - s.mean) * s.scale * w[j];
#ifdef BIAS
    y[j] += b[j];
#endif
  }
}
KERNEL(backward_input)(TENSOR(const float, g), TENSOR(const float, x), TENSOR(const float, w), TENSOR(float, d),
                       int width, int rows, float epsilon) {
  BIND(const float, g); BIND(const float, x); BIND(const float, w); BIND(float, d);
  int i = ITEM;
  if (i >= rows) return;
  g += i * width; x += i * width; d += i * width;
  Statistics s = statistics(x, width, epsilon);
  float sum = 0, product = 0, part = 0, product_part = 0;
  for (int j = 0; j < width;) {
    for (int end = block_end(j, width); j < end; j++) {
      float h = g[j] * w[j];
      part += h; product_part += h * ((x[j] - x[0] - s.mean) * s.scale);
    }
    END_BLOCK(sum, part);
    END_BLOCK(product, product_part);
  }
  sum /= width; product /= width;
  for (int j = 0; j < width; j++)
    d[j] = (g[j] * w[j] - sum - (x[j] - x[0] - s.mean) * s.scale * product) * s.scale;
}
KERNEL(products)(TENSOR(const float, g), TENSOR(const float, x), TENSOR(float, d), int width, int rows,
                 float epsilon) {
  BIND(const float, g); BIND(const float, x); BIND(float, d);
  int i = ITEM;
  if (i >= rows) return;
  g += i * width; x += i * width; d += i * width;
  Statistics s = statistics(x, width, epsilon);
  for (int j = 0; j < width; j++) d[j] = g[j] * ((x[j] - x[0] - s.mean) * s.scale);
}
)";

std::string source() { return std::string(kBlockSums) + kSource; }

// Returns the rows of the tensor `x`; none if they have no elements.
template <class Attrs>
LayerNormRows rows_of(const abi::Problem& p, size_t x) {
  LayerNormRows rows = *layer_norm_rows(p.in_shape(x), p.attributes<Attrs>().axis);
  if (rows.width == 0) rows.count = 0;
  return rows;
}

struct Forward : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const LayerNormRows rows = rows_of<LayerNormAttrs>(p, 0);
    const auto epsilon = static_cast<float>(p.attributes<LayerNormAttrs>().epsilon);
    if (p.inputs() > 2)
      list.add_flat("#define BIAS\n" + source(), "layer_norm", rows.count,
                    {in(0), in(1), in(2), out(0), rows.width, rows.count, epsilon});
    else
      list.add_flat(source(), "layer_norm", rows.count,
                    {in(0), in(1), out(0), rows.width, rows.count, epsilon});
  }
};

struct BackwardInput : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const LayerNormRows rows = rows_of<LayerNormBackwardInputAttrs>(p, 1);
    const auto epsilon = static_cast<float>(p.attributes<LayerNormBackwardInputAttrs>().epsilon);
    list.add_flat(source(), "backward_input", rows.count,
                  {in(0), in(1), in(2), out(0), rows.width, rows.count, epsilon});
  }
};

struct BackwardScale : SupportsF32 {
  static void build(Launches& list, const abi::Problem& p) {
    const LayerNormRows rows = rows_of<LayerNormBackwardScaleAttrs>(p, 1);
    const auto epsilon = static_cast<float>(p.attributes<LayerNormBackwardScaleAttrs>().epsilon);
    const Memory products = list.take(sizeof(float) * static_cast<uint64_t>(rows.count * rows.width));
    list.add_flat(source(), "products", rows.count,
                  {in(0), in(1), products, rows.width, rows.count, epsilon});
    const int64_t shape[] = {rows.count, rows.width};
    const bool reduces[kMaxRank] = {true, false};
    add_reduction(list, Reduction::kSum, split_dimensions(shape, reduces), products, out(0));
  }
};

}  // namespace

void register_layer_norm(abi::KernelTable& kernels) {
  add_kernel<Forward>(kernels, "layer_norm");
  add_kernel<BackwardInput>(kernels, "layer_norm_backward_input");
  add_kernel<BackwardScale>(kernels, "layer_norm_backward_scale");
}

}  // namespace cutset::portable

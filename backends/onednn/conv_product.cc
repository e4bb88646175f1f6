// SPDX-License-Identifier: Apache-2.0
#include "backends/onednn/conv_product.h"

namespace cutset::onednn {
namespace {

// A matrix of `rows` rows with `inner` elements. Neighbouring rows are `row_step` elements apart, and
// neighbouring elements of a row are `step` elements apart.
struct Matrix {
  int64_t rows, inner, row_step, step;
};
// Appends one product per image: the matrix in `filter` times the pixels of the image in `from`, which has
// one row per channel. `bias` has one element per row of the product.
void add(Chain& chain, const ConvShape& s, const Matrix& f, Chain::Place from, Chain::Place filter,
         std::optional<Chain::Place> bias, Chain::Place to) {
  const dnnl::memory::desc matrix({1, f.rows, f.inner}, dnnl::memory::data_type::f32,
                                  dnnl::memory::dims{s.o * s.c, f.row_step, f.step});
  const auto images = plain(std::vector{s.n, f.inner, s.in()}),
             results = plain(std::vector{s.n, f.rows, s.in()}),
             column = plain(std::vector<int64_t>{1, f.rows, 1});
  std::vector<Chain::Argument> arguments = {{DNNL_ARG_SRC, matrix, matrix, filter},
                                            {DNNL_ARG_WEIGHTS, images, images, from},
                                            {DNNL_ARG_DST, results, results, to}};
  auto attributes = user_scratchpad();
  if (bias) {
    dnnl::post_ops after;
    after.append_binary(dnnl::algorithm::binary_add, column);
    attributes.set_post_ops(after);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, column, column, *bias});
  }
  chain.add<dnnl::matmul>(dnnl::matmul::primitive_desc(engine(), matrix, images, results, attributes),
                          arguments);
}

}  // namespace

bool is_faster_as_product(const ConvShape& s) {
  constexpr int64_t kSmall = 64;
  bool pointwise = s.groups == 1 && (s.n == 1 || s.in() >= kSmall);
  for (const WindowAxis& axis : s.axes)
    pointwise = pointwise && axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.in == axis.out;
  return pointwise;
}

void add_product(Chain& chain, const ConvShape& s, Chain::Place x, Chain::Place f,
                 std::optional<Chain::Place> bias, Chain::Place y) {
  add(chain, s, {s.o, s.c, s.c, 1}, x, f, bias, y);
}

void add_transposed_product(Chain& chain, const ConvShape& s, Chain::Place y, Chain::Place f,
                            Chain::Place x) {
  add(chain, s, {s.c, s.o, 1, s.c}, y, f, std::nullopt, x);
}

}  // namespace cutset::onednn

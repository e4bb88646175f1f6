// Convolutions that are matrix products: each pixel of the result depends on the pixel of the image at the same place alone. As a product,
// they need no reorders of the images, which take about as long as the convolution itself.
#pragma once
#include "backends/onednn/primitive.h"
#include "ir/ops/conv/conv_shape.h"

namespace cutset::onednn {

// Whether oneDNN computes the convolution as one product per image in less time. Many small images are faster together.
inline bool is_product(const ConvShape& s) {
  constexpr int64_t kSmall = 64;  // pixels
  bool of_pixels = s.groups == 1 && (s.n == 1 || s.in() >= kSmall);
  for (const WindowAxis& axis : s.axes)
    of_pixels = of_pixels && axis.kernel == 1 && axis.stride == 1 && axis.before == 0 && axis.in == axis.out;
  return of_pixels;
}

// Appends y = f x for each image, where f is the filter as a matrix of output channels by input channels, or the transposed matrix.
// `bias` is an operand with one element per row of y, or null.
inline void add_product(Chain& chain, const ConvShape& s, Chain::Place x, Chain::Place f, Chain::Place y,
                        bool transposed, const Chain::Place* bias = nullptr) {
  const int64_t rows = transposed ? s.c : s.o, inner = transposed ? s.o : s.c, pixels = s.in();
  const auto strides = transposed ? dnnl::memory::dims{s.o * s.c, 1, s.c} : dnnl::memory::dims{s.o * s.c, s.c, 1};
  const dnnl::memory::desc filter({1, rows, inner}, dnnl::memory::data_type::f32, strides);
  const auto image = plain(std::vector{s.n, inner, pixels}), result = plain(std::vector{s.n, rows, pixels}),
             column = plain(std::vector<int64_t>{1, rows, 1});
  std::vector<Chain::Argument> arguments = {
      {DNNL_ARG_SRC, filter, filter, f}, {DNNL_ARG_WEIGHTS, image, image, x}, {DNNL_ARG_DST, result, result, y}};
  auto attributes = user_scratchpad();
  if (bias) {
    dnnl::post_ops after;
    after.append_binary(dnnl::algorithm::binary_add, column);
    attributes.set_post_ops(after);
    arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, column, column, *bias});
  }
  chain.add<dnnl::matmul>(dnnl::matmul::primitive_desc(engine(), filter, image, result, attributes), arguments);
}

}  // namespace cutset::onednn

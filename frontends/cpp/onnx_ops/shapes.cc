// SPDX-License-Identifier: Apache-2.0
#include <cutset/onnx_ops/shapes.h>
#include <cutset/ops.h>

#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/functional/reshaped.h"

namespace cutset::onnx_ops {
namespace {

using Where = std::source_location;

void require_images(const Tensor& x, const char* function, Where source) {
  if (x.type().rank() != 4) refuse(x, function, "rank 4", source);
}

}  // namespace

Tensor depth_to_space(const Tensor& x, WholeNumber block, BlockOrder order, Where source) {
  const auto again = [x = kept(x), block, order, source](const Counterpart& now) {
    return depth_to_space(now(x), block, order, source);
  };
  return compose(x, "depth_to_space", source, again, [&] {
    require_images(x, "depth_to_space", source);
    const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
    if (block < 1 || block > c || c % (block * block))
      refuse(x, "depth_to_space", "a multiple of block^2 channels, with a block of " + std::to_string(block),
             source);
    const int64_t depth = c / (block * block);
    const bool outer = order == BlockOrder::kDepthColumnRow;
    const Shape parts = outer ? Shape{n, block, block, depth, h, w} : Shape{n, depth, block, block, h, w};
    const std::vector<int64_t> to =
        outer ? std::vector<int64_t>{0, 3, 4, 1, 5, 2} : std::vector<int64_t>{0, 1, 4, 2, 5, 3};
    return reshaped(ops::transpose(reshaped(x, parts, source), to, source), {n, depth, h * block, w * block},
                    source);
  });
}

Tensor space_to_depth(const Tensor& x, WholeNumber block, Where source) {
  const auto again = [x = kept(x), block, source](const Counterpart& now) {
    return space_to_depth(now(x), block, source);
  };
  return compose(x, "space_to_depth", source, again, [&] {
    require_images(x, "space_to_depth", source);
    const int64_t n = x.shape()[0], c = x.shape()[1], h = x.shape()[2], w = x.shape()[3];
    if (block < 1 || h % block || w % block)
      refuse(x, "space_to_depth", "rows and columns that are multiples of the block " + std::to_string(block),
             source);
    const Tensor parts = reshaped(x, {n, c, h / block, block, w / block, block}, source);
    const Tensor moved = ops::transpose(parts, {0, 3, 5, 1, 2, 4}, source);
    return reshaped(moved, {n, c * block * block, h / block, w / block}, source);
  });
}

}  // namespace cutset::onnx_ops

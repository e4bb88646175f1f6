// SPDX-License-Identifier: Apache-2.0
// Functions of ONNX that move elements between the channels and the pixels of images. All functions throw a
// cutset::Error with the line of the call if an operand or argument does not fit, and then add nothing to the
// graph.
#pragma once
#include <cutset/arguments.h>
#include <cutset/tensor.h>

#include <cstdint>
#include <source_location>
#include <type_traits>

namespace cutset::onnx_ops {

// How depth_to_space divides the channels: kDepthColumnRow takes the offsets in a block from the outer part
// of the channels, and kColumnRowDepth from the inner part, as PyTorch's pixel_shuffle. The names are the
// names of ONNX.
enum class BlockOrder { kDepthColumnRow, kColumnRowDepth };
// The arguments of depth_to_space by name.
struct DepthToSpaceOptions {
  int64_t block = {};
  BlockOrder order = BlockOrder::kDepthColumnRow;
};
// Moves blocks of channels of images [n, c, h, w] to pixels: [n, c / block^2, h block, w block]. c is a
// multiple of block^2.
Tensor depth_to_space(const Tensor& x, WholeNumber block, BlockOrder order = BlockOrder::kDepthColumnRow,
                      std::source_location source = std::source_location::current());
template <class Options = DepthToSpaceOptions>
Tensor depth_to_space(const Tensor& x, const std::type_identity_t<Options>& options,
                      std::source_location source = std::source_location::current()) {
  return depth_to_space(x, options.block, options.order, source);
}

// The arguments of space_to_depth by name.
struct SpaceToDepthOptions {
  int64_t block = {};
};
// Moves blocks of pixels of images [n, c, h, w] to channels: [n, c block^2, h / block, w / block]. h and w
// are multiples of block. It is the inverse of depth_to_space with kDepthColumnRow.
Tensor space_to_depth(const Tensor& x, WholeNumber block,
                      std::source_location source = std::source_location::current());
template <class Options = SpaceToDepthOptions>
Tensor space_to_depth(const Tensor& x, const std::type_identity_t<Options>& options,
                      std::source_location source = std::source_location::current()) {
  return space_to_depth(x, options.block, source);
}

}  // namespace cutset::onnx_ops

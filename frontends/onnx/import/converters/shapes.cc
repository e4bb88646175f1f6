// SPDX-License-Identifier: Apache-2.0
// Ops that change shapes and keep all elements.
#include <cutset/constants.h>
#include <cutset/onnx_ops/shapes.h>
#include <cutset/shapes.h>

#include <algorithm>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

HostTensor list_of(const Shape& sizes) { return HostTensor({static_cast<int64_t>(sizes.size())}, sizes); }

// Returns the sizes of the dimensions from `start` to before `end`. Both count from the end if they are
// negative, and are limited to the rank.
Results shape_of(Node& n) {
  const Shape& shape = n.type(0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto limit = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? std::max(at, -rank) + rank : at, 0, rank);
  };
  const int64_t start = limit(n.number("start", 0)), end = std::max(start, limit(n.number("end", rank)));
  return {list_of({shape.begin() + start, shape.begin() + end})};
}

Results size_of_operand(Node& n) { return {HostTensor::scalar(n.type(0).elements())}; }

// A size of 0 means the size of x, or 0 if allowzero is set. In ops::reshape, 0 always means the size of x.
Results reshape_of(Node& n) {
  const Tensor x = n.in(0);
  auto asked = n.numbers_or_operand("shape", 1);
  if (!asked) invalid("the new shape is missing");
  // If the first size does not change, it is written as 0, so that the reshape fits other sizes of the batch.
  if (!asked->empty() && x.type().rank() > 0 && x.shape()[0] > 0 && asked->front() == x.shape()[0] &&
      !n.number("allowzero", 0))
    asked->front() = 0;
  if (!n.number("allowzero", 0)) return {reshape(x, {.shape = *asked})};
  if (std::find(asked->begin(), asked->end(), 0) == asked->end()) return {reshape(x, {.shape = *asked})};
  if (std::find(asked->begin(), asked->end(), -1) != asked->end()) invalid("a shape has a 0 and a -1");
  if (x.type().elements() != 0) invalid("a shape has a size of 0, but the operand has elements");
  Shape rows = x.shape();  // x has no elements, so any tensor without elements is its reshape
  return {broadcast_to(reshape(ops::pad(reshape(x, {.shape = {-1}}), {.axis = 0, .after = 1}),
                               {.shape = Shape(asked->size(), 1)}),
                       *asked)};
}

Results flatten_of(Node& n) {
  const Tensor x = n.in(0);
  const int64_t rank = x.type().rank(), axis = n.number("axis", 1);
  if (axis < -rank || axis > rank)
    invalid("axis " + std::to_string(axis) + " is not from -" + std::to_string(rank) + " to " +
            std::to_string(rank));
  const auto at = static_cast<size_t>(axis < 0 ? axis + rank : axis);
  int64_t rows = 1, columns = 1;
  for (size_t d = 0; d < x.shape().size(); ++d) (d < at ? rows : columns) *= x.shape()[d];
  if (at == 1) rows = 0;  // keeps the first size, whatever it is
  return {reshape(x, {.shape = {rows, columns}})};
}

Results squeeze_of(Node& n) {
  return {squeeze(n.in(0), dimensions(n.numbers_or_operand("axes", 1).value_or(Shape{}), n.type(0).rank()))};
}

Results unsqueeze_of(Node& n) {
  const auto axes = n.numbers_or_operand("axes", 1);
  if (!axes) invalid("the axes are missing");
  return {unsqueeze(n.in(0), *axes)};
}

// The shape of the operand and the shape in operand 1 broadcast to the shape of the result.
Results expand_of(Node& n) {
  const Tensor x = n.in(0);
  Shape asked = n.known_ints(1);
  const size_t rank = std::max(asked.size(), x.shape().size());
  asked.insert(asked.begin(), rank - asked.size(), 1);
  for (size_t d = 0; d < x.shape().size(); ++d) {
    int64_t& size = asked[rank - x.shape().size() + d];
    if (size == 1) size = x.shape()[d];
  }
  return {broadcast_to(x, asked)};
}

// Version 1 repeats one dimension.
Results tile_of(Node& n) {
  const Tensor x = n.in(0);
  if (n.opset() >= 6) return {tile(x, n.known_ints(1))};
  Shape repeats(x.shape().size(), 1);
  repeats[static_cast<size_t>(dimension(n.known_number(2), x.type().rank()))] = n.known_number(1);
  return {tile(x, repeats)};
}

Results transpose_of(Node& n) {
  const Tensor x = n.in(0);
  Shape reversed;
  for (int64_t d = x.type().rank(); d-- > 0;) reversed.push_back(d);
  return {transpose(x, {.permutation = n.numbers("perm").value_or(reversed)})};
}

Results depth_to_space_of(Node& n) {
  const std::string mode = n.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") invalid("the mode '" + mode + "' is not DCR or CRD");
  return {onnx_ops::depth_to_space(
      n.in(0), n.number("blocksize", 0),
      mode == "DCR" ? onnx_ops::BlockOrder::kDepthColumnRow : onnx_ops::BlockOrder::kColumnRowDepth)};
}

Results space_to_depth_of(Node& n) {
  const int64_t block = n.number("blocksize", 0);
  const std::string mode = n.text("mode", "DCR");
  if (mode == "DCR") return {onnx_ops::space_to_depth(n.in(0), block)};
  if (mode != "CRD") invalid("the mode '" + mode + "' is not DCR or CRD");
  // The offsets in a block are in the inner part of the channels: [block * block, c] becomes [c, block *
  // block].
  const Tensor x = n.in(0), y = onnx_ops::space_to_depth(x, block);
  const Shape& s = y.shape();
  return {reshape(transpose(reshape(y, {.shape = {s[0], block * block, x.shape()[1], s[2], s[3]}}),
                            {.permutation = {0, 2, 1, 3, 4}}),
                  {.shape = s})};
}

Results first_operand(Node& n) { return {n.tensor_or_sequence(0)}; }

}  // namespace

static void add_shapes(Converters& table) {
  table.insert({{"Identity", first_operand},
                {"Shape", shape_of},
                {"Size", size_of_operand},
                {"Reshape", reshape_of},
                {"Flatten", flatten_of},
                {"Squeeze", squeeze_of},
                {"Unsqueeze", unsqueeze_of},
                {"Expand", expand_of},
                {"Tile", tile_of},
                {"Transpose", transpose_of},
                {"DepthToSpace", depth_to_space_of},
                {"SpaceToDepth", space_to_depth_of}});
}

static const ConverterFamily kShapesConverters(add_shapes);

}  // namespace cutset::onnx

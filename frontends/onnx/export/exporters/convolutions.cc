// SPDX-License-Identifier: Apache-2.0
// Convolutions.
#include "frontends/onnx/export/exporters.h"
#include "frontends/onnx/export/exporters/windows.h"

namespace cutset::onnx {
namespace {

NodeAttributes attributes_of(ExportedOp& op) {
  const size_t axes = static_cast<size_t>(op.type(0).rank()) - 2;
  return {{"strides", per_axis(op, "stride", axes)},
          {"dilations", per_axis(op, "dilation", axes)},
          {"pads", both_sides(op, axes)},
          {"group", op.number("groups")}};
}

Exported conv(ExportedOp& op) { return one(op.node("Conv", op.all(), attributes_of(op))); }

// In ONNX, the size of the result is the smallest possible size plus output_padding. A result with the shape
// of `like` also gets an output_padding.
Exported conv_transpose(ExportedOp& op) {
  const size_t axes = static_cast<size_t>(op.type(0).rank()) - 2;
  const std::vector<int64_t> strides = per_axis(op, "stride", axes),
                             dilations = per_axis(op, "dilation", axes), pads = both_sides(op, axes);
  std::vector<int64_t> more;
  for (size_t d = 0; d < axes; ++d) {
    if (!op.sizes(0)[d + 2].is_fixed() || !op.result_sizes()[d + 2].is_fixed())
      return unsupported("the size of its images depends on the batch");
    const int64_t least = (op.type(0).shape[d + 2] - 1) * strides[d] +
                          dilations[d] * (op.type(1).shape[d + 2] - 1) + 1 - pads[d] - pads[d + axes];
    more.push_back(op.result_type().shape[d + 2] - least);
  }
  NodeAttributes attributes = attributes_of(op);
  attributes.push_back({"output_padding", more});
  return one(op.node("ConvTranspose", {op.in(0), op.in(1)}, attributes));
}

}  // namespace

static void export_convolutions(Exporters& table) {
  table.insert({{"conv", conv}, {"conv_transpose", conv_transpose}});
}

static const ExporterFamily kConvolutionsExporters(export_convolutions);

}  // namespace cutset::onnx

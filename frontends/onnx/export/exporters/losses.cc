// SPDX-License-Identifier: Apache-2.0
// Losses.
#include <cmath>

#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// A label that is not the index of a class has the loss NaN. ONNX's SoftmaxCrossEntropyLoss does not define
// it.
Exported softmax_cross_entropy(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const std::string labels = op.in_as(1, DType::i64);
  const Size classes = op.sizes(0)[1];  // open where each sample is a class
  const std::string last = classes.is_fixed() ? op.whole(classes.rest - 1)
                                              : op.node("Sub", {op.product_of({classes}), op.whole(1)});
  const std::string limited = op.node("Clip", {labels, op.whole(0), last});
  const std::string column = op.node("Unsqueeze", {limited, op.list({1})});
  const std::string logarithms = op.node("LogSoftmax", {op.in(0)}, {{"axis", int64_t{1}}});
  const std::string chosen = op.node("GatherElements", {logarithms, column}, {{"axis", int64_t{1}}});
  const std::string loss = op.node("Neg", {op.node("Squeeze", {chosen, op.list({1})})});
  return one(op.node("Where", {op.node("Equal", {labels, limited}), loss, op.scalar(type, NAN)}));
}

}  // namespace

static void export_losses(Exporters& table) { table["softmax_cross_entropy"] = softmax_cross_entropy; }

static const ExporterFamily kLossesExporters(export_losses);

}  // namespace cutset::onnx

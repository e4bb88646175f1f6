// SPDX-License-Identifier: Apache-2.0
// Normalizations.
#include "frontends/onnx/element_types.h"
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

Exported batch_norm(ExportedOp& op) {
  return one(op.node("BatchNormalization", op.all(), {{"epsilon", static_cast<float>(op.real("epsilon"))}}));
}

// ONNX computes mean and variance in the type `stash_type`, which is f32 by default.
Exported layer_norm(ExportedOp& op) {
  NodeAttributes attributes = {{"axis", op.axis()}, {"epsilon", static_cast<float>(op.real("epsilon"))}};
  if (op.type(0).dtype == DType::f64) attributes.push_back({"stash_type", int64_t{onnx_type(DType::f64)}});
  return one(op.node("LayerNormalization", op.all(), attributes));
}

// Computes the sum of (x - mean)^2 over each channel.
Exported sum_squared_deviations(ExportedOp& op) {
  std::vector<int64_t> shape(static_cast<size_t>(op.type(0).rank()), 1), axes;
  shape[1] = -1;
  for (int64_t d = 0; d < op.type(0).rank(); ++d)
    if (d != 1) axes.push_back(d);
  const std::string mean = op.node("Reshape", {op.in(1), op.list(shape)});
  const std::string deviation = op.node("Sub", {op.in(0), mean});
  return one(op.node("ReduceSum", {op.node("Mul", {deviation, deviation}), op.list(axes)},
                     {{"keepdims", int64_t{0}}}));
}

}  // namespace

static void export_normalizations(Exporters& table) {
  table.insert({{"batch_norm", batch_norm},
                {"layer_norm", layer_norm},
                {"sum_squared_deviations", sum_squared_deviations}});
}

static const ExporterFamily kNormalizationsExporters(export_normalizations);

}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Activation functions, and functions that are applied to lines.
#include "frontends/onnx/export/exporters.h"

namespace cutset::onnx {
namespace {

// ONNX's Relu does not take unsigned integers, which are never below 0.
Exported relu(ExportedOp& op) {
  return one(is_unsigned(op.type(0).dtype) ? op.in(0) : op.node("Relu", {op.in(0)}));
}
Exported sigmoid(ExportedOp& op) { return one(op.node("Sigmoid", {op.in(0)})); }
Exported softplus(ExportedOp& op) { return one(op.node("Softplus", {op.in(0)})); }
Exported gelu(ExportedOp& op) { return one(op.node("Gelu", {op.in(0)})); }
Exported silu(ExportedOp& op) { return one(op.node("Mul", {op.in(0), op.node("Sigmoid", {op.in(0)})})); }

Exported softmax(ExportedOp& op) { return one(op.node("Softmax", {op.in(0)}, {{"axis", op.axis()}})); }
Exported log_softmax(ExportedOp& op) { return one(op.node("LogSoftmax", {op.in(0)}, {{"axis", op.axis()}})); }

std::string is_negative(ExportedOp& op) {
  return op.node("Less", {op.in(0), op.scalar(op.type(0).dtype, 0)});
}

// ONNX's PRelu takes a slope that broadcasts to x.
Exported prelu(ExportedOp& op) {
  if (op.sizes(0) == op.result_sizes()) return one(op.node("PRelu", op.all()));
  return one(op.node("Where", {is_negative(op), op.node("Mul", {op.in(0), op.in(1)}), op.in(0)}));
}

// The alpha of ONNX's Elu is an attribute of type f32.
Exported elu(ExportedOp& op) {
  const DType type = op.type(0).dtype;
  const HostTensor* alpha = op.known(1);
  if (alpha && alpha->elements() == 1 &&
      alpha->at(0) == static_cast<double>(static_cast<float>(alpha->at(0))) &&
      op.sizes(0) == op.result_sizes())
    return one(op.node("Elu", {op.in(0)}, {{"alpha", static_cast<float>(alpha->at(0))}}));
  const std::string below = op.node("Sub", {op.node("Exp", {op.in(0)}), op.scalar(type, 1)});
  return one(op.node("Where", {is_negative(op), op.node("Mul", {op.in(1), below}), op.in(0)}));
}

}  // namespace

static void export_activations(Exporters& table) {
  table.insert({{"relu", relu},
                {"sigmoid", sigmoid},
                {"softplus", softplus},
                {"gelu", gelu},
                {"silu", silu},
                {"softmax", softmax},
                {"log_softmax", log_softmax},
                {"prelu", prelu},
                {"elu", elu}});
}

static const ExporterFamily kActivationsExporters(export_activations);

}  // namespace cutset::onnx

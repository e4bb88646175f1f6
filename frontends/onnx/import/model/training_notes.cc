// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/training_notes.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "frontends/onnx/import/model/export_signature.h"
#include "frontends/onnx/messages.h"
#include "frontends/onnx/names.h"

namespace cutset::onnx {
namespace {

using GraphProto = onnx_proto::GraphProto;

bool has_node(const GraphProto& graph, std::string_view op) {
  return std::ranges::any_of(graph.node(), [&](const auto& node) { return node.op_type() == op; });
}

// Whether PyTorch has joined batch normalization with other weights. A model of dynamo=True names the running
// statistics of the module, and one of dynamo=False has weights with new names.
bool has_joined_normalization(const GraphProto& graph) {
  if (has_node(graph, "BatchNormalization")) return false;
  if (signature_of(graph).find("running_mean'") != std::string_view::npos) return true;
  return std::ranges::any_of(graph.initializer(),
                             [](const auto& weight) { return weight.name().starts_with("onnx::Conv_"); });
}

// Returns the weights of two or more dimensions that nodes add, multiply or select, directly or after a
// change of their shape. Parameters of layers are rarely used in this way, but masks and tables of positions
// are.
std::vector<std::string> maybe_buffers(const GraphProto& graph) {
  static const std::set<std::string_view> kElementwise = {"Add", "Sub", "Mul", "Div", "Where", "Max", "Min"},
                                          kMoving = {"Slice",  "Unsqueeze", "Squeeze",
                                                     "Expand", "Reshape",   "Cast"};
  std::map<std::string_view, std::string_view>
      weights;  // by name of a value: the initializer that it is, or that it was made from
  for (const auto& initializer : graph.initializer()) {
    const auto type = initializer.data_type();
    const bool is_float = type == onnx_proto::TensorProto::FLOAT || type == onnx_proto::TensorProto::DOUBLE ||
                          type == onnx_proto::TensorProto::FLOAT16 ||
                          type == onnx_proto::TensorProto::BFLOAT16;
    if (is_float && initializer.dims_size() >= 2) weights.emplace(initializer.name(), initializer.name());
  }
  std::vector<std::string> found;
  for (const auto& node : graph.node()) {
    const bool combines = kElementwise.contains(node.op_type()), moves = kMoving.contains(node.op_type());
    for (const std::string& operand : node.input()) {
      const auto weight = weights.find(operand);
      if (weight == weights.end()) continue;
      if (combines && std::ranges::find(found, weight->second) == found.end())
        found.emplace_back(weight->second);
      if (moves && node.output_size() > 0) weights.emplace(node.output(0), weight->second);
      if (moves) break;  // the other operands are sizes
    }
    if (found.size() > 100) break;
  }
  return found;
}

}  // namespace

std::vector<std::string> training_notes(const GraphProto& graph) {
  std::vector<std::string> notes;
  if (has_joined_normalization(graph))
    notes.push_back(
        "the model has no batch normalization, because PyTorch has joined it with the weights before it; to "
        "train it, export the model with torch.onnx.export(..., dynamo=True, optimize=False)");
  if (!signature_of(graph).empty()) return notes;
  if (const auto found = maybe_buffers(graph); !found.empty()) {
    std::string names;
    for (size_t i = 0; i < std::min<size_t>(found.size(), 5); ++i)
      names += (i ? ", '" : "'") + shown(valid_name(found[i])) + "'";
    notes.push_back(
        "the model does not say which of its initializers are parameters, so all are trained; " + names +
        (found.size() > 5 ? " and others" : "") +
        " may be buffers, such as masks: --freeze keeps them as they are, and torch.onnx.export(..., "
        "dynamo=True) writes which values are parameters");
  }
  return notes;
}

}  // namespace cutset::onnx

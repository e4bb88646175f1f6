// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/onnx_loss.h"

#include <cutset/losses.h>

#include "frontends/cli/options/arguments.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/models/class_metrics.h"
#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// Returns the type that labels usually have: classes (i32) if `class_axis` is set, or else the type of the
// output.
TensorType usual_label(const TensorType& y, const std::optional<int64_t>& class_axis) {
  if (!class_axis) return y;
  TensorType type{DType::i32, y.shape};
  if (*class_axis >= 0 && *class_axis < y.rank()) type.shape.erase(type.shape.begin() + *class_axis);
  return type;
}

// Throws a cutset::Error if the shape of the labels does not tell which dimension of the output has the
// classes, or if `class_axis`, the option, names the first dimension, which has the samples.
void check_class_axis(const TensorType& y, const TensorType& label,
                      const std::optional<int64_t>& class_axis) {
  const int64_t rank = y.rank();
  if (class_axis && rank > 1 && (*class_axis == 0 || *class_axis == -rank))
    raise(invalid_argument(
        "dimension 0 of the output " + to_string(y) + " has the samples, and not the classes",
        "name another dimension with --class-axis"));
  if (class_axis || is_float(label.dtype)) return;
  std::string fitting;
  int64_t count = 0;
  for (int64_t axis = 1; axis < rank; ++axis)
    if (usual_label(y, axis).shape == label.shape) fitting += (count++ ? " or " : "") + std::to_string(axis);
  if (count > 1)
    raise(invalid_argument("the classes of the output " + to_string(y) + " may be along dimension " +
                               fitting + ", because labels " + to_string(label) + " fit each of them",
                           "name the dimension with --class-axis"));
}

}  // namespace

void OnnxLoss::add_to(CLI::App& app) {
  app.option_defaults()->group("Loss");
  app.add_option("--loss", loss, "train an ONNX model: cross_entropy, mse_loss or another one")
      ->transform(one_of({"cross_entropy", "mse_loss", "binary_cross_entropy_with_logits"}));
  app.add_option("--result", result, "the output of an ONNX model that --loss reads");
  app.add_option("--class-axis", class_axis,
                 "dimension of the classes in that output: 1, or -1 for the last");
}

void OnnxLoss::check_use() const {
  if (loss.empty() && !result.empty())
    raise(invalid_argument("--result names what a loss reads", "give --loss, too"));
  if (class_axis && loss != "cross_entropy")
    raise(invalid_argument("--class-axis is for --loss cross_entropy", "leave out --class-axis"));
}

std::string OnnxLoss::description() const {
  return loss + (result.empty() ? "" : " of '" + result + "'") +
         (class_axis ? " with the classes along dimension " + std::to_string(*class_axis) : "");
}

Graph OnnxLoss::graph(const onnx::Model& model, const std::optional<TensorType>& label,
                      const Optimizer& optimizer, const models::ClassLossOptions& options) const {
  try {
    return with_loss(model, label, optimizer, options);
  } catch (const Error& e) {
    if (!e.hint().empty()) raise_without_line(e);
    raise({e.code(), message_of(e), "",
           std::string("give labels that fit the output of the model, or name another output with --result") +
               (loss == "cross_entropy" ? ", or another dimension of the classes with --class-axis" : "")});
  }
}

Graph OnnxLoss::with_loss(const onnx::Model& model, const std::optional<TensorType>& label_type,
                          const Optimizer& optimizer, const models::ClassLossOptions& options) const {
  Graph g = model.graph;
  if (model.outputs.empty())
    raise(invalid_data("the model has no output, so there is nothing for a loss to read"));
  if (result.empty() && model.outputs.size() != 1)
    raise(invalid_argument(
        "the model has " + std::to_string(model.outputs.size()) + " outputs: " + quoted_list(model.outputs),
        "name the one that the loss reads with --result"));
  const auto read = model.results.find(result.empty() ? model.outputs[0] : result);
  if (read == model.results.end())
    raise(invalid_argument("the model has no output '" + result + "'",
                           "its outputs are " + quoted_list(model.outputs)));
  const Tensor& y = read->second;
  const int64_t rank = y.type().rank();
  std::optional<int64_t> axis;  // the dimension of the classes, counted from the first dimension
  if (loss == "cross_entropy") axis = class_axis.value_or(rank > 1 ? 1 : 0);
  if (axis && *axis < 0) axis = *axis + rank;
  const TensorType type = label_type.value_or(usual_label(y.type(), axis));
  if (axis && label_type) check_class_axis(y.type(), type, class_axis);
  g.state()->set_source("--loss " + loss);
  const Tensor label = g.input("label", type.dtype, type.shape);
  std::vector<Tensor> inputs = {label};
  for (const auto& [name, input] : model.inputs) inputs.push_back(input);
  std::vector<std::pair<std::string, Tensor>> outputs;
  {
    NameScope scope(g, "loss");
    if (axis) {
      const models::ClassLoss class_loss = models::class_loss(g, y, label, class_axis, options);
      outputs = {{"loss", class_loss.loss}};
      outputs.insert(outputs.end(), class_loss.outputs.begin(), class_loss.outputs.end());
    } else {
      outputs = {
          {"loss", loss == "mse_loss" ? mse_loss(y, label) : binary_cross_entropy_with_logits(y, label)}};
    }
    if (axis && rank > 1 && !is_float(label.dtype()))
      for (const auto& metric : models::class_metrics(y, label, *axis, options.ignore_index))
        outputs.push_back(metric);
  }
  g.minimize(outputs[0].second, optimizer);
  g.function("evaluate", inputs, outputs);
  g.state()->set_source("");
  return g;
}

}  // namespace cutset::cli

#include "frontends/cli/onnx_loss.h"

#include <cutset/losses.h>

#include "frontends/cli/arguments.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/models/class_metrics.h"
#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// The type of the labels that the loss takes: classes, or numbers like those of the result.
TensorType usual_label(const TensorType& y, bool classes) {
  if (!classes) return y;
  TensorType type{DType::i32, y.shape};
  if (y.rank() > 0)
    type.shape.erase(type.shape.begin() + (y.rank() > 1));  // of one sample, the only dimension is that of classes
  return type;
}

}  // namespace

void OnnxLoss::add_to(CLI::App& app) {
  app.add_option("--loss", loss,
                 "train an ONNX model with this loss, a function of torch.nn.functional, whose target is the input "
                 "'label': cross_entropy, mse_loss or binary_cross_entropy_with_logits")
      ->check(CLI::IsMember({"cross_entropy", "mse_loss", "binary_cross_entropy_with_logits"}));
  app.add_option("--result", result, "the output of an ONNX model that --loss reads; default: the only one");
}

Graph OnnxLoss::graph(const onnx::Model& model, const std::optional<TensorType>& label,
                      const Optimizer& optimizer) const {
  try {
    return with_loss(model, label, optimizer);
  } catch (const Error& e) {
    raise_without_line(e);
  }
}

Graph OnnxLoss::with_loss(const onnx::Model& model, const std::optional<TensorType>& given,
                          const Optimizer& optimizer) const {
  Graph g = model.graph;
  if (model.outputs.empty()) raise(invalid_data("the model has no output, so there is nothing for a loss to read"));
  if (result.empty() && model.outputs.size() != 1)
    raise(invalid_argument(
        "the model has " + std::to_string(model.outputs.size()) + " outputs: " + quoted_list(model.outputs),
        "name the one that the loss reads with --result"));
  const auto read = model.results.find(result.empty() ? model.outputs[0] : result);
  if (read == model.results.end())
    raise(
        invalid_argument("the model has no output '" + result + "'", "its outputs are " + quoted_list(model.outputs)));
  const Tensor& y = read->second;
  const TensorType type = given.value_or(usual_label(y.type(), loss == "cross_entropy"));
  const bool counts = loss == "cross_entropy" && y.type().rank() == 2 && type.rank() == 1 && !is_float(type.dtype);
  const Tensor label = g.input("label", type.dtype, type.shape);
  std::vector<Tensor> inputs = {label};
  for (const auto& [name, input] : model.inputs) inputs.push_back(input);
  g.state()->set_source("--loss " + loss);
  Tensor value;
  std::vector<std::pair<std::string, Tensor>> outputs;
  {
    NameScope scope(g, "loss");
    value = loss == "cross_entropy" ? cross_entropy(y, label)
            : loss == "mse_loss"    ? mse_loss(y, label)
                                    : binary_cross_entropy_with_logits(y, label);
    outputs = {{"loss", value}};
    if (counts)
      for (const auto& metric : models::class_metrics(y, label)) outputs.push_back(metric);
  }
  g.minimize(value, optimizer);
  g.function("evaluate", inputs, outputs);
  g.state()->set_source("");
  return g;
}

}  // namespace cutset::cli

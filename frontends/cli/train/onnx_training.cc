#include "frontends/cli/train/onnx_training.h"

#include <cutset/losses.h>

#include "frontends/cpp/failure.h"
#include "frontends/models/class_metrics.h"

namespace cutset::cli {

void OnnxTrainingOptions::add_to(CLI::App& app) {
  app.add_option("--loss", loss,
                 "the loss of an ONNX model, a function of torch.nn.functional, whose target is the input 'label': "
                 "cross_entropy, mse_loss or binary_cross_entropy_with_logits")
      ->check(CLI::IsMember({"cross_entropy", "mse_loss", "binary_cross_entropy_with_logits"}));
  app.add_option("--result", result, "the output of an ONNX model that --loss reads; default: the only one");
}

Graph OnnxTrainingOptions::graph(onnx::Model model, const data::Dataset& training, int64_t batch,
                                 const Optimizer& optimizer) const {
  try {
    return with_loss(std::move(model), training, batch, optimizer);
  } catch (const Error& e) {
    throw Error(e.code(), text_of(e), "", "");  // the user does not know the lines of this file
  }
}

Graph OnnxTrainingOptions::with_loss(onnx::Model model, const data::Dataset& training, int64_t batch,
                                     const Optimizer& optimizer) const {
  Graph g = model.graph;
  if (model.outputs.empty()) raise(invalid_data("the model has no output, so there is nothing for a loss to read"));
  if (result.empty() && model.outputs.size() != 1)
    raise(invalid_argument("the model has " + std::to_string(model.outputs.size()) + " outputs",
                           "name the one that the loss reads with --result"));
  const auto read = model.results.find(result.empty() ? model.outputs[0] : result);
  if (read == model.results.end())
    raise(invalid_argument("the model has no output '" + result + "'", "it has '" + model.outputs[0] + "'"));
  const Tensor& y = read->second;
  Batch sample = *training.batch(1).begin();
  if (!sample.contains("label"))
    raise(invalid_argument("the samples have no 'label'", "give --samples label=FILE.npy"));
  TensorType type = sample.at("label").type();
  type.shape[0] = batch;
  const bool counts = loss == "cross_entropy" && y.type().rank() == 2 && type.rank() == 1 && !is_float(type.dtype);
  const Tensor label = g.input("label", type.dtype, type.shape);
  std::vector<Tensor> inputs = {label};
  for (const auto& [name, input] : model.inputs) inputs.push_back(input);
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
  return g;
}

}  // namespace cutset::cli

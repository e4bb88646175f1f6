#include "frontends/cli/onnx_loss.h"

#include <cutset/losses.h>
#include <cutset/shapes.h>

#include "frontends/cli/arguments.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/graph_state.h"
#include "frontends/models/class_metrics.h"
#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// The dimension of the classes in the output `y`, counted from the first one. It is `given`, or that of PyTorch: 1, or 0 of one sample.
int64_t checked_class_axis(const TensorType& y, const std::optional<int64_t>& given) {
  const int64_t axis = given.value_or(y.rank() > 1), rank = y.rank();
  if (axis < -rank || axis >= rank)
    raise(invalid_argument("the output that the loss reads has " + std::to_string(rank) + " dimensions (" +
                               to_string(y) + "), and the classes cannot be along dimension " + std::to_string(axis),
                           "name another output with --result, or another dimension with --class-axis"));
  return axis < 0 ? axis + rank : axis;
}

// The type of the classes that are the target of an output with its classes along `axis`.
TensorType target_of(const TensorType& y, int64_t axis, DType type) {
  TensorType target{type, y.shape};
  target.shape.erase(target.shape.begin() + axis);
  return target;
}

// A tensor of two dimensions, the last of which is dimension `axis` of `x`.
Tensor rows_along(const Tensor& x, int64_t axis) {
  const Tensor last = axis + 1 == x.type().rank() ? x : move_axis(x, axis, -1);
  return reshape(last, {.shape = {-1, last.shape().back()}});
}

}  // namespace

void OnnxLoss::add_to(CLI::App& app) {
  app.add_option("--loss", loss,
                 "train an ONNX model with this loss, a function of torch.nn.functional, whose target is the input "
                 "'label': cross_entropy, mse_loss or binary_cross_entropy_with_logits")
      ->check(CLI::IsMember({"cross_entropy", "mse_loss", "binary_cross_entropy_with_logits"}));
  app.add_option("--result", result, "the output of an ONNX model that --loss reads; default: the only one");
  app.add_option("--class-axis", class_axis,
                 "the dimension of the classes in the output that cross_entropy reads; -1 is the last, as in language "
                 "models, whose outputs are [batch, sequence, vocabulary]; default: 1, as in PyTorch");
}

void OnnxLoss::check_use() const {
  if (loss.empty() && !result.empty()) raise(invalid_argument("--result names what a loss reads", "give --loss, too"));
  if (class_axis && loss != "cross_entropy")
    raise(invalid_argument("--class-axis is for --loss cross_entropy", "leave out --class-axis"));
}

std::string OnnxLoss::description() const {
  return loss + (result.empty() ? "" : " of '" + result + "'") +
         (class_axis ? " with the classes along dimension " + std::to_string(*class_axis) : "");
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
  const bool classifies = loss == "cross_entropy";
  const int64_t axis = classifies ? checked_class_axis(y.type(), class_axis) : 0;
  const TensorType type = given.value_or(classifies ? target_of(y.type(), axis, DType::i32) : y.type());
  const bool of_classes = classifies && !is_float(type.dtype);
  const TensorType target = of_classes ? target_of(y.type(), axis, type.dtype) : y.type();
  if (type != target)
    raise(invalid_argument("the loss of an output " + to_string(y.type()) + " needs a label " + to_string(target) +
                               ", and the samples have a label " + to_string(type),
                           classifies ? "give other samples, or name the dimension of the classes with --class-axis"
                                      : "give other samples"));
  const Tensor label = g.input("label", type.dtype, type.shape);
  std::vector<Tensor> inputs = {label};
  for (const auto& [name, input] : model.inputs) inputs.push_back(input);
  g.state()->set_source("--loss " + loss);
  Tensor value;
  std::vector<std::pair<std::string, Tensor>> metrics;
  {
    NameScope scope(g, "loss");
    if (!classifies) {
      value = loss == "mse_loss" ? mse_loss(y, label) : binary_cross_entropy_with_logits(y, label);
    } else if (y.type().rank() == 1) {
      value = cross_entropy(y, label);
    } else {
      const Tensor rows = rows_along(y, axis);
      const Tensor classes = of_classes ? reshape(label, {.shape = {-1}}) : rows_along(label, axis);
      value = cross_entropy(rows, classes);
      if (of_classes) metrics = models::class_metrics(rows, classes);
    }
  }
  g.minimize(value, optimizer);
  metrics.emplace_back("loss", value);
  g.function("evaluate", inputs, metrics);
  g.state()->set_source("");
  return g;
}

}  // namespace cutset::cli

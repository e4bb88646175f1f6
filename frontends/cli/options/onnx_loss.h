// SPDX-License-Identifier: Apache-2.0
// The loss that commands add to an ONNX model.
#pragma once
#include <cutset/onnx.h>
#include <cutset/optimizers.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "frontends/models/class_loss.h"

namespace cutset::cli {

struct OnnxLoss {
  // `loss` is the loss; empty: there is none. `result` is the output that the loss reads; empty: the only
  // output.
  std::string loss, result;
  std::optional<int64_t> class_axis;  // CrossEntropyOptions::class_axis

  void add_to(CLI::App& app);
  // Whether an option was given.
  bool given() const { return !loss.empty() || !result.empty() || class_axis; }
  // Throws a cutset::Error if an option would have no effect.
  void check_use() const;
  // Returns the loss and its operand as text: "mse_loss of 'y'", or "mse_loss" if the model has only one
  // output.
  std::string description() const;
  // Adds the loss of `result` and the input "label" to a model. `options` apply if the loss is cross_entropy.
  // `label` is the type of the input; without it, the input has the type that labels usually have. The
  // function "train" takes a step of `optimizer`. "evaluate" returns "loss" and, for cross_entropy of
  // classes, the metrics of models::class_metrics. There must be a loss. Throws a cutset::Error if the model
  // does not have the output, or if the loss does not fit it.
  Graph graph(const onnx::Model& model, const std::optional<TensorType>& label, const Optimizer& optimizer,
              const models::ClassLossOptions& options) const;

 private:
  Graph with_loss(const onnx::Model& model, const std::optional<TensorType>& label,
                  const Optimizer& optimizer, const models::ClassLossOptions& options) const;
};

}  // namespace cutset::cli

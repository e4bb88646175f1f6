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
  std::string loss, result;  // the loss, and the output that it reads; empty: no loss, and the only output
  std::optional<int64_t> class_axis;  // CrossEntropyOptions::class_axis

  void add_to(CLI::App& app);
  // Whether an option was given.
  bool given() const { return !loss.empty() || !result.empty() || class_axis; }
  // Throws a cutset::Error if an option would have no effect.
  void check_use() const;
  // The loss and what it reads, as text: "mse_loss of 'y'", or "mse_loss" if the model has only one output.
  std::string description() const;
  // Adds the loss of `result`, with `options` if it is cross_entropy, and the input "label" of this type to a
  // model; without a type, "label" has the one that samples usually have. "train" takes a step of
  // `optimizer`, and "evaluate" returns "loss" and, for cross_entropy of classes, the metrics of
  // models::class_metrics. There must be a loss. Throws a cutset::Error if the model does not have the
  // output, or if the loss does not fit it.
  Graph graph(const onnx::Model& model, const std::optional<TensorType>& label, const Optimizer& optimizer,
              const models::ClassLossOptions& options) const;

 private:
  Graph with_loss(const onnx::Model& model, const std::optional<TensorType>& label,
                  const Optimizer& optimizer, const models::ClassLossOptions& options) const;
};

}  // namespace cutset::cli

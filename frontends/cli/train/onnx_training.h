// The loss of an ONNX model, which cutset train adds.
#pragma once
#include <string>

#include "frontends/cli/options.h"

namespace cutset::cli {

struct OnnxTrainingOptions {
  std::string loss, result;  // the loss, and the output that it reads; empty: the only output

  void add_to(CLI::App& app);
  // Adds the loss of `result` and the input "label", of the type that the label of `training` has, to a model. "train" takes a step of
  // `optimizer`, and "evaluate" returns "loss" and, for cross_entropy of classes, the metrics of models::class_metrics. Throws a cutset::Error if the samples have
  // no label.
  Graph graph(onnx::Model model, const data::Dataset& training, int64_t batch, const Optimizer& optimizer) const;

 private:
  Graph with_loss(onnx::Model model, const data::Dataset& training, int64_t batch, const Optimizer& optimizer) const;
};

}  // namespace cutset::cli

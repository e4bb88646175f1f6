// The options of cutset train for an ONNX model: its loss, and the files with its samples.
#pragma once
#include <string>
#include <vector>

#include "frontends/cli/options.h"

namespace cutset::cli {

struct OnnxTrainingOptions {
  std::string loss, result;                        // the loss, and the output that it reads; empty: the only output
  std::vector<std::string> samples, test_samples;  // NAME=FILE.npy

  void add_to(CLI::App& app);
  // Reads the files of an option, whose row i is sample i. Throws a cutset::Error if no file is named "label", or if the files have
  // different numbers of rows.
  static data::Dataset read(const std::vector<std::string>& files, const char* option);
  // Adds the loss of `result` and the input "label", of the type that the label of `training` has, to a model. "train" takes a step of
  // `optimizer`, and "evaluate" returns "loss" and, for cross_entropy, "correct".
  Graph graph(onnx::Model model, const data::Dataset& training, int64_t batch, const Optimizer& optimizer) const;

 private:
  Graph with_loss(onnx::Model model, const data::Dataset& training, int64_t batch, const Optimizer& optimizer) const;
};

}  // namespace cutset::cli

// SPDX-License-Identifier: Apache-2.0
// The cross entropy of a classifier with ignored labels, weights of classes and label smoothing.
#pragma once
#include <cutset/graph.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cutset::models {

// The options of the loss.
struct ClassLossOptions {
  // A label whose loss is 0 and that does not count in means and metrics, such as the -100 of Hugging Face's
  // data collators. It need not be the index of a class. std::nullopt: there is none.
  std::optional<int64_t> ignore_index = std::nullopt;
  std::vector<double> class_weights = {};  // factors of the losses by the label; empty: all are 1
  double label_smoothing = 0;              // CrossEntropyOptions::label_smoothing
};

// The loss, and the outputs of "evaluate" in addition to the metrics, so that an evaluation divides by the
// same numbers (<cutset/evaluation.h>).
struct ClassLoss {
  // Has the type f32 if the logits have 16 bits and labels are ignored or weighted, and else the type of the
  // logits.
  Tensor loss;
  std::vector<std::pair<std::string, Tensor>> outputs;
};

// Adds the mean cross entropy of `logits` and `label`, as cutset::cross_entropy computes it. The exception is
// a batch whose labels are all ignored, or have the weight 0: it has the loss 0 and no gradient. `class_axis`
// is as in CrossEntropyOptions. A label is an integer, or a probability per class. The weights are constants
// of the program, so no file of variables has or changes them. Throws a cutset::Error in these cases:
// - The number of weights is not the number of classes.
// - A weight is negative or not finite.
// - Labels that are probabilities are to be ignored.
ClassLoss class_loss(Graph& g, const Tensor& logits, const Tensor& label, std::optional<int64_t> class_axis,
                     const ClassLossOptions& options);

}  // namespace cutset::models

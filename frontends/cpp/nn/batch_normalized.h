// SPDX-License-Identifier: Apache-2.0
// Batch normalization of a tensor with given variables, for nn::batch_norm and for the import of ONNX models.
#pragma once
#include <cutset/layers.h>

namespace cutset {

struct BatchNormVariables {
  Tensor scale, bias;     // [channels]
  Tensor mean, variance;  // the running statistics, which are results of Graph::variable; empty: none
};
struct BatchNormalized {
  // In functions that train, x normalized by the statistics of the batch; in all other functions, by the
  // running statistics if there are any.
  Tensor result;
  Tensor training;        // `result` in functions that train
  Tensor mean, variance;  // the next running statistics; empty: none
};
// Normalizes x, [n, channels, ...] of f32 or f64, with the options epsilon, momentum and rows_per_group.
// Throws if an operand does not fit; the caller undoes what was appended.
BatchNormalized batch_normalized(Graph& g, const Tensor& x, const BatchNormVariables& variables,
                                 const nn::BatchNormOptions& options, std::source_location source);
// Assigns the next running statistics in each step of the functions that train and compute `made.training`.
// Does nothing if there are none. Assignments cannot be undone, so the caller calls this function last.
void move_statistics(const BatchNormVariables& variables, const BatchNormalized& normalized,
                     std::source_location source);

}  // namespace cutset

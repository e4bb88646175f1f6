// What a layer of batch normalization appends behind its variables, for nn::batch_norm and imported models.
#pragma once
#include <cutset/layers.h>

namespace cutset {

struct BatchNormVariables {
  Tensor scale, bias;     // [channels]
  Tensor mean, variance;  // the running statistics, which are results of Graph::variable; empty: none
};
struct BatchNormalized {
  Tensor
      result;  // in "train" by the statistics of the batch, and in all other functions by the running ones, if there are any
  Tensor mean, variance;  // the next running statistics; empty: none
};
// Normalizes x, [n, channels, ...] of f32 or f64, with the options epsilon, momentum and rows_per_group. Throws if an operand does not
// fit; the caller undoes what was appended.
BatchNormalized batch_normalized(Graph& g, const Tensor& x, const BatchNormVariables& variables,
                                 const nn::BatchNormOptions& options, std::source_location where);
// Assigns the next running statistics in each step of "train". Does nothing if there are none. It does not fail, and cannot be
// undone.
void move_statistics(const BatchNormVariables& variables, const BatchNormalized& made, std::source_location where);

}  // namespace cutset

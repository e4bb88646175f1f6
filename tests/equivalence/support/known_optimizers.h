// SPDX-License-Identifier: Apache-2.0
// The optimizers and values that tests/equivalence/values/optimizer_values.py writes to optimizer_values.inc.
#pragma once
#include <cutset/optimizers.h>
#include <cutset/tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace cutset::testing {

using Numbers = std::vector<double>;

// Returns the optimizers that are compared with PyTorch's, by their names in the script.
const std::vector<std::pair<std::string, Optimizer>>& known_optimizers();

// A variable after some steps of the optimizer in PyTorch.
struct KnownValue {
  std::string optimizer;
  int step;
  Numbers variable;
};
// Returns the values of f64 variables, for each of known_optimizers().
const std::vector<KnownValue>& known_values();

// An optimizer of a variable whose elements have 16 bits, and the limits of its gradients.
struct SixteenBitRun {
  std::string name;
  Optimizer optimizer;
  GradientClipping clipping;
};
// Returns known_optimizers(), optimizers with numbers that 16 bits cannot hold, and some with limits.
const std::vector<SixteenBitRun>& sixteen_bit_runs();

// A variable of 16 bits after some steps of a run in PyTorch.
struct SixteenBitValue {
  std::string run;
  DType type;
  int step;
  Numbers variable;
};
// Returns the values of f16 and bf16 variables, for each of sixteen_bit_runs().
const std::vector<SixteenBitValue>& sixteen_bit_values();

}  // namespace cutset::testing

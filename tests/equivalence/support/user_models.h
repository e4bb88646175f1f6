// SPDX-License-Identifier: Apache-2.0
// Small models of the kinds that users write. Tests compare devices, strategies and PyTorch on them.
#pragma once
#include <cutset/cutset.h>

#include <string>
#include <vector>

namespace cutset::testing {

struct UserModel {
  const char* name;
  Graph (*build)();
  // The losses of five steps by PyTorch in f64, with the values of user_variable and user_batch.
  // bench/model_losses.py prints them.
  double losses[5];
};
const std::vector<UserModel>& user_models();

// Returns the initial value of a variable. bench/model_losses.py computes the same values: splitmix64 of the
// name and the index of the element. A matrix or filter is uniform in [-b, b) with b = 1 / sqrt(fan in), a
// vector in [-0.1, 0.1), and a gain in [0.9, 1.1).
HostTensor user_variable(const std::string& name, const TensorType& type);
// Returns the batch of step `step`, computed in the same way: inputs are uniform in [-1, 1), and labels are
// below the number of their classes.
Batch user_batch(const Graph& graph, int step);

}  // namespace cutset::testing

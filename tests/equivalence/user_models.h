// Models as users write them, small: for comparing devices, splits and other frameworks.
#pragma once
#include <cutset/cutset.h>

#include <string>
#include <vector>

namespace cutset::testing {

struct UserModel {
  const char* name;
  Graph (*build)();
  // Losses of five steps from the values below, by PyTorch in f64: what bench/model_losses.py prints.
  double losses[5];
};
const std::vector<UserModel>& user_models();

// The same numbers in C++ and in bench/model_losses.py, drawn by splitmix64 from the name and the index: of
// variables uniform within 1 / sqrt(fan in), vectors within 0.1 (gains around 1); of inputs in [-1, 1), labels below
// their classes.
HostTensor user_variable(const std::string& name, const TensorType& type);
Batch user_batch(const Graph& graph, int step);

}  // namespace cutset::testing

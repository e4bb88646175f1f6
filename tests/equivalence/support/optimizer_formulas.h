// SPDX-License-Identifier: Apache-2.0
// The optimizers as formulas in f64, with which tests compare training. The formulas are written after
// <cutset/optimizers.h>.
#pragma once
#include <cutset/optimizers.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cutset::testing {

using Numbers = std::vector<double>;
using States = std::map<std::string, Numbers>;

// Makes step t of an optimizer: returns the new variable from the variable w and the gradient g, and changes
// the states.
using Formula = std::function<Numbers(const Numbers& w, const Numbers& g, int t, States& states)>;

// An optimizer and its formula.
struct OptimizerRow {
  const char* name;
  Optimizer optimizer;
  Formula formula;
};
Formula formula(const Sgd& o);
Formula formula(const Adam& o);
Formula formula(const AdamW& o);
Formula formula(const Lamb& o);
Formula formula(const Adagrad& o);
Formula formula(const RmsProp& o);
template <class O>
OptimizerRow row(const char* name, const O& o) {
  return {name, o, formula(o)};
}
// Returns all optimizers, with the defaults of PyTorch, and with numbers that 16 bits cannot hold.
std::vector<OptimizerRow> optimizer_rows();

// Returns f(0), f(1) ... f(n - 1).
template <class F>
Numbers each(size_t n, F f) {
  Numbers all(n);
  for (size_t i = 0; i < n; ++i) all[i] = f(i);
  return all;
}

// Returns the Euclidean norm.
double length(const Numbers& x);
// Returns the state with this name. It begins with n elements `first`.
Numbers& state(States& states, const char* name, size_t n, double first = 0);

}  // namespace cutset::testing

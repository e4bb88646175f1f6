// SPDX-License-Identifier: Apache-2.0
// The optimizers as formulas in f64, beside which tests train. They are written from <cutset/optimizers.h>.
#pragma once
#include <cutset/optimizers.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cutset::testing {

using Numbers = std::vector<double>;
using States = std::map<std::string, Numbers>;

// One step of an optimizer: returns the new variable of the variable w and the gradient g, in step t, and
// changes the states.
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
// All optimizers, with the defaults of PyTorch, and with numbers that 16 bits cannot hold.
std::vector<OptimizerRow> optimizer_rows();

// Returns f(0), f(1) ... f(n - 1).
template <class F>
Numbers each(size_t n, F f) {
  Numbers all(n);
  for (size_t i = 0; i < n; ++i) all[i] = f(i);
  return all;
}

// The Euclidean norm.
double length(const Numbers& x);
// The state with this name. It begins with n elements `first`.
Numbers& state(States& states, const char* name, size_t n, double first = 0);

}  // namespace cutset::testing

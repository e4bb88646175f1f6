// SPDX-License-Identifier: Apache-2.0
// A table of the functions of <cutset/*.h> that are compositions of ops, for tests of all of them.
#pragma once
#include <cutset/cutset.h>

#include <functional>
#include <vector>

namespace cutset::testing {

using Tensors = std::vector<Tensor>;

// The range from which the elements of an operand are drawn: kSigned is (-1, 1) and kPositive is (0.1, 1),
// both times the scale of the test; kUnit is (0.1, 0.9) for every scale.
enum class From { kSigned, kPositive, kUnit };
struct Given {
  Shape shape;
  From from = From::kSigned;
};
struct Function {
  const char* name;
  std::vector<Given> operands;
  std::function<Tensors(Graph&, const Tensors&)> build;
  bool has_gradient = true;
};
// Returns the functions with operands of floating-point types. All operands have the type of the first
// operand.
std::vector<Function> composed_functions();

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// A table of the functions of <cutset/*.h> that are compositions of ops, for tests of all of them.
#pragma once
#include <cutset/cutset.h>

#include <functional>
#include <vector>

namespace cutset::testing {

using Tensors = std::vector<Tensor>;

// Where the elements of an operand are drawn from: kSigned from (-1, 1) and kPositive from (0.1, 1), times
// the scale of the test; kUnit from (0.1, 0.9), whatever the scale.
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
// The functions with operands of floating-point types, which all have the type of the first one.
std::vector<Function> composed_functions();

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// The tensors of a batch that one function reads.
#pragma once
#include <cutset/data.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/program/program.h"

namespace cutset {

// The names of all inputs that the caller feeds to any function of a graph or program. A batch may have all
// of them.
using InputNames = std::set<std::string, std::less<>>;

// The tensors of a batch in the order of the inputs that the caller feeds to a function. It points into the
// batch, which must outlive it.
class BatchTensors {
 public:
  // Finds the tensors of the batch that `function` reads. An f32 tensor is converted to f64 if the input has
  // the type f64. Fails if the batch lacks an input of the function, or if it has a name that is not in
  // `known`; the error names it.
  static Result<BatchTensors> of(const Function& function, const Batch& batch, const InputNames& known);

  const std::vector<const HostTensor*>& tensors() const { return tensors_; }
  std::vector<Shape> shapes() const;

 private:
  std::vector<const HostTensor*> tensors_;
  std::vector<HostTensor> wide_;
};

// Returns the names of all inputs that the caller feeds to any function of the program.
InputNames input_names(const Program& program);
// Returns the function `name`. If there is no such function, fails with an error that lists all functions.
Result<const Function*> find_function(const Program& program, const std::string& name);

}  // namespace cutset

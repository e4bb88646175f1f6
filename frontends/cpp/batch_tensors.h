// What a function reads of a batch.
#pragma once
#include <cutset/data.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/program.h"

namespace cutset {

// Names that a batch may have although a function does not read them.
using InputNames = std::set<std::string, std::less<>>;

// The tensors of a batch in the order of a function's inputs that the caller feeds. It points into the batch, which
// outlives it.
class BatchTensors {
 public:
  // Fails, naming it, on an input that the batch lacks, and on a tensor that is no input of the graph. An f32 tensor
  // is widened for an input of f64.
  static Result<BatchTensors> of(const Function& function, const Batch& batch, const InputNames& known);

  const std::vector<const HostTensor*>& tensors() const { return tensors_; }
  std::vector<Shape> shapes() const;

 private:
  std::vector<const HostTensor*> tensors_;
  std::vector<HostTensor> wide_;
};

// The inputs of all functions of a program that the caller feeds.
InputNames input_names(const Program& program);
// Fails with the names there are.
Result<const Function*> find_function(const Program& program, const std::string& name);

}  // namespace cutset

// Prepares the tensors of a checkpoint to be the values of variables.
#pragma once
#include <string>
#include <vector>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"

namespace cutset {

// Converts f32 tensors to f64 if their variable is f64, and removes optimizer state ("w/velocity") that the program
// does not have. Fails if another tensor is not named like a variable, or if a type differs. Returns the sorted names
// of the variables that `tensors` lacks. A state that starts as its variable, and that `tensors` lacks, gets the value of the
// variable there. `path` is the name of the file, for errors.
Result<std::vector<std::string>> fit_variables(const std::string& path, TensorMap& tensors,
                                               const std::vector<Variable>& variables);

}  // namespace cutset

// Prepares the tensors of a file to be the values of variables.
#pragma once
#include <cutset/variable_file.h>

#include <string>
#include <vector>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"

namespace cutset {

// Leaves in `tensors` those that are values of `variables`, under the names and with the types of the variables. `path` is the name
// of the file, for errors.
//
// - Tensors of VariableFileOptions::except, counters of PyTorch's batch normalization ("bn1.num_batches_tracked"), and optimizer
//   state ("w/velocity") that the program does not have are removed.
// - If a name fits nothing, and all names fit without a beginning that they share and that ends in ".", such as "module.", the
//   beginning is removed.
// - Floating-point elements are converted by converted_floats().
// - A state that starts as its variable, and that `tensors` lacks, gets the value of the variable there.
//
// Fails if another tensor is not named like a variable, if a shape differs, or if a type differs and cannot be converted.
Result<LoadedVariables> fit_variables(const std::string& path, TensorMap& tensors,
                                      const std::vector<Variable>& variables, const VariableFileOptions& options);

}  // namespace cutset

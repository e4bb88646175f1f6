// SPDX-License-Identifier: Apache-2.0
// Prepares the tensors of a file to be the values of variables.
#pragma once
#include <cutset/variable_file.h>

#include <string>
#include <vector>

#include "runtime/files/safetensors.h"
#include "runtime/program/program.h"

namespace cutset {

// Turns the tensors of a file into values of `variables`. Afterwards `tensors` has only values of variables,
// under the names and with the types of the variables. `path` is the name of the file, for errors.
//
// - Tensors of VariableFileOptions::except, counters of PyTorch's batch normalization
//   ("bn1.num_batches_tracked"), indices of the embeddings of transformers ("position_ids"), and optimizer
//   state ("w/velocity") that the program does not have are removed.
// - In names of normalizations ("LayerNorm.gamma"), the endings ".gamma" and ".beta" become ".weight" and
//   ".bias", unless the name of a variable ends in ".gamma" or ".beta".
// - If a name fits nothing, and all names fit without a beginning that they share and that ends in ".", such
//   as "module.", the beginning is removed. If all names fit with a beginning that variables have, such as
//   "bert.", the beginning is added.
// - Floating-point elements are converted by converted_floats().
// - If `tensors` lacks a state that starts as a copy of its variable, the value of the variable in `tensors`
//   becomes the value of the state.
//
// Fails if any other tensor is not named like a variable, if a shape differs, or if a type differs and cannot
// be converted.
Result<LoadedVariables> fit_variables(const std::string& path, TensorMap& tensors,
                                      const std::vector<Variable>& variables,
                                      const VariableFileOptions& options);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Arguments of options that have a name and a value, such as --size NAME=N and --input NAME=FILE.npy.
#pragma once
#include <cutset/data.h>

#include <string>
#include <utility>
#include <vector>

#include "frontends/cli/output/outputs.h"

namespace cutset::cli {

// Splits an argument such as NAME=FILE.npy at its last "=". If one side is empty, throws a cutset::Error that
// names the form of the argument.
std::pair<std::string, std::string> sides_of(const std::string& argument, const std::string& option,
                                             const char* form);

// Returns a hint for errors: how to convert an array to the type `type`.
std::string conversion_to(DType type);
// Returns the elements of a tensor of f32, each rounded to the nearest number of bf16, which NumPy does not
// have.
HostTensor rounded_to_bf16(const HostTensor& floats);

// Reads the arrays that an option names as NAME=FILE.npy. Throws a cutset::Error if an argument does not have
// this form, if a name is given twice, or if a file cannot be read.
Batch arrays_of(const std::vector<std::string>& arguments, const std::string& option);

// Adds the files that such an option names to the inputs of a command. Throws a cutset::Error if an argument
// does not have this form.
void add_arrays(OutputFiles& outputs, const std::vector<std::string>& arguments, const std::string& option);

}  // namespace cutset::cli

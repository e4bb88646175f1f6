// SPDX-License-Identifier: Apache-2.0
// Models in ONNX files.
#pragma once
#include <cutset/onnx.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "frontends/cli/options/arguments.h"
#include "frontends/cli/options/model_sizes.h"
#include "frontends/cli/output/outputs.h"

namespace cutset::cli {

// Whether the argument of a command is the path of an ONNX file, which ends in .onnx.
bool is_onnx(const std::string& model);

// Adds the file of the model, and the files of weights of an ONNX model, to the inputs of a command.
void add_model(OutputFiles& outputs, const std::string& model);

// The options --known, the inputs of an ONNX model that are constants of the graph
// (onnx::ImportOptions::known), and --hard-links.
struct KnownInputs {
  std::vector<std::string> arguments;  // NAME=FILE.npy
  bool hard_links = false;             // onnx::ImportOptions::hard_links

  void add_to(CLI::App& app);
  // Adds the files to the inputs of a command.
  void add_inputs(OutputFiles& outputs) const { add_arrays(outputs, arguments, "--known"); }
  // Reads the elements. Throws a cutset::Error if an argument is malformed, or if a file cannot be read.
  std::map<std::string, HostTensor> elements() const;
};

// Reads the model in the file. An open size of an input has the first of these values that exists:
// - the value in `sizes`;
// - the size of the array in `shapes` or in --known;
// - `batch`, for first sizes.
//
// `returns_results` is ImportOptions::returns_results. Throws a cutset::Error if an option or the file is
// malformed. If the import fails because of an option, and the model has no input for an array, the error
// says so.
onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes,
                      const KnownInputs& known, std::map<std::string, Shape> shapes = {},
                      bool returns_results = true);

// Throws a cutset::Error if the first size of an input is not `batch`, because the model, --size or an array
// of --known gives another size. If `sample` is not empty, each input in `sample` must have this first size.
// If `sample` is empty, one input with this first size is enough.
void check_batch(const onnx::Model& model, const Batch& sample, int64_t batch, const ModelSizes& sizes);

}  // namespace cutset::cli

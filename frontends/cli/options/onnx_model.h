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

// Whether the argument of a command is the path of an ONNX file: it ends in .onnx.
bool is_onnx(const std::string& model);

// Adds the model to what a command reads: its file, and, of an ONNX model, the files with its weights.
void add_model(OutputFiles& outputs, const std::string& model);

// The option --known: inputs of an ONNX model that are constants of the graph (onnx::ImportOptions::known),
// and --hard-links.
struct KnownInputs {
  std::vector<std::string> arguments;  // NAME=FILE.npy
  bool hard_links = false;             // onnx::ImportOptions::hard_links

  void add_to(CLI::App& app);
  // Adds the files to what a command reads.
  void add_inputs(OutputFiles& outputs) const { add_arrays(outputs, arguments, "--known"); }
  // Reads the elements. Throws a cutset::Error if an argument is malformed, or if a file cannot be read.
  std::map<std::string, HostTensor> elements() const;
};

// Reads the model in the file. Sizes of inputs that the model leaves open, and that `sizes` does not name,
// are those of `shapes`, and otherwise, for first sizes, `batch`. The arrays of --known give the sizes of
// their inputs, too. `returns_results` is ImportOptions::returns_results. Throws a cutset::Error if an option
// or the file is malformed. If the import fails because of an option, and an array is not for an input of the
// model, the error says so.
onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes,
                      const KnownInputs& known, std::map<std::string, Shape> shapes = {},
                      bool returns_results = true);

// Throws a cutset::Error if the first size of an input is not `batch`, because the model, --size or an array
// of --known gives another one. With a sample, each input that it has counts. Without, the inputs may have
// other first sizes if one of them has this.
void check_batch(const onnx::Model& model, const Batch& sample, int64_t batch, const ModelSizes& sizes);

}  // namespace cutset::cli

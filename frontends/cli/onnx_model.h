// Models in ONNX files.
#pragma once
#include <cutset/onnx.h>

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "frontends/cli/model_sizes.h"

namespace cutset::cli {

// Whether the argument of a command is the path of an ONNX file: it ends in .onnx.
bool is_onnx(const std::string& model);

// The option --known: inputs of an ONNX model that are constants of the graph (onnx::ImportOptions::known).
struct KnownInputs {
  std::vector<std::string> given;  // NAME=FILE.npy

  void add_to(CLI::App& app);
  // Reads the elements. Throws a cutset::Error if an argument is malformed, or if a file cannot be read.
  std::map<std::string, HostTensor> elements() const;
};

// Reads the model in the file. Sizes of inputs that the model leaves open, and that `sizes` does not name, are those of `shapes`, and
// otherwise, for first sizes, `batch`. The arrays of --known give the sizes of their inputs, too. Throws a cutset::Error if an option or the file is malformed.
onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes, const KnownInputs& known,
                      std::map<std::string, Shape> shapes = {});

}  // namespace cutset::cli

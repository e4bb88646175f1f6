// The options of commands for a model in an ONNX file.
#pragma once
#include <cutset/onnx.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace cutset::cli {

// Whether the argument of a command is the path of an ONNX file: it ends in .onnx.
bool is_onnx(const std::string& model);

struct OnnxOptions {
  std::vector<std::string> sizes;  // NAME=N

  void add_to(CLI::App& app);
  // Reads the model in the file. The first sizes of inputs that the model leaves open are `batch`. Throws a cutset::Error if an option
  // or the file is malformed.
  onnx::Model read(const std::string& path, int64_t batch) const;
};

}  // namespace cutset::cli

// Models in ONNX files.
#pragma once
#include <cutset/onnx.h>

#include <string>

#include "frontends/cli/model_sizes.h"

namespace cutset::cli {

// Whether the argument of a command is the path of an ONNX file: it ends in .onnx.
bool is_onnx(const std::string& model);
// Reads the model in the file. The first sizes of inputs that the model leaves open, and that `sizes` does not name, are `batch`. Throws
// a cutset::Error if an option or the file is malformed.
onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes);

}  // namespace cutset::cli

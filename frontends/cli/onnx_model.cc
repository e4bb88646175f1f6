#include "frontends/cli/onnx_model.h"

namespace cutset::cli {

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes) {
  return onnx::import_file(path, {.sizes = sizes.by_name(), .batch = batch});
}

}  // namespace cutset::cli

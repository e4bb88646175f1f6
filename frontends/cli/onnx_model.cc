#include "frontends/cli/onnx_model.h"

#include "frontends/cli/arguments.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

void KnownInputs::add_to(CLI::App& app) {
  app.add_option(
         "--known", given,
         "NAME=FILE.npy: makes an input of an ONNX model a constant with these elements; needed if they decide a "
         "shape, a "
         "branch or a number of iterations, and useful for an input without a dimension of samples, such as a mask")
      ->take_all();
}

std::map<std::string, HostTensor> KnownInputs::elements() const { return arrays_of(given, "--known"); }

onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes, const KnownInputs& known,
                      std::map<std::string, Shape> shapes) {
  const std::map<std::string, HostTensor> elements = known.elements();
  for (const auto& [name, value] : elements) shapes.insert_or_assign(name, value.type().shape);
  return onnx::import_file(path, {.sizes = sizes.by_name(),
                                  .shapes = std::move(shapes),
                                  .batch = batch,
                                  .known = elements,
                                  .known_are_constants = true});
}

}  // namespace cutset::cli

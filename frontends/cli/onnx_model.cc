#include "frontends/cli/onnx_model.h"

#include <filesystem>

#include "frontends/cpp/failure.h"

namespace cutset::cli {

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

void add_model(OutputFiles& outputs, const std::string& model) {
  outputs.reads("the model", model);
  if (!is_onnx(model)) return;
  const std::string folder = std::filesystem::path(model).parent_path().string();
  outputs.reads_listed("the weights of the model", folder.empty() ? "." : folder,
                       [model] { return onnx::weight_files(model); });
}

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

void check_batch(const onnx::Model& made, const Batch& sample, int64_t batch) {
  std::string differing, size;
  bool fixed = false;
  for (const auto& [name, input] : made.inputs) {
    if (input.type().rank() == 0 || (!sample.empty() && !sample.contains(name))) continue;
    const bool differs = input.type().shape[0] != batch;
    if (!differs && sample.empty()) return;
    if (!differs || !differing.empty()) continue;
    differing = name, size = std::to_string(input.type().shape[0]), fixed = made.fixed_batches.contains(name);
  }
  if (differing.empty()) return;
  if (!fixed)
    raise(invalid_argument("--size gives the input '" + differing + "' the first size " + size + ", and the batch is " +
                               std::to_string(batch),
                           "give --batch " + size + ", or leave out the --size"));
  raise(invalid_argument("the model fixes the first size of the input '" + differing + "' at " + size +
                             ", and the batch is " + std::to_string(batch),
                         "give --batch " + size +
                             ", export the model with an open batch, or, if the input has no dimension of samples, "
                             "make it a constant with --known " +
                             differing + "=FILE.npy"));
}

}  // namespace cutset::cli

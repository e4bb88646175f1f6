#include "frontends/cli/onnx_model.h"

#include "frontends/cli/arguments.h"
#include "frontends/cpp/failure.h"

namespace cutset::cli {

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

void KnownInputs::add_to(CLI::App& app) {
  app.add_option(
         "--known", given,
         "NAME=FILE.npy: the elements of an input of an ONNX model that decide a shape, a branch or a number of "
         "iterations; the program is compiled for them and does not have the input")
      ->take_all();
}

std::map<std::string, HostTensor> KnownInputs::elements() const { return arrays_of(given, "--known"); }

onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes, const KnownInputs& known,
                      std::map<std::string, Shape> shapes) {
  const std::map<std::string, HostTensor> elements = known.elements();
  for (const auto& [name, value] : elements) shapes.insert_or_assign(name, value.type().shape);
  onnx::Model made =
      onnx::import_file(path, {.sizes = sizes.by_name(), .shapes = shapes, .batch = batch, .known = elements});
  for (const auto& [name, value] : elements)
    if (made.inputs.contains(name))
      raise(
          invalid_argument("the elements of '" + name + "' decide nothing, so the program has this input",
                           "leave out --known " + name + ", and give the input as one of the samples or with --input"));
  return made;
}

}  // namespace cutset::cli

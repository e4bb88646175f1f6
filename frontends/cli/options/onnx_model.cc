// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/onnx_model.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "frontends/cpp/checks/failure.h"
#include "frontends/onnx/names.h"
#include "ir/core/names.h"
#include "runtime/files/files.h"

namespace cutset::cli {
namespace {

// Throws a cutset::Error if the model in the file has no input with the name of an array, in the model or in
// the graph. It is called only if the import failed, because it reads the file once more.
void check_names(const std::string& path, const std::map<std::string, Shape>& arrays) {
  const std::string bytes = check(read_file(path));
  const std::vector<std::string> inputs =
      onnx::input_names({reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
  std::set<std::string> names(inputs.begin(), inputs.end());
  onnx::Names in_graph;
  for (const std::string& input : inputs) in_graph.keep(input);
  for (const std::string& input : inputs) names.insert(in_graph.unique(input));
  for (const auto& [name, shape] : arrays)
    if (!names.contains(name))
      raise(invalid_argument("the model has no input '" + name + "'",
                             inputs.empty() ? "it has no inputs" : "its inputs are " + quoted_list(inputs)));
}

}  // namespace

bool is_onnx(const std::string& model) { return model.ends_with(".onnx"); }

void add_model(OutputFiles& outputs, const std::string& model) {
  outputs.reads("the model", model);
  if (!is_onnx(model)) return;
  const std::string folder = std::filesystem::path(model).parent_path().string();
  outputs.reads_listed("the weights of the model", folder.empty() ? "." : folder,
                       [model] { return onnx::weight_files(model); });
}

void KnownInputs::add_to(CLI::App& app) {
  app.add_option("--known", arguments, "make an input of an ONNX model a constant")
      ->type_name("NAME=FILE.npy")
      ->take_all();
  app.add_flag("--hard-links", hard_links, "read weights of an ONNX model from hard-linked files too");
}

std::map<std::string, HostTensor> KnownInputs::elements() const { return arrays_of(arguments, "--known"); }

onnx::Model read_onnx(const std::string& path, int64_t batch, const ModelSizes& sizes,
                      const KnownInputs& known, std::map<std::string, Shape> shapes, bool returns_results) {
  const std::map<std::string, HostTensor> elements = known.elements();
  for (const auto& [name, value] : elements) shapes.insert_or_assign(name, value.type().shape);
  const onnx::ImportOptions options = {.sizes = sizes.by_name(),
                                       .shapes = std::move(shapes),
                                       .batch = batch,
                                       .known = elements,
                                       .known_are_constants = true,
                                       .returns_results = returns_results,
                                       .hard_links = known.hard_links};
  try {
    return onnx::import_file(path, options);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kInvalidArgument) throw;
    check_names(path, options.shapes);
    throw;
  }
}

void check_batch(const onnx::Model& model, const Batch& sample, int64_t batch, const ModelSizes& sizes) {
  std::string differing, size;
  bool fixed = false;
  for (const auto& [name, input] : model.inputs) {
    if (input.type().rank() == 0 || (!sample.empty() && !sample.contains(name))) continue;
    const bool differs = input.type().shape[0] != batch;
    if (!differs && sample.empty()) return;
    if (!differs || !differing.empty()) continue;
    differing = name;
    size = std::to_string(input.type().shape[0]);
    fixed = model.fixed_batches.contains(name);
  }
  if (differing.empty()) return;
  if (!fixed) {
    // If no --size gives this size, an array of --known gives it, because the arrays of samples and of
    // --input have the size of the batch.
    const bool by_size =
        std::ranges::any_of(sizes.by_name(), [&](const auto& s) { return std::to_string(s.second) == size; });
    raise(invalid_argument(
        std::string(by_size ? "--size" : "an array of --known") + " gives the input '" + differing +
            "' the first size " + size + ", and the batch is " + std::to_string(batch),
        "give --batch " + size +
            (by_size ? ", or leave out the --size" : ", or an array of --known for this batch")));
  }
  raise(invalid_argument(
      "the model fixes the first size of the input '" + differing + "' at " + size + ", and the batch is " +
          std::to_string(batch),
      "give --batch " + size +
          ", export the model with an open batch, or, if the input has no dimension of samples, "
          "make it a constant with --known " +
          differing + "=FILE.npy"));
}

}  // namespace cutset::cli

#include "frontends/cli/dataset_layout.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "frontends/cpp/failure.h"
#include "runtime/data/folder_entries.h"
#include "runtime/data/image_folder.h"

namespace cutset::cli {
namespace {

// An input that a data set has, and the number of its dimensions with that of the batch.
struct Given {
  const char* input;
  int rank;
  const char* what;
  bool integers;  // whether they are ids or classes, and not pixels
};

// The inputs of the samples of a data set; those of --dataset random are the inputs of every model.
const std::map<std::string, std::vector<Given>>& given_inputs() {
  static const std::vector<Given> images = {{"image", 4, "images", false}, {"label", 1, "a label per image", true}},
                                  sequences = {{"token", 2, "tokens", true}, {"label", 2, "a label per token", true}},
                                  tables = {{"history", 2, "ids", true}, {"label", 1, "a label per list of ids", true}};
  static const std::map<std::string, std::vector<Given>> all = {{"fashion-mnist", images}, {"cifar10", images},
                                                                {"image-folder", images},  {"text", sequences},
                                                                {"bytes", sequences},      {"id-table", tables}};
  return all;
}

// Returns the integers as i64, which most ONNX models of texts read.
HostTensor widened(const HostTensor& x) {
  return {x.shape(), std::vector<int64_t>(x.as<int32_t>().begin(), x.as<int32_t>().end())};
}

}  // namespace

std::string image_folder_of(const std::string& path, bool for_test) {
  const auto is_folder = [&](const char* name) {
    std::error_code failed;
    return std::filesystem::is_directory(path + "/" + name, failed);
  };
  for (const char* name : for_test ? std::vector<const char*>{"test", "val"} : std::vector<const char*>{"train"})
    if (is_folder(name)) return path + "/" + name;
  raise(invalid_data(
      "'" + path + "' has no folder " + (for_test ? "'test' or 'val' for the evaluation" : "'train'") + "; it " +
          entries_of(path),
      std::string(
          "--dataset image-folder reads PATH/train/CLASS/*.jpg and, for the evaluation, PATH/test or PATH/val") +
          (for_test ? "; --no-evaluate leaves the evaluation out" : "")));
}

std::vector<std::string> endings_of_files(const std::string& name) {
  if (name == "fashion-mnist") return {"-ubyte", "-ubyte.gz"};
  if (name == "cifar10") return {"_batch.bin", "_1.bin", "_2.bin", "_3.bin", "_4.bin", "_5.bin"};
  if (name == "image-folder") return {image_endings().begin(), image_endings().end()};
  return {};
}

std::string inputs_of(const Graph& graph) {
  std::string text;
  for (const auto& [name, type] : graph.inputs())
    text += (text.empty() ? "'" : ", '") + name + "' (" + to_string(type) + ")";
  return text;
}

std::map<std::string, std::string> inputs_for_dataset(const std::string& name, const Graph& graph) {
  const std::vector<Given>& given = given_inputs().at(name);
  std::map<std::string, std::string> names;
  std::map<std::string, size_t> others;  // the inputs of other names, with the numbers of their dimensions
  for (const auto& [input, type] : graph.inputs()) {
    const bool same = std::ranges::any_of(given, [&](const Given& g) { return g.input == input; });
    if (same)
      names.emplace(input, input);
    else
      others.emplace(input, type.shape.size());
  }
  bool fits = graph.inputs().size() == given.size();
  std::string has;
  for (const Given& g : given) {
    has += (has.empty() ? "" : ", ") + ("'" + std::string(g.input) + "' (") + g.what + ")";
    if (!names.contains(g.input) && others.size() == 1) names.emplace(g.input, others.begin()->first);
    for (const auto& [input, type] : graph.inputs())
      if (names.contains(g.input) && input == names.at(g.input))
        fits = fits && type.shape.size() == static_cast<size_t>(g.rank) && (!g.integers || !is_float(type.dtype));
  }
  if (!fits || names.size() != given.size())
    raise(invalid_argument(
        "--dataset " + name + " has " + has + ", and the model reads " + inputs_of(graph),
        "choose another --dataset, or give --samples NAME=FILE.npy once per input; --known makes an input of an "
        "ONNX model a constant, such as a mask"));
  return names;
}

data::Dataset with_inputs_of(const Graph& graph, const std::string& name, data::Dataset samples) {
  const std::map<std::string, std::string> names = inputs_for_dataset(name, graph);
  std::map<std::string, DType> types;  // by the names of the graph
  for (const auto& [input, type] : graph.inputs()) types.emplace(input, type.dtype);
  return samples.map([names, types](Batch batch, const data::BatchPosition&) {
    Batch made;
    for (auto& [of_dataset, value] : batch) {
      const std::string& input = names.at(of_dataset);
      made.emplace(input, value.dtype() == i32 && types.at(input) == i64 ? widened(value) : std::move(value));
    }
    return made;
  });
}

}  // namespace cutset::cli

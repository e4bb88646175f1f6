// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/dataset_layout.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/names.h"
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
  static const std::vector<Given> images = {{"image", 4, "images", false},
                                            {"label", 1, "a label per image", true}},
                                  sequences = {{"token", 2, "tokens", true},
                                               {"label", 2, "a label per token", true}},
                                  tables = {{"history", 2, "ids", true},
                                            {"label", 1, "a label per list of ids", true}};
  static const std::map<std::string, std::vector<Given>> all = {
      {"fashion-mnist", images}, {"cifar10", images},  {"image-folder", images},
      {"text", sequences},       {"bytes", sequences}, {"id-table", tables}};
  return all;
}

// Returns why an input of this type cannot take what the data set gives it, or an empty text if it can.
std::string misfit(const Given& given, const std::string& input, const TensorType& type) {
  const std::string begin = "the input '" + input + "' has ",
                    end = std::string(", and '") + given.input + "' of the data set has ";
  if (type.rank() != given.rank)
    return begin + std::to_string(type.rank()) + (type.rank() == 1 ? " dimension" : " dimensions") + end +
           std::to_string(given.rank);
  if (given.integers && is_float(type.dtype))
    return begin + "the type " + name_of(type.dtype) + end + "integers";
  return "";
}

// An input of a graph.
using Input = std::pair<std::string, TensorType>;

// Says what only the data set has, `missing`, or only the graph, `others`. Returns an empty text if both are
// empty.
std::string unmatched(const std::vector<Given>& missing, const std::vector<Input>& others) {
  if (missing.size() > others.size())
    return std::string("the model has no input for '") + missing.back().input + "' of the data set";
  std::vector<std::string> all, additional;
  for (const auto& [input, type] : others) {
    all.push_back(input);
    if (std::ranges::none_of(missing, [&](const Given& g) { return misfit(g, input, type).empty(); }))
      additional.push_back(input);
  }
  if (all.empty()) return "";
  if (!additional.empty()) return "the data set has no " + quoted_list(additional);
  return std::string("several inputs fit '") + missing.front().input +
         "' of the data set: " + quoted_list(all);
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
  for (const char* name :
       for_test ? std::vector<const char*>{"test", "val"} : std::vector<const char*>{"train"})
    if (is_folder(name)) return path + "/" + name;
  raise(invalid_data("'" + path + "' has no folder " +
                         (for_test ? "'test' or 'val' for the evaluation" : "'train'") + "; it " +
                         entries_of(path),
                     std::string("--dataset image-folder reads PATH/train/CLASS/*.jpg and, for the "
                                 "evaluation, PATH/test or PATH/val") +
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
  std::vector<Given> missing = given;
  std::vector<Input> others;
  for (const auto& [input, type] : graph.inputs()) {
    const auto same = std::ranges::find_if(missing, [&](const Given& g) { return g.input == input; });
    if (same == missing.end()) {
      others.emplace_back(input, type);
      continue;
    }
    names.emplace(input, input);
    missing.erase(same);
  }
  if (missing.size() == 1 && others.size() == 1) {
    names.emplace(missing.front().input, others.front().first);
    missing.clear(), others.clear();
  }
  std::string has, differs;
  for (const Given& g : given) {
    has += (has.empty() ? "" : ", ") + ("'" + std::string(g.input) + "' (") + g.what + ")";
    for (const auto& [input, type] : graph.inputs())
      if (differs.empty() && names.contains(g.input) && input == names.at(g.input))
        differs = misfit(g, input, type);
  }
  std::string hint = "choose another --dataset, or give --samples NAME=FILE.npy once per input";
  if (differs.empty()) {
    differs = unmatched(missing, others);
    if (missing.size() <= others.size())
      hint += "; --known makes an input of an ONNX model a constant, such as a mask";
    else if (!names.contains("label"))
      hint += "; --loss adds the input 'label' to an ONNX model";
  }
  if (!differs.empty())
    raise(invalid_argument(
        "--dataset " + name + " has " + has + ", and the model reads " + inputs_of(graph) + ": " + differs,
        hint));
  return names;
}

data::Dataset with_inputs_of(const Graph& graph, const std::string& name, data::Dataset samples) {
  const std::map<std::string, std::string> names = inputs_for_dataset(name, graph);
  std::map<std::string, DType> types;  // by the names of the graph
  for (const auto& [input, type] : graph.inputs()) types.emplace(input, type.dtype);
  const bool same = std::ranges::all_of(names, [](const auto& n) { return n.first == n.second; }) &&
                    std::ranges::none_of(types, [](const auto& t) { return t.second == i64; });
  if (same) return samples;  // the batches of built-in models are not made again
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

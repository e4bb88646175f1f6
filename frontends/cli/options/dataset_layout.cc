// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/dataset_layout.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "ir/core/names.h"

namespace cutset::cli {
namespace {

// Returns an empty text if an input of this type can take the values of the data set, or else the reason.
std::string misfit(const DatasetInput& expected, const std::string& input, const TensorType& type) {
  const std::string begin = "the input '" + input + "' has ",
                    end = std::string(", and '") + expected.name + "' of the data set has ";
  if (type.rank() != expected.rank)
    return begin + std::to_string(type.rank()) + (type.rank() == 1 ? " dimension" : " dimensions") + end +
           std::to_string(expected.rank);
  if (expected.integers && is_float(type.dtype))
    return begin + "the type " + name_of(type.dtype) + end + "integers";
  return "";
}

// The name and the type of an input of a graph.
using Input = std::pair<std::string, TensorType>;

// Returns an error message about the inputs that only the data set has, `missing`, and that only the graph
// has, `others`. Returns an empty text if both lists are empty.
std::string unmatched(const std::vector<DatasetInput>& missing, const std::vector<Input>& others) {
  if (missing.size() > others.size())
    return std::string("the model has no input for '") + missing.back().name + "' of the data set";
  std::vector<std::string> all, additional;
  for (const auto& [input, type] : others) {
    all.push_back(input);
    if (std::ranges::none_of(missing, [&](const DatasetInput& d) { return misfit(d, input, type).empty(); }))
      additional.push_back(input);
  }
  if (all.empty()) return "";
  if (!additional.empty()) return "the data set has no " + quoted_list(additional);
  return std::string("several inputs fit '") + missing.front().name +
         "' of the data set: " + quoted_list(all);
}

// Returns the integers as i64, which most ONNX models of texts read.
HostTensor widened(const HostTensor& x) {
  return {x.shape(), std::vector<int64_t>(x.as<int32_t>().begin(), x.as<int32_t>().end())};
}

}  // namespace

std::string inputs_of(const Graph& graph) {
  std::string text;
  for (const auto& [name, type] : graph.inputs())
    text += (text.empty() ? "'" : ", '") + name + "' (" + to_string(type) + ")";
  return text;
}

std::map<std::string, std::string> inputs_for_dataset(const NamedDataset& dataset, const Graph& graph) {
  std::map<std::string, std::string> names;
  std::vector<DatasetInput> missing = dataset.inputs;
  std::vector<Input> others;
  for (const auto& [input, type] : graph.inputs()) {
    const auto same = std::ranges::find_if(missing, [&](const DatasetInput& d) { return d.name == input; });
    if (same == missing.end()) {
      others.emplace_back(input, type);
      continue;
    }
    names.emplace(input, input);
    missing.erase(same);
  }
  if (missing.size() == 1 && others.size() == 1) {
    names.emplace(missing.front().name, others.front().first);
    missing.clear();
    others.clear();
  }
  std::string has, differs;
  for (const DatasetInput& d : dataset.inputs) {
    has += (has.empty() ? "" : ", ") + ("'" + std::string(d.name) + "' (") + d.what + ")";
    for (const auto& [input, type] : graph.inputs())
      if (differs.empty() && names.contains(d.name) && input == names.at(d.name))
        differs = misfit(d, input, type);
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
    raise(invalid_argument("--dataset " + dataset.name + " has " + has + ", and the model reads " +
                               inputs_of(graph) + ": " + differs,
                           hint));
  return names;
}

data::Dataset with_inputs_of(const Graph& graph, const NamedDataset& dataset, data::Dataset samples) {
  const std::map<std::string, std::string> names = inputs_for_dataset(dataset, graph);
  std::map<std::string, DType> types;  // by the names of the graph
  for (const auto& [input, type] : graph.inputs()) types.emplace(input, type.dtype);
  const bool same = std::ranges::all_of(names, [](const auto& n) { return n.first == n.second; }) &&
                    std::ranges::none_of(types, [](const auto& t) { return t.second == i64; });
  if (same) return samples;  // returns early, so that batches of built-in models are not copied
  return samples.map([names, types](Batch batch, const data::BatchPosition&) {
    Batch renamed;
    for (auto& [of_dataset, value] : batch) {
      const std::string& input = names.at(of_dataset);
      renamed.emplace(input,
                      value.dtype() == i32 && types.at(input) == i64 ? widened(value) : std::move(value));
    }
    return renamed;
  });
}

}  // namespace cutset::cli

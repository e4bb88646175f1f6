#include "frontends/cli/dataset_layout.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "frontends/cpp/failure.h"
#include "runtime/data/folder_entries.h"

namespace cutset::cli {
namespace {

// An input that a data set has, and the number of its dimensions with that of the batch.
struct Given {
  const char* input;
  int rank;
  const char* what;
};

// The inputs of the samples of a data set; those of --dataset random are the inputs of every model.
const std::map<std::string, std::vector<Given>>& given_inputs() {
  static const std::vector<Given> images = {{"image", 4, "images"}, {"label", 1, "a label per image"}},
                                  sequences = {{"token", 2, "tokens"}, {"label", 2, "a label per token"}},
                                  tables = {{"history", 2, "ids"}, {"label", 1, "a label per list of ids"}};
  static const std::map<std::string, std::vector<Given>> all = {{"fashion-mnist", images}, {"cifar10", images},
                                                                {"image-folder", images},  {"text", sequences},
                                                                {"bytes", sequences},      {"id-table", tables}};
  return all;
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

std::string inputs_of(const Graph& graph) {
  std::string text;
  for (const auto& [name, type] : graph.inputs())
    text += (text.empty() ? "'" : ", '") + name + "' (" + to_string(type) + ")";
  return text;
}

void check_dataset_inputs(const std::string& name, const Graph& graph) {
  const auto known = given_inputs().find(name);
  if (known == given_inputs().end()) return;
  std::string has;
  for (const Given& g : known->second)
    has += (has.empty() ? "" : ", ") + ("'" + std::string(g.input) + "' (") + g.what + ")";
  bool same = true;
  for (const auto& [input, type] : graph.inputs()) {
    same = same && std::ranges::any_of(known->second, [&](const Given& g) {
             return g.input == input && g.rank == static_cast<int>(type.shape.size());
           });
  }
  if (!same || graph.inputs().size() != known->second.size())
    raise(invalid_argument("--dataset " + name + " has " + has + ", and the model reads " + inputs_of(graph),
                           "choose another --dataset, or give --samples NAME=FILE.npy once per input"));
}

}  // namespace cutset::cli

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/samples.h"

#include <cutset/augment.h>
#include <cutset/random_batch.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "frontends/cli/options/arguments.h"
#include "frontends/cli/options/dataset_layout.h"
#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/data/dataset_of.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/training/sample_checksum.h"
#include "ir/core/names.h"
#include "runtime/data/image_folder.h"
#include "runtime/data/named_datasets.h"
#include "runtime/files/npy.h"

namespace cutset::cli {
namespace {

// The name of random samples, which fit every model and are in no file.
constexpr char kRandom[] = "random";

// Returns the names of the data sets for which `wanted` returns true, as a text: "bytes, id-table and text".
std::string names_of_datasets(const std::function<bool(const NamedDataset&)>& wanted) {
  std::vector<std::string> names;
  for (const NamedDataset& d : named_datasets())
    if (wanted(d)) names.push_back(d.name);
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : &name == &names.back() ? " and " : ", ") + name;
  return text;
}

// Returns the data set that is used if the user names no samples and the model reads images of this data set.
const NamedDataset& default_dataset() {
  return *std::ranges::find_if(named_datasets(), [](const auto& d) { return !d.default_image.empty(); });
}

// Returns the folder or the file of a data set. An empty `data` stands for its default.
std::string path_of(const NamedDataset& dataset, const std::string& data) {
  if (!data.empty() || dataset.default_folder.empty()) return data;
  const char* const variable = std::getenv("CUTSET_DATA");
  return variable && *variable ? variable : dataset.default_folder;
}

data::Dataset arrays(const std::vector<std::string>& files, const char* option) {
  return data::from_tensors(arrays_of(files, option));
}

// Returns four batches of random samples. Every epoch repeats them.
data::Dataset random_samples(const Graph& graph, uint64_t seed) {
  constexpr int64_t kBatches = 4;
  Batch all;
  for (const auto& [name, type] : graph.inputs()) {
    TensorType larger = type;
    if (type.rank() == 0)
      raise(invalid_argument("the input '" + name +
                             "' has no first dimension, so it cannot be divided into samples"));
    larger.shape[0] *= kBatches;
    all.emplace(name, HostTensor(larger));
  }
  for (int64_t i = 0; i < kBatches; ++i)
    for (const auto& [name, tensor] : random_batch(graph, seed + static_cast<uint64_t>(i))) {
      unsigned char* const to = all.at(name).bytes().data() + static_cast<size_t>(i) * tensor.bytes().size();
      std::copy(tensor.bytes().begin(), tensor.bytes().end(), to);
    }
  return data::from_tensors(std::move(all));
}

// Returns the name of the input of images: "image", or the only input whose samples have three dimensions.
std::string images_of(const data::Dataset& samples) {
  const Batch sample = *samples.batch(1).begin();
  if (sample.contains("image")) return "image";
  std::vector<std::string> found;
  for (const auto& [name, value] : sample)
    if (value.type().rank() == 4 && name != "label") found.push_back(name);
  if (found.size() != 1)
    raise(invalid_argument(
        "--random-crop, --random-flip, --mean and --std change images, and " +
            (found.empty() ? "no samples have the shape of images, [channels, height, width]"
                           : "several inputs have the shape of images: " + quoted_list(found)),
        found.empty() ? "leave out these options"
                      : "leave out these options, and change the arrays before they are read"));
  return found.front();
}

}  // namespace

void SampleOptions::add_to(CLI::App& app, bool evaluates) {
  app.option_defaults()->group("Samples");
  std::vector<std::string> names;
  for (const NamedDataset& d : named_datasets()) names.push_back(d.name);
  names.emplace_back(kRandom);
  app.add_option("--dataset", dataset, plain_list(names))->transform(one_of(names));
  app.add_option("--data", data, "the folder or the file of the data set")->check(path_name());
  app.add_option("--samples", samples, "an array per input, instead of a data set")
      ->type_name("NAME=FILE.npy")
      ->take_all();
  app.add_option("--padding-id", padding_id, "the id that fills short lists of an id-table");
  app.add_option("--mean", mean, "means of the channels, which are subtracted")
      ->delimiter(',')
      ->type_name("X,X,X");
  app.add_option("--std", stddev, "standard deviations of the channels")->delimiter(',')->type_name("X,X,X");
  if (!evaluates) return;
  app.add_option("--random-crop", crop, "pad images for training by N zeros, and crop them at random")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 20));
  app.add_flag("--random-flip", flip, "flip half of the images for training");
  app.add_option("--test-data", test_data, "file of a data set in one file, for evaluations")
      ->check(path_name());
  app.add_option("--test-samples", test_samples, "an array per input, for evaluations")
      ->type_name("NAME=FILE.npy")
      ->take_all();
}

std::optional<int32_t> SampleOptions::padding_of(const Graph& graph, const std::string& input) const {
  const std::set<int64_t> paddings = graph.state()->labels.padding(input);
  if (paddings.empty()) return padding_id;
  if (padding_id && !paddings.contains(*padding_id))
    raise(invalid_argument("--padding-id is " + std::to_string(*padding_id) + ", and the model takes " +
                               std::to_string(*paddings.begin()) + " in '" + input + "' for padding",
                           "leave out --padding-id"));
  if (padding_id) return padding_id;
  const int64_t padding = *paddings.begin();
  if (padding != static_cast<int32_t>(padding)) return std::nullopt;  // ids are i32
  return static_cast<int32_t>(padding);
}

std::string SampleOptions::dataset_for(const Graph& graph) const {
  if (!dataset.empty()) return dataset;
  for (const auto& [name, type] : graph.inputs())
    if (name == "image" && type.rank() == 4 &&
        Shape(type.shape.begin() + 1, type.shape.end()) == default_dataset().default_image)
      return default_dataset().name;
  return "";
}

data::Dataset SampleOptions::read(const NamedDataset& from, const std::string& path, bool for_test,
                                  const Graph& graph) const {
  const std::map<std::string, std::string> inputs = inputs_for_dataset(from, graph);
  DatasetRequest request{.path = path_of(from, path), .training_path = data, .for_test = for_test};
  if (request.path.empty())
    raise(invalid_argument("--dataset " + from.name + " needs a folder or file", "give --data PATH"));
  request.size_of = [&](const char* input, size_t dimension) {
    const std::string& name = inputs.at(input);
    return std::ranges::find_if(graph.inputs(), [&](const auto& i) { return i.first == name; })
        ->second.shape[dimension];
  };
  request.range_of = [&](const char* input) {
    const auto classes = graph.label_classes().find(inputs.at(input));
    return classes == graph.label_classes().end() ? int64_t{INT32_MAX} : classes->second;
  };
  if (from.padded) request.padding = padding_of(graph, inputs.at(from.padded));
  return data::dataset_of(check(from.open(request)));
}

data::Dataset SampleOptions::changed(data::Dataset images, bool for_test, uint64_t seed) const {
  const int64_t padding = for_test ? 0 : crop;
  const bool flips = flip && !for_test;
  if (!padding && !flips && mean.empty() && stddev.empty()) return images;
  const std::string image = images_of(images);
  if (padding) images = images.map(data::random_crop({.padding = padding, .seed = seed, .input = image}));
  if (flips) images = images.map(data::random_horizontal_flip({.seed = seed, .input = image}));
  if (mean.empty() && stddev.empty()) return images;
  return images.map(data::normalize({.mean = mean, .stddev = stddev, .input = image}));
}

void SampleOptions::add_inputs(OutputFiles& outputs) const {
  add_arrays(outputs, samples, "--samples");
  add_arrays(outputs, test_samples, "--test-samples");
  if (!samples.empty()) return;
  const NamedDataset* const from = dataset.empty() ? &default_dataset() : find_named_dataset(dataset);
  const std::string path = from ? path_of(*from, data) : data;
  outputs.reads("--data", path);
  outputs.reads("--test-data", test_data);
  outputs.reads_folder("--data", path, from ? from->endings : std::vector<std::string>());
}

std::string SampleOptions::description() const {
  std::string text = !samples.empty() ? "arrays" : dataset.empty() ? default_dataset().name : dataset;
  if (crop) text += ", crops with a padding of " + std::to_string(crop);
  if (flip) text += ", flips";
  if (padding_id) text += ", the padding " + std::to_string(*padding_id);
  for (const auto& [name, list] : {std::pair("means", &mean), std::pair("standard deviations", &stddev)}) {
    if (list->empty()) continue;
    text += std::string(", ") + name;
    for (const float value : *list) {
      char digits[32];  // the shortest text that is read as the same number again
      const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
      text += " " + std::string(digits, end);
    }
  }
  return text;
}

void SampleOptions::check_use() const {
  if (!samples.empty() && !(dataset + data + test_data).empty())
    raise(invalid_argument("--samples replaces --dataset, --data and --test-data", "give one of them"));
  const NamedDataset* const from = find_named_dataset(dataset);
  if (!test_data.empty() && !(from && from->has_test_file))
    raise(invalid_argument("--test-data is for --dataset " +
                               names_of_datasets([](const NamedDataset& d) { return d.has_test_file; }),
                           "other data sets have samples for evaluation of their own"));
  if (padding_id && !(from && from->padded))
    raise(invalid_argument(
        "--padding-id is for --dataset " + names_of_datasets([](const NamedDataset& d) { return d.padded; }),
        "leave it out"));
  if (dataset == kRandom && !data.empty())
    raise(invalid_argument("--dataset random reads no files", "leave out --data"));
  if (!test_samples.empty() && samples.empty())
    raise(invalid_argument("--test-samples needs --samples", "give --samples NAME=FILE.npy once per input"));
}

// Returns the checksum of samples as they are stored. `from` is their data set, or null. `path` is the folder
// or the file of `from`.
static std::string checksum_of(const data::Dataset& samples, const NamedDataset* from,
                               const std::string& path, bool for_test) {
  if (!from || !from->file_per_sample) return checksum_of_samples(samples);
  return checksum_of_images(check(folder_of_images(path, for_test)),
                            check(list_classes(check(folder_of_images(path, false)))));
}

data::Dataset SampleOptions::training(const Graph& graph, uint64_t seed, std::string* sum) const {
  const std::string name = dataset_for(graph);
  if (samples.empty() && name.empty())
    raise(invalid_argument(
        "no samples are given, and the model does not read the images of Fashion-MNIST; it reads " +
            inputs_of(graph),
        "give a --dataset that has these inputs, or --samples NAME=FILE.npy once per input"));
  const NamedDataset* const from = samples.empty() ? find_named_dataset(name) : nullptr;
  const data::Dataset stored = !samples.empty() ? arrays(samples, "--samples")
                               : from           ? read(*from, data, false, graph)
                                                : random_samples(graph, seed);
  if (sum) *sum = checksum_of(stored, from, data, false);
  const data::Dataset result = changed(stored, false, seed);
  return from ? with_inputs_of(graph, *from, result) : result;
}

std::string SampleOptions::input_of_words(const Graph& graph) const {
  const NamedDataset* const from = find_named_dataset(dataset);
  return from && from->words ? inputs_for_dataset(*from, graph).at(from->words) : "";
}

std::optional<data::Dataset> SampleOptions::test(const Graph& graph, std::string* sum) const {
  if (!test_samples.empty()) {
    const data::Dataset stored = arrays(test_samples, "--test-samples");
    if (sum) *sum = checksum_of(stored, nullptr, "", true);
    return changed(stored, true, 0);
  }
  const NamedDataset* const from = samples.empty() ? find_named_dataset(dataset_for(graph)) : nullptr;
  if (!from || (from->has_test_file && test_data.empty())) return std::nullopt;
  const std::string& path = from->has_test_file ? test_data : data;
  const data::Dataset stored = read(*from, path, true, graph);
  if (sum) *sum = checksum_of(stored, from, path, true);
  return with_inputs_of(graph, *from, changed(stored, true, 0));
}

void check_samples(const Graph& graph, const std::function<std::set<std::string>()>& needed,
                   const data::Dataset& samples, const std::string& option) {
  const std::string of_samples = option == "--samples" ? "the samples" : "the samples for evaluation";
  const Batch sample = *samples.batch(1).begin();
  std::vector<std::string> inputs;
  for (const auto& [name, type] : graph.inputs()) inputs.push_back(name);
  for (const auto& [name, value] : sample)
    if (std::ranges::find(inputs, name) == inputs.end())
      raise(invalid_argument(of_samples + " have '" + name + "', which is not an input of the model",
                             "its inputs are " + quoted_list(inputs) + and_nearest(name, inputs)));
  std::optional<std::set<std::string>> names;
  const auto is_needed = [&](const std::string& name) {
    if (!names) names = needed();
    return names->contains(name);
  };
  for (const auto& [name, type] : graph.inputs()) {
    const auto array = sample.find(name);
    if (array == sample.end()) {
      if (!is_needed(name)) continue;
      raise(invalid_argument(of_samples + " have no '" + name + "', an input of the model",
                             "give " + option + " " + name + "=FILE.npy"));
    }
    if (type.rank() == 0) continue;
    TensorType row = type;
    row.shape[0] = 1;
    const TensorType& is = array->second.type();
    if (is == row || !is_needed(name)) continue;
    if (is.shape == row.shape && is.dtype != row.dtype)
      raise(invalid_argument("the samples of '" + name + "' have the element type " + name_of(is.dtype) +
                                 ", and the model reads " + name_of(row.dtype),
                             conversion_to(row.dtype)));
    raise(invalid_argument(
        "a sample of '" + name + "' is " + to_string(is) + ", and the model reads " + to_string(row),
        "choose the sizes of the model with --size, or other samples with --dataset or --samples"));
  }
}

data::Dataset with_types_of(const Graph& graph, data::Dataset samples) {
  std::set<std::string> rounded;  // the inputs whose samples are rounded
  const Batch sample = *samples.batch(1).begin();
  for (const auto& [name, type] : graph.inputs())
    if (const auto array = sample.find(name);
        type.dtype == DType::bf16 && array != sample.end() && array->second.dtype() == DType::f32)
      rounded.insert(name);
  if (rounded.empty()) return samples;
  return samples.map([rounded](Batch batch, const data::BatchPosition&) {
    for (auto& [name, value] : batch)
      if (rounded.contains(name)) value = rounded_to_bf16(value);
    return batch;
  });
}

data::Dataset without_remainder(const data::Dataset& all, int64_t batch, const std::string& what) {
  std::vector<int64_t> samples(static_cast<size_t>(all.size() / batch * batch));
  if (samples.empty())
    raise(invalid_argument("there are " + std::to_string(all.size()) + " " + what +
                               ", fewer than a batch of " + std::to_string(batch),
                           "give a smaller --batch"));
  std::iota(samples.begin(), samples.end(), int64_t{0});
  return all.order(std::move(samples));
}

}  // namespace cutset::cli

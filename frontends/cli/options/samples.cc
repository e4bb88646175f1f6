// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/options/samples.h"

#include <cutset/augment.h>
#include <cutset/image_data.h>
#include <cutset/random_batch.h>
#include <cutset/text_data.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>

#include "frontends/cli/options/arguments.h"
#include "frontends/cli/options/dataset_layout.h"
#include "frontends/cli/options/options.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/training/sample_checksum.h"
#include "ir/core/names.h"
#include "runtime/files/npy.h"

namespace cutset::cli {
namespace {

constexpr char kFashionMnist[] = "fashion-mnist", kCifar[] = "cifar10", kFolder[] = "image-folder",
               kText[] = "text", kBytes[] = "bytes", kIds[] = "id-table", kRandom[] = "random";

// Whether the samples for evaluation of a data set are in a file of their own, which --test-data names.
bool has_test_file(const std::string& name) { return name == kText || name == kBytes || name == kIds; }

data::Dataset arrays(const std::vector<std::string>& files, const char* option) {
  return data::from_tensors(arrays_of(files, option));
}

// Four batches of random samples, which every epoch repeats.
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

// The input of images: "image", or the only input whose samples have three dimensions.
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
  app.add_option("--dataset", dataset, "fashion-mnist, cifar10, image-folder, text, bytes, id-table, random")
      ->transform(one_of({kFashionMnist, kCifar, kFolder, kText, kBytes, kIds, kRandom}));
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
  app.add_option("--test-data", test_data, "file of a text, bytes or id-table data set for evaluations")
      ->check(path_name());
  app.add_option("--test-samples", test_samples, "an array per input, for evaluations")
      ->type_name("NAME=FILE.npy")
      ->take_all();
}

std::optional<int32_t> SampleOptions::padding_of(const Graph& graph, const std::string& input) const {
  const std::set<int64_t> known = graph.state()->labels.padding(input);
  if (known.empty()) return padding_id;
  if (padding_id && !known.contains(*padding_id))
    raise(invalid_argument("--padding-id is " + std::to_string(*padding_id) + ", and the model takes " +
                               std::to_string(*known.begin()) + " in '" + input + "' for padding",
                           "leave out --padding-id"));
  if (padding_id) return padding_id;
  const int64_t padding = *known.begin();
  if (padding != static_cast<int32_t>(padding)) return std::nullopt;  // no i32, as the ids are
  return static_cast<int32_t>(padding);
}

std::string SampleOptions::dataset_for(const Graph& graph) const {
  if (!dataset.empty()) return dataset;
  for (const auto& [name, type] : graph.inputs())
    if (name == "image" && type.rank() == 4 &&
        Shape(type.shape.begin() + 1, type.shape.end()) == Shape{1, 28, 28})
      return kFashionMnist;
  return "";
}

data::Dataset SampleOptions::read(const std::string& name, const std::string& from, bool for_test,
                                  const Graph& graph) const {
  const std::map<std::string, std::string> inputs = inputs_for_dataset(name, graph);
  const auto size_of = [&](const char* input, size_t dimension) {
    const std::string& wanted = inputs.at(input);
    return std::ranges::find_if(graph.inputs(), [&](const auto& i) { return i.first == wanted; })
        ->second.shape[dimension];
  };
  const auto range_of = [&](const char* input) {
    const auto known = graph.label_classes().find(inputs.at(input));
    return known == graph.label_classes().end() ? int64_t{INT32_MAX} : known->second;
  };
  const char* const split = for_test ? "test" : "train";
  if (name == kFashionMnist) {
    const char* const by_default = std::getenv("CUTSET_DATA");
    return data::fashion_mnist(split, from.empty() && by_default ? by_default : from);
  }
  if (from.empty())
    raise(invalid_argument("--dataset " + name + " needs a folder or file", "give --data PATH"));
  if (name == kCifar) return data::cifar10(split, from);
  if (name == kFolder) {
    const std::vector<std::string> classes = data::image_classes(image_folder_of(from, false));
    if (static_cast<int64_t>(classes.size()) > range_of("label"))
      raise(invalid_argument("'" + image_folder_of(from, false) + "' has " + std::to_string(classes.size()) +
                                 " classes, and the model has " + std::to_string(range_of("label")),
                             "give the model as many classes, with --size classes=" +
                                 std::to_string(classes.size()) + " if it is a built-in model"));
    return data::image_folder(
        image_folder_of(from, for_test),
        {.height = size_of("image", 2), .width = size_of("image", 3), .classes = classes});
  }
  if (name == kIds)
    return data::id_table(from, {.length = size_of("history", 1),
                                 .id_count = range_of("history"),
                                 .label_count = range_of("label"),
                                 .padding = padding_of(graph, inputs.at("history"))});
  data::TextOptions options{.sequence_length = size_of("token", 1)};
  // The vocabulary is always that of the text for training, so that ids agree. Each token is an input and a
  // label, so both ranges limit it.
  if (name == kText)
    options.vocabulary = data::vocabulary(data, std::min(range_of("token"), range_of("label")));
  return data::text(from, options);
}

data::Dataset SampleOptions::changed(data::Dataset made, bool for_test, uint64_t seed) const {
  const int64_t padding = for_test ? 0 : crop;
  const bool flips = flip && !for_test;
  if (!padding && !flips && mean.empty() && stddev.empty()) return made;
  const std::string image = images_of(made);
  if (padding) made = made.map(data::random_crop({.padding = padding, .seed = seed, .input = image}));
  if (flips) made = made.map(data::random_horizontal_flip({.seed = seed, .input = image}));
  if (mean.empty() && stddev.empty()) return made;
  return made.map(data::normalize({.mean = mean, .stddev = stddev, .input = image}));
}

void SampleOptions::add_inputs(OutputFiles& outputs) const {
  add_arrays(outputs, samples, "--samples");
  add_arrays(outputs, test_samples, "--test-samples");
  if (!samples.empty()) return;
  const std::string name = dataset.empty() ? kFashionMnist : dataset;
  const char* const by_default = std::getenv("CUTSET_DATA");
  const std::string from = data.empty() && by_default && name == kFashionMnist ? by_default : data;
  outputs.reads("--data", from);
  outputs.reads("--test-data", test_data);
  outputs.reads_folder("--data", from, endings_of_files(name));
}

std::string SampleOptions::description() const {
  std::string text = !samples.empty() ? "arrays" : dataset.empty() ? kFashionMnist : dataset;
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
  if (!test_data.empty() && !has_test_file(dataset))
    raise(invalid_argument("--test-data is for --dataset text, bytes and id-table",
                           "other data sets have samples for evaluation of their own"));
  if (padding_id && dataset != kIds)
    raise(invalid_argument("--padding-id is for --dataset id-table", "leave it out"));
  if (dataset == kRandom && !data.empty())
    raise(invalid_argument("--dataset random reads no files", "leave out --data"));
  if (!test_samples.empty() && samples.empty())
    raise(invalid_argument("--test-samples needs --samples", "give --samples NAME=FILE.npy once per input"));
}

// The checksum of samples as they are stored. `images` is the folder of --dataset folder; empty: another one.
static std::string checksum_of(const data::Dataset& samples, const std::string& images, bool for_test) {
  if (images.empty()) return checksum_of_samples(samples);
  return checksum_of_images(image_folder_of(images, for_test),
                            data::image_classes(image_folder_of(images, false)));
}

data::Dataset SampleOptions::training(const Graph& graph, uint64_t seed, std::string* sum) const {
  const std::string name = dataset_for(graph);
  if (samples.empty() && name.empty())
    raise(invalid_argument(
        "no samples are given, and the model does not read the images of Fashion-MNIST; it reads " +
            inputs_of(graph),
        "give a --dataset that has these inputs, or --samples NAME=FILE.npy once per input"));
  data::Dataset made = !samples.empty()  ? arrays(samples, "--samples")
                       : name == kRandom ? random_samples(graph, seed)
                                         : read(name, data, false, graph);
  if (sum) *sum = checksum_of(made, samples.empty() && name == kFolder ? data : "", false);
  made = changed(std::move(made), false, seed);
  return samples.empty() && name != kRandom ? with_inputs_of(graph, name, std::move(made)) : made;
}

std::string SampleOptions::input_of_words(const Graph& graph) const {
  return dataset == kText ? inputs_for_dataset(dataset, graph).at("token") : "";
}

std::optional<data::Dataset> SampleOptions::test(const Graph& graph, std::string* sum) const {
  if (!test_samples.empty()) {
    data::Dataset made = arrays(test_samples, "--test-samples");
    if (sum) *sum = checksum_of(made, "", true);
    return changed(std::move(made), true, 0);
  }
  const std::string name = dataset_for(graph);
  if (!samples.empty() || name.empty() || name == kRandom) return std::nullopt;
  const bool own = has_test_file(name);
  if (own && test_data.empty()) return std::nullopt;
  data::Dataset made = read(name, own ? test_data : data, true, graph);
  if (sum) *sum = checksum_of(made, name == kFolder ? data : "", true);
  return with_inputs_of(graph, name, changed(std::move(made), true, 0));
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
    const auto given = sample.find(name);
    if (given == sample.end()) {
      if (!is_needed(name)) continue;
      raise(invalid_argument(of_samples + " have no '" + name + "', an input of the model",
                             "give " + option + " " + name + "=FILE.npy"));
    }
    if (type.rank() == 0) continue;
    TensorType wanted = type;
    wanted.shape[0] = 1;
    const TensorType& is = given->second.type();
    if (is == wanted || !is_needed(name)) continue;
    if (is.shape == wanted.shape && is.dtype != wanted.dtype)
      raise(invalid_argument("the samples of '" + name + "' have the element type " + name_of(is.dtype) +
                                 ", and the model reads " + name_of(wanted.dtype),
                             conversion_to(wanted.dtype)));
    raise(invalid_argument(
        "a sample of '" + name + "' is " + to_string(is) + ", and the model reads " + to_string(wanted),
        "choose the sizes of the model with --size, or other samples with --dataset or --samples"));
  }
}

data::Dataset with_types_of(const Graph& graph, data::Dataset samples) {
  std::set<std::string> rounded;  // the inputs whose samples are rounded
  const Batch sample = *samples.batch(1).begin();
  for (const auto& [name, type] : graph.inputs())
    if (const auto given = sample.find(name);
        type.dtype == DType::bf16 && given != sample.end() && given->second.dtype() == DType::f32)
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

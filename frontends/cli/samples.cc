#include "frontends/cli/samples.h"

#include <cutset/random_batch.h>

#include <algorithm>

#include "frontends/cli/options.h"
#include "frontends/cpp/failure.h"
#include "runtime/files/npy.h"

namespace cutset::cli {
namespace {

constexpr char kFashionMnist[] = "fashion-mnist", kRandom[] = "random";

data::Dataset read(const std::vector<std::string>& files, const char* option) {
  Batch tensors;
  for (const std::string& item : files) {
    const auto [name, file] = sides_of(item, option, "NAME=FILE.npy");
    if (!tensors.emplace(name, check(read_npy(file))).second)
      raise(invalid_argument(std::string(option) + " names '" + name + "' twice"));
  }
  return data::from_tensors(std::move(tensors));
}

// Four batches of random samples, which every epoch repeats.
data::Dataset random_samples(const Graph& graph, uint64_t seed) {
  constexpr int64_t kBatches = 4;
  Batch all;
  for (const auto& [name, type] : graph.inputs()) {
    TensorType larger = type;
    if (type.rank() == 0)
      raise(invalid_argument("the input '" + name + "' has no first dimension, so it cannot be divided into samples"));
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

}  // namespace

void SampleOptions::add_to(CLI::App& app, bool evaluates) {
  app.add_option("--dataset", dataset,
                 "the samples: fashion-mnist, or random (four batches that are drawn once, to measure times); default: "
                 "fashion-mnist for models of its images")
      ->check(CLI::IsMember({kFashionMnist, kRandom}));
  app.add_option("--data", data, "folder with the four IDX files of Fashion-MNIST, plain or .gz")
      ->envname("CUTSET_DATA");
  app.add_option("--samples", samples,
                 "NAME=FILE.npy, once per input of the model, also for 'label': row i of a file is sample i; replaces "
                 "--dataset")
      ->take_all();
  if (!evaluates) return;
  app.add_option("--test-samples", test_samples, "NAME=FILE.npy, as --samples, for the evaluation after each epoch")
      ->take_all();
}

std::string SampleOptions::dataset_for(const Graph& graph) const {
  if (!dataset.empty()) return dataset;
  for (const auto& [name, type] : graph.inputs())
    if (name == "image" && type.rank() == 4 && Shape(type.shape.begin() + 1, type.shape.end()) == Shape{1, 28, 28})
      return kFashionMnist;
  return "";
}

data::Dataset SampleOptions::training(const Graph& graph, uint64_t seed) const {
  if (!samples.empty()) return read(samples, "--samples");
  const std::string name = dataset_for(graph);
  if (name.empty())
    raise(invalid_argument("no samples are given, and the model does not read the images of Fashion-MNIST",
                           "give --samples NAME=FILE.npy once per input, or --dataset random"));
  return name == kRandom ? random_samples(graph, seed) : data::fashion_mnist("train", data);
}

std::optional<data::Dataset> SampleOptions::test(const Graph& graph) const {
  if (!test_samples.empty()) return read(test_samples, "--test-samples");
  if (!samples.empty() || dataset_for(graph) != kFashionMnist) return std::nullopt;
  return data::fashion_mnist("test", data);
}

void check_samples(const Graph& graph, const data::Dataset& samples) {
  const Batch sample = *samples.batch(1).begin();
  for (const auto& [name, type] : graph.inputs()) {
    const auto given = sample.find(name);
    if (given == sample.end() || type.rank() == 0) continue;  // the session says which inputs a function needs
    TensorType wanted = type;
    wanted.shape[0] = 1;
    if (given->second.type() != wanted)
      raise(
          invalid_argument("a sample of '" + name + "' is " + to_string(given->second.type()) +
                               ", and the model reads " + to_string(wanted),
                           "choose the sizes of the model with --size, or other samples with --dataset or --samples"));
  }
}

}  // namespace cutset::cli

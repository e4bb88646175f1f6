// SPDX-License-Identifier: Apache-2.0
// The options of commands that read samples, and the functions that read the samples.
#pragma once
#include <cutset/data.h>
#include <cutset/graph.h>

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontends/cli/output/outputs.h"
#include "runtime/data/named_datasets.h"

namespace cutset::cli {

// Where samples come from (files of arrays, or a data set by name), and how they are changed.
struct SampleOptions {
  std::string dataset, data;  // the name of the data set, and its folder or file; empty: the default
  std::string test_data;      // the file of the samples for evaluation; empty: the default
  std::vector<std::string> samples, test_samples;  // NAME=FILE.npy
  int64_t crop = 0;                 // zeros added around an image before a random part is cropped; 0: no crop
  bool flip = false;                // whether half of the images are flipped
  std::vector<float> mean, stddev;  // one number per channel of images; empty: no normalization
  std::optional<int32_t> padding_id;  // fills lists of ids; std::nullopt: the default

  // Adds the options to a command. With `evaluates`, also adds the options of crops, flips and the samples
  // for evaluation.
  void add_to(CLI::App& app, bool evaluates = false);

  // Adds the files and folders of the samples to the inputs of a command.
  void add_inputs(OutputFiles& outputs) const;
  // Returns a text that says what the samples are and how they are changed. It does not depend on where files
  // are.
  std::string description() const;
  // Throws a cutset::Error if an option would have no effect together with the others.
  void check_use() const;
  // Whether the options name samples.
  bool has_samples() const { return !(samples.empty() && dataset.empty()); }
  // Whether the options name samples, or the model has samples by default.
  bool has_samples_for(const Graph& graph) const { return has_samples() || !dataset_for(graph).empty(); }
  // Returns the samples for training. `seed` is the seed of random samples, crops and flips. If `sum` is not
  // null, reads all samples and sets `sum` to their checksum, as they are stored
  // (frontends/cpp/training/sample_checksum.h). Throws a cutset::Error if a file is missing or malformed, or
  // if the options name no samples and a model with the inputs of `graph` has none by default.
  data::Dataset training(const Graph& graph, uint64_t seed, std::string* sum = nullptr) const;
  // Returns the input of `graph` that gets the words of the data set `text`, or an empty name for other
  // samples.
  std::string input_of_words(const Graph& graph) const;
  // Returns the samples for evaluation, if there are any. `sum` is as above.
  std::optional<data::Dataset> test(const Graph& graph, std::string* sum = nullptr) const;

 private:
  // Returns the number that fills lists of ids for the input `input`: the number that the graph treats as
  // padding in this input, or else the number in the options. Throws a cutset::Error if these differ.
  std::optional<int32_t> padding_of(const Graph& graph, const std::string& input) const;
  // Returns the name of the data set, or an empty text if there is none for the model.
  std::string dataset_for(const Graph& graph) const;
  // Reads the samples of the data set `from` in the folder or file `path`. If `path` is empty, it is the
  // default of the data set.
  data::Dataset read(const NamedDataset& from, const std::string& path, bool for_test,
                     const Graph& graph) const;
  // Applies --mean and --std to the samples, and, if they are for training, --random-crop and --random-flip.
  data::Dataset changed(data::Dataset samples, bool for_test, uint64_t seed) const;
};

// Throws a cutset::Error that names the input in these cases:
// - The samples lack an input of the graph that `needed` returns.
// - The samples have another element type or another size, except the first size, than the input.
// - The samples have an array that is not an input of the graph.
//
// `needed` is called only if an input does not fit, because it may take as long as a part of a compilation.
// `option` is the option that names the files of the samples, for errors.
void check_samples(const Graph& graph, const std::function<std::set<std::string>()>& needed,
                   const data::Dataset& samples, const std::string& option = "--samples");

// Returns the samples in the types of the graph: f32 is rounded to bf16 where the graph reads bf16, because
// NumPy has no bf16.
data::Dataset with_types_of(const Graph& graph, data::Dataset samples);

// Returns the samples without the last samples, if these do not fill a batch, for models that run with whole
// batches. Throws a cutset::Error if there is no whole batch. `what` names the samples in the error.
data::Dataset without_remainder(const data::Dataset& all, int64_t batch, const std::string& what);

}  // namespace cutset::cli

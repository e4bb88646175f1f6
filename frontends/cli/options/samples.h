// SPDX-License-Identifier: Apache-2.0
// The options of commands that read samples, and the samples.
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

// Where samples come from: files of arrays, or a data set by name.
struct SampleOptions {
  std::string dataset, data;  // the name of the data set, and its folder or file; empty: by default
  std::string test_data;      // the file of the samples for evaluation; empty: the default
  std::vector<std::string> samples, test_samples;  // NAME=FILE.npy
  int64_t crop = 0;                   // zeros around an image, of which a random part is taken; 0: no crop
  bool flip = false;                  // whether half of the images are flipped
  std::vector<float> mean, stddev;    // of the channels of images; empty: no normalization
  std::optional<int32_t> padding_id;  // fills lists of ids; std::nullopt: the default

  // Adds the options to a subcommand; with `evaluates`, also those of crops, flips and the samples for
  // evaluation.
  void add_to(CLI::App& app, bool evaluates = false);

  // Adds the files and folders of the samples to what a command reads.
  void add_inputs(OutputFiles& outputs) const;
  // What the samples are and how they are changed, as one text that does not depend on where files are.
  std::string description() const;
  // Throws a cutset::Error if an option would not be used beside the others.
  void check_use() const;
  // Whether the options name samples.
  bool has_samples() const { return !(samples.empty() && dataset.empty()); }
  // Whether the options name samples, or the model has samples by default.
  bool has_samples_for(const Graph& graph) const { return has_samples() || !dataset_for(graph).empty(); }
  // The samples for training. Throws a cutset::Error if a file is missing or malformed, or if there are no
  // samples by default for a model with the inputs of `graph`. `seed` is that of random samples and of the
  // crops and flips. If `sum` is not null, it is set to a checksum of the samples as they are stored
  // (frontends/cpp/training/sample_checksum.h), for which all of them are read.
  data::Dataset training(const Graph& graph, uint64_t seed, std::string* sum = nullptr) const;
  // The input of `graph` that has the words of --dataset text; empty for other samples.
  std::string input_of_words(const Graph& graph) const;
  // The samples for evaluation, if there are any. `sum` is as above.
  std::optional<data::Dataset> test(const Graph& graph, std::string* sum = nullptr) const;

 private:
  // What fills lists of ids for the input `input`: the number that the graph does not take for an id there,
  // or that of the options. Throws a cutset::Error if these differ.
  std::optional<int32_t> padding_of(const Graph& graph, const std::string& input) const;
  // The name of the data set, or an empty text if there is none for the model.
  std::string dataset_for(const Graph& graph) const;
  // The samples of the data set `from` in `path`, a folder or file; empty: its default.
  data::Dataset read(const NamedDataset& from, const std::string& path, bool for_test,
                     const Graph& graph) const;
  // The samples with --random-crop and --random-flip, unless they are for evaluation, and with --mean and
  // --std.
  data::Dataset changed(data::Dataset samples, bool for_test, uint64_t seed) const;
};

// Throws a cutset::Error that names the input unless the samples have each input of the graph that `needed`
// names, with its element type and its sizes except the first, and nothing that is not an input of the graph.
// `needed` is called only if an input does not fit, because listing the inputs of a function takes as long as
// a part of its compilation. `option` is that of the files of the samples, for errors.
void check_samples(const Graph& graph, const std::function<std::set<std::string>()>& needed,
                   const data::Dataset& samples, const std::string& option = "--samples");

// The samples with those of f32 rounded to bf16 where the graph reads bf16, because NumPy has no bf16.
data::Dataset with_types_of(const Graph& graph, data::Dataset samples);

// The samples without those at the end that do not fill a batch, for models that the command runs with whole
// batches. Throws a cutset::Error if there is no whole batch; `what` names the samples in it.
data::Dataset without_remainder(const data::Dataset& all, int64_t batch, const std::string& what);

}  // namespace cutset::cli

// SPDX-License-Identifier: Apache-2.0
// The samples of a training run.
#pragma once
#include <cutset/cutset.h>

#include <optional>
#include <string>

#include "frontends/cli/train/training_options.h"

namespace cutset::cli {

// The samples. They are read once, and all runs share them.
struct TrainingData {
  data::Dataset training;
  std::optional<data::Dataset> test;  // without it, there is no evaluation
  bool whole_batches = false;         // whether samples that do not fill a batch are left out
  std::string source;                 // a description of the samples and their order, for checkpoints
  std::string contents;       // a hash of the samples; empty if the run reads and writes no checkpoint
  std::string test_contents;  // a hash of the samples for evaluation, in the same way
  std::string words;          // the input that has the words of --dataset text; empty for other samples
};

// Reads the samples and their order. Throws a cutset::Error if a file is missing or malformed.
TrainingData read_training_data(const TrainingOptions& options);

// Checks that the samples have the inputs that the functions of the graph read, or throws a cutset::Error. If
// the model needs whole batches, an evaluation leaves out the last samples that do not fill a batch. With
// `notes`, prints how many samples every epoch and every evaluation leave out, and how many words are not in
// the vocabulary.
void fit_to_graph(TrainingData& data, const Graph& graph, int64_t batch, bool notes);

}  // namespace cutset::cli

// SPDX-License-Identifier: Apache-2.0
// Models with different forms of losses (sums, means over a mask, losses over variables) and runs with
// different batch sizes. Tests compare replicas with one device, including unequal shares and fewer samples
// than replicas.
#pragma once
#include <cutset/cutset.h>

#include <string>
#include <vector>

#include "tests/equivalence/support/runs.h"

namespace cutset::testing {

struct LossForm {
  const char* name;
  Graph (*build)(int64_t batch, uint64_t seed);
  std::vector<int64_t>
      batches;  // the sizes of the batches of a run, in order; the graph is built for the first size
  const char *devices, *strategy;
  Batch (*feed)(int64_t batch, uint64_t seed, uint64_t step) = noise;
};
const std::vector<LossForm>& loss_forms();

struct FormRun {
  std::vector<double> loss;                         // the loss of every step
  std::map<std::string, HostTensor> before, after;  // the variables before and after the run
  // The copies of variables that were not bitwise equal after a step: "@w, copy 1, after step 2".
  std::vector<std::string> different_copies;
};
// Trains with one batch of form.feed for each of form.batches, and does so `repeat` times.
FormRun train(const LossForm& form, const CompileOptions& options, uint64_t seed, int repeat = 1);

// The largest relative difference of a loss, and the largest change_difference (runs.h) of a variable.
struct FormDifference {
  double loss = 0, change = 0;
  bool holds() const { return loss <= 1e-5 && change <= 1e-4; }
};
FormDifference differences(const FormRun& got, const FormRun& want);

// Return a network with a batch normalization, whose statistics are sums over the whole batch, and a network
// with an embedding, an attention and a layer normalization.
Graph normalized_loss(int64_t batch, uint64_t seed);
Graph attention_loss(int64_t batch, uint64_t seed);
// Returns the simplest of the models: the loss is the mean over the batch, and the logits are an output.
Graph mean_loss(int64_t batch, uint64_t seed);

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Models whose inputs have the batch in different dimensions, or several rows per sample, with batches of
// noise for them.
#pragma once
#include <cutset/cutset.h>

#include <cstdint>

namespace cutset::testing {

// Returns a transformer over words. Its inputs are tokens [B, S], labels [B*S], one per row of the logits
// [B*S, V], and a causal mask [S, S] without a batch. The loss is the mean over the rows whose label is not
// 0. Random numbers scale the activations before and after the reshape. The logits are an output.
Graph language_model(int64_t batch, uint64_t seed);
// Returns a recurrent network over x [T, B, F] and labels [T, B]. The batch is the second dimension of both,
// and of the output "states" [T, B, H].
Graph time_major(int64_t batch, uint64_t seed);

// Return batches for these models. They depend only on the arguments.
Batch tokens_and_labels(int64_t batch, uint64_t seed, uint64_t step);
Batch sequences(int64_t batch, uint64_t seed, uint64_t step);

}  // namespace cutset::testing

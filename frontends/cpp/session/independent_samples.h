// SPDX-License-Identifier: Apache-2.0
// Functions whose results for a sample depend on this sample alone. Such a function of a saved program takes
// any number of samples.
#pragma once
#include "frontends/cpp/bridge/bridge.h"
#include "frontends/cpp/session/batch_tensors.h"
#include "frontends/cpp/session/run_function.h"

namespace cutset {

// Sets Function::samples, and Port::batch of its ports, of each function of `program`, the compiled `graph`,
// that computes every sample by itself. The proof is the function for replicas of one sample and of many
// samples.
void mark_independent_samples(const GraphSnapshot& graph, Program& program);

// The number of samples in a batch for the function, if it computes every sample by itself and all sizes but
// those of the batch are the ones that it was compiled for.
std::optional<int64_t> samples_of(const Function& function, const BatchTensors& tensors);

// Runs `function` for `samples` samples: in parts of the number of samples that it was compiled for, of which
// the last one is filled with copies of its last sample. Their results are not returned.
Result<Outputs> run_in_parts(Executable& executable, const Function& function, const BatchTensors& tensors,
                             int64_t samples, const InputNames& inputs, Feeds& feeds);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Functions whose results for a sample depend on this sample alone. Such a function of a saved program takes
// any number of samples.
#pragma once
#include "frontends/cpp/bridge/bridge.h"
#include "frontends/cpp/session/batch_tensors.h"
#include "frontends/cpp/session/run_function.h"

namespace cutset {

// Finds the functions of `program`, the compiled `graph`, that compute every sample by itself, and sets their
// Function::samples and the Port::batch of their ports. To find them, compiles the graph for replicas of one
// sample and of many samples, and compares the functions.
void mark_independent_samples(const GraphSnapshot& graph, Program& program);

// Returns the number of samples in a batch for the function. Returns nothing if the function does not compute
// every sample by itself, or if another size than the size of the batch differs from the compiled size.
std::optional<int64_t> samples_of(const Function& function, const BatchTensors& tensors);

// Runs `function` for `samples` samples in parts. Each part has the number of samples that the function was
// compiled for. Copies of the last sample fill the last part; their results are not returned.
Result<Outputs> run_in_parts(Executable& executable, const Function& function, const BatchTensors& tensors,
                             int64_t samples, const InputNames& inputs, Feeds& feeds);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// One run of a function. Sessions and saved programs share it.
#pragma once
#include <cutset/outputs.h>

#include "frontends/cpp/session/batch_tensors.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/feeds.h"

namespace cutset {

// Runs `function` of the executable's program and returns its results by name. `feeds.step` is the number of
// training steps that were committed. A function that commits a step gets the next number, and `feeds.step`
// keeps it if the run succeeds. Other functions get the number unchanged. `landing` may hold the tensors
// (Executable::copy_ahead).
Result<Outputs> run_function(Executable& executable, const Function& function, const BatchTensors& tensors,
                             Feeds& feeds, Landing* landing = nullptr);

}  // namespace cutset

// One run of a function, as sessions and saved programs make it.
#pragma once
#include <cutset/outputs.h>

#include "frontends/cpp/batch_tensors.h"
#include "runtime/executable.h"
#include "runtime/feeds.h"

namespace cutset {

// Runs `function` of the executable's program and returns its results by name. `feeds.step` is the number of training
// steps that were committed: a run that commits one is fed the next number, and any other run is fed this one. It grows
// by a run that commits and succeeds.
Result<Outputs> run_function(Executable& executable, const Function& function, const BatchTensors& tensors,
                             Feeds& feeds);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/run_function.h"

namespace cutset {
namespace {

// Counts a step, and takes the count back in its destructor unless keep() was called.
class CountedStep {
 public:
  CountedStep(uint64_t& steps, bool commits) : steps_(steps), before_(steps) { steps_ += commits ? 1 : 0; }
  ~CountedStep() {
    if (!kept_) steps_ = before_;
  }
  CountedStep(const CountedStep&) = delete;
  void keep() { kept_ = true; }

 private:
  uint64_t& steps_;
  const uint64_t before_;
  bool kept_ = false;
};

}  // namespace

Result<Outputs> run_function(Executable& executable, const Function& function, const BatchTensors& tensors,
                             Feeds& feeds, Landing* landing) {
  // The results get their memory before the run, so that nothing can fail when the step is committed.
  Outputs results;
  for (const Port& output : function.outputs) results.emplace(output.name, HostTensor());
  CountedStep step(feeds.step, executable.commits(function.name));
  CUTSET_ASSIGN(const auto values, executable.run(function.name, tensors.tensors(), feeds, landing));
  step.keep();
  for (size_t i = 0; i < function.outputs.size(); ++i)
    results.emplace(function.outputs[i].name, std::move(values[i]));
  return results;
}

}  // namespace cutset

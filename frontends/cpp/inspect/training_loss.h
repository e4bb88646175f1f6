// SPDX-License-Identifier: Apache-2.0
// The loss that a training step minimizes, as a function of the variables alone, for the check of gradients
// (<cutset/testing.h>).
#pragma once
#include <cutset/session.h>

#include <map>
#include <optional>
#include <string>

namespace cutset::testing {

// Computes the loss of the function "train" in f64 on the reference device, without a step: it takes the
// training branch of every Graph::when_training, draws the random numbers of the first step, and reads no
// averages.
//
// detach() makes a value a constant for the gradient. Each detached value is therefore computed once, for the
// variables with which the object is made, and keeps this value when the variables change. For detach(x,
// unless) this holds for the elements that are detached.
class TrainingLoss {
 public:
  // Prepares the loss. `session` is a session of `graph` in f64 before its first step; its variables and
  // hyper-parameters are used. The batch must be valid for "train". Throws a cutset::Error if the graph does
  // not compile for the shapes of the batch.
  TrainingLoss(const Graph& graph, const Session& session, const Batch& batch);
  // Sets a variable. A variable that the loss does not read is ignored.
  void set_variable(const std::string& name, const HostTensor& value);
  // Returns the loss for the current values of the variables.
  double value();

 private:
  std::optional<Session> session_;
  Batch batch_;  // also has the step and the detached values
};

}  // namespace cutset::testing

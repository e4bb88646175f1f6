// SPDX-License-Identifier: Apache-2.0
// A graph that is compiled twice for each shape of its batches: for the devices of the options, and for one
// reference device.
#pragma once
#include <cutset/verify.h>

#include <memory>

#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/batch_tensors.h"
#include "runtime/files/safetensors.h"
#include "runtime/verify/mutate.h"
#include "runtime/verify/verify.h"

namespace cutset {

// The programs of one verification. It may run several times, with the original program or with mutants of
// it.
class Verification {
 public:
  // Compiles the graph for the shapes of each batch. There must be at least one batch. As in a session, all
  // programs have the placement of the program for the shapes of the graph.
  static Result<Verification> prepare(GraphState& graph, const CompileOptions& options,
                                      std::span<const Batch> batches);

  // Returns the program for the shapes of the first batch.
  const Program& program() const { return forms_.front().program; }
  const DeviceList& devices() const { return devices_; }
  const std::string& strategy() const { return strategy_; }

  // Steps through `program`, which is program() or a mutant of it, and compares it with the reference. A
  // batch whose shapes differ from the first batch runs the program for its shapes. Fails if a device fails
  // or a batch does not fit. A program that does not finish is reported as the last difference.
  Result<VerifyReport> run(const Program& program, std::span<const Batch> batches) const;
  // Runs `program` alone and returns the bytes of all results and variables. If a run fails, the bytes end
  // with the text of the error.
  Result<std::string> values(const Program& program, std::span<const Batch> batches) const;

 private:
  using Shapes = std::vector<Shape>;  // the shapes of the inputs of the graph
  // The two programs for the shapes of one batch.
  struct Form {
    Shapes shapes;
    Program program, reference;
  };
  // Returns the shapes of the inputs of the graph for a batch. An input that the batch lacks keeps its
  // declared shape, and running a function that reads it fails.
  Shapes shapes_of(const Batch& batch) const;
  Result<size_t> form_of(const Batch& batch) const;

  std::vector<std::pair<std::string, TensorType>> graph_inputs_;
  std::vector<Form> forms_;
  DeviceList devices_, reference_devices_;
  TensorMap initial_;
  std::string strategy_;
  InputNames inputs_;  // the names of graph_inputs_
};

}  // namespace cutset

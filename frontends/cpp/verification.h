// A graph compiled twice for each shape of its batches: for the devices asked for, and for the reference device
// alone.
#pragma once
#include <cutset/verify.h>

#include <memory>

#include "frontends/cpp/batch_tensors.h"
#include "frontends/cpp/compilation.h"
#include "runtime/verify/mutate.h"
#include "runtime/verify/verify.h"

namespace cutset {

class Verification {
 public:
  // For batches of the shapes of these, of which there is at least one. Programs of later shapes are placed as the
  // first is, as a session places them.
  static Result<Verification> prepare(GraphState& graph, const CompileOptions& options, std::span<const Batch> batches);

  const Program& program() const { return forms_.front().program; }  // for the shapes of the first batch
  const DeviceList& devices() const { return devices_; }
  const std::string& strategy() const { return strategy_; }

  // Walks `program` (this one's, or a mutant of it) beside the reference. Batches of shapes other than those of the
  // first run the programs for theirs. Fails where a device does or a batch does not fit; a walk that gets stuck is
  // the last difference of the report.
  Result<VerifyReport> run(const Program& program, std::span<const Batch> batches) const;
  // All results and variables of running it by itself, as bytes; an error is part of them.
  Result<std::string> values(const Program& program, std::span<const Batch> batches) const;

 private:
  using Shapes = std::vector<Shape>;  // of the inputs of the graph
  struct Form {
    Shapes shapes;
    Program program, reference;
  };
  Result<Shapes> shapes_of(const Batch& batch) const;
  Result<size_t> form_of(const Batch& batch) const;

  std::vector<std::pair<std::string, TensorType>> graph_inputs_;
  std::vector<Form> forms_;
  DeviceList devices_, reference_devices_;
  TensorMap drawn_;
  std::string strategy_;
  InputNames inputs_;  // of the graph
};

}  // namespace cutset

// A graph compiled twice: for the devices asked for, and for the reference device alone.
#pragma once
#include <cutset/verify.h>

#include <memory>

#include "frontends/cpp/compilation.h"
#include "runtime/verify/mutate.h"
#include "runtime/verify/verify.h"

namespace cutset {

class Verification {
 public:
  // For batches of the shapes of `batch`.
  static Result<Verification> prepare(GraphState& graph, const CompileOptions& options, const Batch& batch);

  const Program& program() const { return program_; }
  const DeviceList& devices() const { return devices_; }
  const std::string& strategy() const { return strategy_; }

  // Walks `program` (this one's, or a mutant of it) beside the reference. A walk that gets stuck is the last
  // difference of the report.
  Result<VerifyReport> run(const Program& program, std::span<const Batch> batches) const;
  // All results and variables of running it by itself, as bytes; an error is part of them.
  Result<std::string> values(const Program& program, std::span<const Batch> batches) const;

 private:
  Result<std::vector<const HostTensor*>> inputs(const Function& function, const Batch& batch,
                                                std::vector<HostTensor>& wide) const;

  Program program_, reference_;
  DeviceList devices_, reference_devices_;
  TensorMap drawn_;
  std::string strategy_;
};

}  // namespace cutset

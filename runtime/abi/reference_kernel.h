// SPDX-License-Identifier: Apache-2.0
// The reference kernels of the op folders as kernels of a host device, one per op. They need scratch memory
// for 16-bit floats only.
#pragma once
#include <string>
#include <vector>

#include "ir/core/op/reference_run.h"
#include "runtime/abi/cutset_device.h"

// The version is a part of the names, so that a backend of another version cannot be linked with these
// functions.
namespace cutset::abi::inline v2 {

// Returns the kernels, named "NAME.reference", in the alphabetical order of the ops. They live as long as the
// process.
const std::vector<const cutset_kernel*>& reference_kernels();

// A reference kernel that is prepared for a problem and runs on host memory. One thread at a time may use it.
class ReferencePlan {
 public:
  // Returns an empty string if the types of the problem exist, and otherwise the reason.
  static std::string supports(const cutset_problem& problem);
  // Returns the bytes of scratch memory of each run.
  static uint64_t scratch(const cutset_problem& problem) { return ReferencePlan(problem).scratch_bytes(); }
  // The problem and everything that it points to must outlive this object.
  explicit ReferencePlan(const cutset_problem& problem);
  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  uint64_t scratch_bytes() const { return run_.scratch_bytes(); }
  // Sets the host address of an operand or result of the next run. An operand that is read only for its type
  // may stay null.
  void set_input(size_t i, void* address) { in_[i].data = address; }
  void set_output(size_t i, void* address) { out_[i].data = address; }
  // Sets the host address of the scratch memory of the next run, which a plan without scratch memory does not
  // need.
  void set_scratch(void* address) { scratch_ = address; }
  // Computes the results. Returns null for success, and otherwise an error. Allocates no memory if it
  // succeeds.
  const cutset_error* run();

 private:
  std::vector<TensorView> in_, out_;
  void* scratch_ = nullptr;
  ReferenceRun run_;
};

}  // namespace cutset::abi::inline v2

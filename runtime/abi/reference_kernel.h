// The reference kernels of the op folders as kernels of a host device, one per op. They need no scratch memory.
#pragma once
#include <string>
#include <vector>

#include "ir/core/tensor_view.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {
struct OpInfo;
}

// The version is a part of the names, so that a backend of another version cannot be linked with these functions.
namespace cutset::abi::inline v2 {

// Returns the kernels, named "NAME.reference", in the alphabetical order of the ops. They live as long as the process.
const std::vector<const cutset_kernel*>& reference_kernels();

// A reference kernel that is prepared for a problem and runs on host memory. One thread at a time may use it.
class ReferencePlan {
 public:
  // Returns an empty string if the reference kernel computes in the types of the problem, and otherwise the reason.
  static std::string supports(const cutset_problem& problem);
  // The problem and everything that it points to must outlive this object.
  explicit ReferencePlan(const cutset_problem& problem);
  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  // Sets the host address of an operand or result of the next run. An operand of which only the type is read may stay
  // null.
  void set_input(size_t i, void* address) { in_[i].data = address; }
  void set_output(size_t i, void* address) { out_[i].data = address; }
  // Computes the results. Returns null for success, and otherwise an error. Allocates no memory if it succeeds.
  const cutset_error* run() const;

 private:
  const OpInfo& op_;
  const void* attributes_;
  std::vector<TensorView> in_, out_;
};

}  // namespace cutset::abi::inline v2

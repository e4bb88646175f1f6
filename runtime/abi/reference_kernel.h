// The reference kernels of the op folders as kernels of a host device, one per op. They need no scratch memory.
#pragma once
#include <vector>

#include "ir/core/tensor_view.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {
struct OpInfo;
}

namespace cutset::abi {

// Returns the kernels, named "NAME.reference", in the alphabetical order of the ops. They live as long as the process.
const std::vector<cutset_kernel>& reference_kernels();

// A reference kernel that is bound to host memory.
class BoundReference {
 public:
  // Returns null if the reference kernel computes in the types of the problem, and otherwise the reason, which is valid
  // until the next call into the backend on the same thread.
  static const char* supports(const cutset_problem* problem);
  // `in` and `out` are the host addresses of the operands and results; an operand of which only the type is read is
  // null. The problem and everything that it points to must outlive this object.
  BoundReference(const cutset_problem* problem, void* const* in, void* const* out);
  // Computes the results. Returns null for success, and otherwise an error message. Allocates no memory.
  const char* run() const;

 private:
  const OpInfo* op_;
  const void* attributes_;
  std::vector<TensorView> in_, out_;
};

}  // namespace cutset::abi

// The reference loops of the rooms as kernels of a host device: one kernel an op, no scratch.
#pragma once
#include <vector>

#include "ir/core/tensor_view.h"
#include "runtime/abi/cutset_device.h"

namespace cutset {
struct OpInfo;
}

namespace cutset::abi {

// "NAME.loop" for every op, in alphabetical order. The kernels live as long as the process.
const std::vector<cutset_kernel>& loop_kernels();

// The loop of a problem bound to host memory, `in` and `out` being host addresses (null: type only). The problem and
// what it points to outlive it.
class BoundLoop {
 public:
  BoundLoop(const cutset_problem* problem, void* const* in, void* const* out);
  // Allocates nothing. Null: done; else a sentence.
  const char* run() const;

 private:
  const OpInfo* op_;
  const void* attributes_;
  std::vector<TensorView> in_, out_;
};

}  // namespace cutset::abi

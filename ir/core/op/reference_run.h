// SPDX-License-Identifier: Apache-2.0
// Runs the reference kernel of an op on operands of any element type. For f16 and bf16, the reference kernel
// for f32 runs: operands are converted to f32 first, and f32 results are rounded to 16 bits at the end. An op
// with OpInfo::converts_halves does this itself, or moves the bits.
#pragma once
#include <vector>

#include "ir/core/op/op_info.h"

namespace cutset {

// A reference kernel for operands and results of given types. One thread at a time may use it.
class ReferenceRun {
 public:
  // Reads only the types of the views. The shapes of the views and `attributes` must outlive this object.
  ReferenceRun(const OpInfo& op, const void* attributes, Views in, Views out);
  // Returns the bytes of scratch memory for each run.
  uint64_t scratch_bytes() const { return scratch_bytes_; }
  // Computes the results. The views must have the types that the constructor got. `scratch` must be aligned
  // to alignof(float). Allocates no memory if it succeeds.
  Status run(Views in, Views out, void* scratch);

 private:
  // A 16-bit tensor, and the offset of its f32 numbers in the scratch memory.
  struct Half {
    bool result;
    size_t index;
    DType type;
    int64_t elements;
    uint64_t offset;
  };
  void widen(Views views, bool result, std::vector<TensorView>& wide);

  const OpInfo& op_;
  const void* attributes_;
  std::vector<Half> halves_;
  std::vector<TensorView> in_, out_;  // the views of the f32 kernel
  uint64_t scratch_bytes_ = 0;
};

// Runs a reference kernel once. Allocates scratch memory if the op needs it.
Status run_reference(const OpInfo& op, const void* attributes, Views in, Views out);

}  // namespace cutset

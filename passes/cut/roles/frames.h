// SPDX-License-Identifier: Apache-2.0
// Groups the values of micro-batches that the roles of a device hand to one another into frames.
//
// Problem: a stage keeps many values of a micro-batch between its calls: activations for the backward pass,
//   and the partial sums of all its variables. If each call listed each of them, everything after `cut` would
//   take time in proportion to values times micro-batches.
// Method: values that one role computes and that the same other roles of the device read are a frame, which
//   calls pass as one value. Partial sums are a frame if, for every class of micro-batches, one role computes
//   them for the same micro-batches. A value that leaves the device, or that an op without a micro-batch
//   reads, is in no frame.
// Complexity: O(n log n) for n ops and operands. Failure: none.
#pragma once
#include "passes/cut/roles/partition.h"

namespace cutset::passes {

// Values of the function that calls pass as one value.
struct ValueGroup {
  llvm::SmallVector<mlir::Value, 1> values;
  bool frame = false;  // false: it is one value, which calls pass as a tensor
  // Returns the type of the value that calls pass.
  mlir::Type type() const;
  // Returns the value by which the group is known.
  mlir::Value key() const { return values.front(); }
};
// Returns the types of all values of the groups, in order.
llvm::SmallVector<mlir::Type> types_of(llvm::ArrayRef<ValueGroup> groups);

class Frames {
 public:
  Frames(mlir::func::FuncOp function, const Partition& partition);

  // Divides the values that a role takes or returns into groups, in the order of their first values. The
  // values of a frame have the order of the frame.
  llvm::SmallVector<ValueGroup> groups_of(llvm::ArrayRef<mlir::Value> values) const;
  // Returns the number of the frame in which the value is; -1: it is in none.
  int64_t number_of(mlir::Value value) const;

 private:
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> frames_;
  llvm::DenseMap<mlir::Value, int64_t> number_;
};

}  // namespace cutset::passes

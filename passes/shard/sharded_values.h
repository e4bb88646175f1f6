// SPDX-License-Identifier: Apache-2.0
// Holds the forms of each value while `shard` copies a function for the devices of a tensor axis, and makes
// one form from another.
//
// Forms: every device has the whole value; each device has a piece along a dimension; or each device has a
//   partial sum of the full size. The conversions:
//     pieces -> whole:          all_gather: one `concat` per device
//     pieces -> other pieces:   all_to_all: `slice` and `concat`
//     partial sums -> whole:    `all_reduce`
//     partial sums -> pieces:   reduce_scatter: `slice` and `add_n`
//     whole -> pieces:          one `slice` per device, without a transfer
//   The devices of a pipeline do not reach a micro-batch at the same time, but an `all_reduce` belongs to a
//   whole step. In a pipeline, partial sums therefore become whole by a reduce_scatter and an all_gather. If
//   there are two devices, or if no dimension can be divided, each device adds all partial sums instead. For
//   two devices, this transfers as many bytes. `cut` turns the edges between devices into transfers. Sums are
//   added along the fixed tree of ir/core/sum_tree.h.
// Complexity: O(devices^2) new ops per conversion between pieces or of partial sums without an all_reduce,
//   and O(devices) otherwise. Failure: a diagnostic at an op that cannot be built.
#pragma once
#include <map>

#include "ir/core/piece.h"
#include "ir/structural/structural.h"
#include "passes/shard/piece_units.h"
#include "passes/support/placement/value_origin.h"

namespace cutset::passes {

class ShardedValues {
 public:
  using Values = llvm::SmallVector<mlir::Value>;  // one per device of the axis
  struct Forms {
    std::map<Layout, Values> of;  // kWhole, kPartial or a dimension -> the values
    mlir::Operation* origin =
        nullptr;  // the op of the original function that computes the value; null: an argument
    // Whether the whole values have the same bits on all devices. Devices of different kinds may round
    // differently, so this holds only for values that were transferred, and for values that no device
    // computed.
    bool same_bits = false;
  };

  // New ops are inserted by `builder`, which must outlive this object, and so must `units`, the units of the
  // values. `all_reduces`: whether partial sums become whole by an all_reduce.
  ShardedValues(int64_t devices, const PieceUnits& units, bool all_reduces, mlir::OpBuilder& builder)
      : devices_(devices), units_(units), all_reduces_(all_reduces), b_(builder) {}

  // Returns the forms of `original`; the first call adds an entry. Adding an entry invalidates earlier
  // references.
  Forms& add(mlir::Value original) { return forms_[original]; }
  const Forms& at(mlir::Value original) const { return forms_.at(original); }

  // Returns the value in the layout, one per device. `reader` is the op that needs it; new ops get the
  // placement of the op that computed the value, or else the placement of `reader`.
  mlir::FailureOr<llvm::ArrayRef<mlir::Value>> in(mlir::Value original, Layout layout,
                                                  mlir::Operation* reader);

  // Returns the elements of the piece of device `k` along dimension `d` of the value.
  PieceRange range(mlir::Value original, Layout d, int64_t k) const;
  // Returns the type of the piece of device `k` in the layout.
  mlir::RankedTensorType type(mlir::Value original, Layout layout, int64_t k) const;
  // Returns the piece of device `k`, for the origin of the value. The caller sets the factor and the unit of
  // a partial sum.
  Piece piece(mlir::Value original, Layout layout, int64_t k) const;

 private:
  mlir::FailureOr<Values> convert(mlir::Value original, Forms& forms, Layout layout, mlir::Operation* reader);
  // Returns the dimension along which a sum is scattered and gathered; kWhole: none, each device adds all
  // partial sums.
  Layout scattered_dimension(mlir::Value original) const;
  // Joins, or adds, the parts that all devices have of the piece of one device.
  mlir::FailureOr<Values> exchange(mlir::Value original, Forms& forms, Layout from, Layout to,
                                   mlir::Operation* reader);
  mlir::Value add_along_tree(ir::PlacedBuilder& build, llvm::ArrayRef<mlir::Value> parts);
  mlir::Value slice(ir::PlacedBuilder& build, mlir::Value original, mlir::Value from, Layout layout,
                    int64_t k);
  // Returns the op whose placement the new forms of a value get; null if no op has a placement. The new ops
  // have the mark of this op (kForward).
  static ir::PlacedOpInterface placing_op(const Forms& forms, mlir::Operation* reader);
  ir::Placement placement_of(const Forms& forms, mlir::Operation* reader, int64_t k) const;
  void label(mlir::Value made, mlir::Value original, Layout layout, int64_t k, mlir::Operation* reader);

  const int64_t devices_;
  const PieceUnits& units_;
  const bool all_reduces_;
  mlir::OpBuilder& b_;
  llvm::DenseMap<mlir::Value, Forms> forms_;
};

}  // namespace cutset::passes

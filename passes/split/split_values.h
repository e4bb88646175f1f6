// SPDX-License-Identifier: Apache-2.0
// Holds the shards, the partial sums and the whole copies of each value while `split` divides a function, and
// makes one form from another.
//
// Problem: a sum over all shards must have the same bits for every assignment of shards to replicas.
// Method: partial sums are added along a fixed binary tree over the shards (ir/core/sum_tree.h). Subtrees
//   whose shards belong to one replica are added there by `add_n`; an `all_reduce` adds the rest along the
//   same tree.
// Complexity: O(shards) new ops per value. Failure: a diagnostic at an op that cannot be built.
#pragma once
#include <map>

#include "graph/config/fitted_strategy.h"
#include "ir/structural/structural.h"
#include "passes/split/divide_variables.h"
#include "passes/split/shards.h"
#include "passes/support/placement/value_origin.h"

namespace cutset::passes {

// Whether the op, which `shard` made, adds partial sums of one value. Its result is then a form of the same
// value. If the terms are partial sums of a factor, the result is also a partial sum of this factor.
bool adds_one_value(mlir::Operation* op);

class SplitValues {
 public:
  // The forms of one value of the original function.
  struct Forms {
    Layout layout = kWhole;
    llvm::SmallVector<mlir::Value> shards;  // one value per class of shards, if the layout is not kWhole
    llvm::SmallVector<mlir::Value> whole;   // one value per replica; made at the first use
    std::map<Layout, llvm::SmallVector<mlir::Value>>
        rows;  // layout -> one value per class of shards, cut from `whole`
    std::map<ReplicaPieces, llvm::SmallVector<mlir::Value>> pieces;  // one piece per replica
    Layout joined_along = kWhole;            // for a divided variable: the dimension of its pieces
    llvm::SmallVector<mlir::Value> to_join;  // for a divided variable: the pieces of all its readers
    // For a value that has partial sums: the sums that are left when each replica has added its own partial
    // sums. `ranges` has two numbers per sum: its range of leaves of the tree along which the sums are added.
    // Both are made once, because a sum of micro-batches is accumulated in place.
    llvm::SmallVector<mlir::Value> sums;
    llvm::SmallVector<int64_t> ranges;
    mlir::Operation* origin = nullptr;        // the op that computed the value; null: an argument
    mlir::Operation* gathered_for = nullptr;  // the op for which `whole` was made; null: for all ops
    mlir::StringAttr
        whole_because;  // why the value is whole although the batch is split; null: no rows had to be joined
  };

  // New ops are inserted by `builder`. Both references must outlive this object. `copies`: the number of
  // copies of an op in each replica, one per device of its tensor axis. `divided`: the data that is divided
  // over the replicas. From kGradients on, a replica that needs only a piece of a sum receives only this
  // piece.
  SplitValues(const Shards& shards, int64_t copies, Data::Shard divided, mlir::OpBuilder& builder)
      : shards_(shards), copies_(copies), divided_(divided), b_(builder) {}

  // Returns the forms of `original`; the first call adds an entry. Adding an entry invalidates earlier
  // references.
  Forms& add(mlir::Value original) { return forms_[original]; }
  const Forms& at(mlir::Value original) const { return forms_.at(original); }

  // Returns one value per replica that equals `original`: the value itself, the sum of its partial sums, or
  // its concatenated rows. `reader` is the op that needs it; new ops get the placement of the op that
  // computed the value, or else the placement of `reader`. The pieces of a variable may be joined again for
  // each reader (gathers_for_reader).
  mlir::FailureOr<llvm::ArrayRef<mlir::Value>> whole(mlir::Value original, mlir::Operation* reader);

  // Returns the pieces of the replicas: pieces that exist, slices of the whole values, or sums of slices of
  // the partial sums.
  mlir::FailureOr<llvm::ArrayRef<mlir::Value>> pieces(mlir::Value original, const ReplicaPieces& which,
                                                      mlir::Operation* reader);
  // Returns the number of the piece of a replica among all pieces of the variable. The home of the piece has
  // the same number.
  int64_t number(const ReplicaPieces& which, int64_t replica) const {
    return which.device * shards_.replicas + replica;
  }
  // Returns the piece with a number, for the origin of a value.
  Piece piece(Layout axis, int64_t number) const;
  // Returns the elements that a replica has of `size` elements of a value.
  PieceRange range(const ReplicaPieces& which, int64_t size, int64_t replica) const;

  // Returns one value per class of shards in `layout`: the shards themselves, or slices of the whole values.
  mlir::FailureOr<llvm::ArrayRef<mlir::Value>> shards(mlir::Value original, Layout layout,
                                                      mlir::Operation* reader);

  // Whether one shard has all rows of the value, so that it is the whole value, and its rows along every
  // dimension.
  bool is_one_shard(mlir::Value original) const { return at(original).layout >= 0 && shards_.count() == 1; }

  // Returns a cutset.type_only of the type that the shards of class `shard_class` of `original` has in
  // `layout`.
  mlir::Value type_only(mlir::Value original, Layout layout, size_t shard_class);

 private:
  // Reports that `reader` needs rows of all micro-batches at once.
  mlir::LogicalResult refuse_joined_rows(mlir::Value original, mlir::Operation* reader) const;
  // Makes the whole values of a value that has partial sums.
  mlir::LogicalResult sum(mlir::Value original, Forms& forms);
  // Makes Forms::sums.
  mlir::LogicalResult sum_replicas(mlir::Value original, Forms& forms);
  // Whether `reader` gets its own whole values. The pieces are then read again for this reader, and `cut`
  // begins a role with the reader, so that the memory of the whole value is needed only while this role runs.
  // This holds for variables of two or more dimensions at the level kParameters: smaller variables save less
  // memory than a role costs. The calls of micro-batches share the whole values that were joined before the
  // first call.
  bool gathers_for_reader(mlir::Value original, const Forms& forms, mlir::Operation* reader) const;
  // Makes the whole values of a variable for one reader.
  mlir::LogicalResult gather_for(mlir::Value original, Forms& forms, mlir::Operation* reader);
  // Joins rows or pieces on each replica.
  mlir::LogicalResult join(mlir::Value original, Forms& forms, llvm::ArrayRef<mlir::Value> parts, Layout axis,
                           mlir::Operation* reader);
  // Whether the pieces make a whole value.
  bool is_complete(const ReplicaPieces& which) const { return which.of_piece || copies_ == 1; }
  // Cuts the piece of replica `replica` from a whole value or a partial sum, which is on the device of
  // `build`.
  mlir::Value cut_piece(ir::PlacedBuilder& build, mlir::Value from, const ReplicaPieces& which,
                        int64_t replica);
  // Makes the pieces of a value that has partial sums: a reduce_scatter.
  mlir::LogicalResult scatter(mlir::Value original, Forms& forms, const ReplicaPieces& which,
                              mlir::Operation* reader);
  // Adds all partial sums of each replica. The leaves are the replicas.
  void sum_each_replica(mlir::Value original, Forms& forms);
  // Divides the shards [first, last) along the tree into the largest ranges that belong to one replica, and
  // adds the partial sums of each range. The leaves are the shards.
  void gather(mlir::Value original, Forms& forms, int64_t first, int64_t last);
  // Adds the partial sums of the shards [first, last), which belong to one replica: along the tree, or in the
  // order of `cut` if they are micro-batches. Returns null if an op cannot be built.
  mlir::Value add(mlir::Value original, Forms& forms, int64_t first, int64_t last);
  int64_t count() const { return static_cast<int64_t>(shards_.count()); }
  ir::OriginAttr origin_of_whole(mlir::Value original) const;
  // Returns the origin of the sum over the shards [first, last).
  ir::OriginAttr range_origin(mlir::Value original, int64_t first, int64_t last) const {
    return range_origin(original, first, last, piece_of_value(original));
  }
  ir::OriginAttr range_origin(mlir::Value original, int64_t first, int64_t last, const Piece& piece) const;
  static Piece piece_of_value(mlir::Value original);
  int factor_of(mlir::Value original) const;

  // Returns the placement in replica `replica` of a new op that makes another form of a value.
  ir::Placement placement_of(mlir::Operation* computed_by, int64_t replica,
                             mlir::Operation* reader = nullptr) const;

  const Shards& shards_;
  const int64_t copies_;
  const Data::Shard divided_;
  mlir::OpBuilder& b_;
  llvm::DenseMap<mlir::Value, Forms> forms_;
};

}  // namespace cutset::passes

// SPDX-License-Identifier: Apache-2.0
// The units in which the dimensions of values are divided into pieces.
//
// Problem: a reshape from 6x512 to 6x8x64 keeps a division of the 512 columns only if no piece ends inside a
//   head of 64 columns. The sharding rule of the reshape says so: its factor has the unit 64 in the operand
//   and 1 in the result (ir/core/op/sharding_rule.h). Other ops hand the units on: the product that computes
//   the 6x512 must also divide the columns of its weights in units of 64. Find for each dimension of each
//   value the smallest unit that all its ops accept.
// Method: every dimension begins with the unit 1, except that a variable that is already divided has a fixed
//   unit. A factor raises the units of its dimensions to their least common multiple, until nothing changes.
//   A factor that would leave fewer units than devices, or that would change a fixed unit, is not usable and
//   changes nothing.
// Complexity: O(e log s) for e operands of factors and dimensions of at most s elements. Failure: none.
#pragma once
#include <map>
#include <string>

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/support/layout/layout.h"

namespace cutset::passes {

// How a variable is divided: along a dimension, into pieces of whole units.
struct VariablePieces {
  Layout axis = kWhole;
  int64_t unit = 1;
};
using DividedVariables = std::map<std::string, VariablePieces>;  // by name; absent: whole

class PieceUnits {
 public:
  PieceUnits() = default;
  // `batch` has the dimension of each value along which the batch is divided. No factor over it is used.
  PieceUnits(mlir::func::FuncOp function, int64_t devices, const llvm::DenseMap<mlir::Value, Layout>& batch,
             const DividedVariables* fixed);

  // Returns the unit of dimension `d` of a value of the function.
  int64_t of(mlir::Value value, Layout d) const;
  // Returns the unit of the loop of factor `f` of the op's sharding rule; 0: the devices cannot divide the op
  // along the factor.
  int64_t of_factor(mlir::Operation* op, int f) const;
  // Whether a dimension has a unit for every device and is not the batch.
  bool can_divide(mlir::Value value, Layout d) const;
  // Whether the pieces of a dimension have equal sizes, and `replicas` divide each of them into equal pieces.
  bool divides_evenly(mlir::Value value, Layout d, int64_t replicas) const;
  // Whether `update`, an op that updates a variable, can be computed for each piece along dimension `d`
  // alone.
  bool can_update(mlir::Operation* update, Layout d) const;
  const ShardingRule& rule(mlir::Operation* op) const { return rules_.at(op); }
  // Returns the dimension of a value that is the batch, or kWhole.
  Layout batch(mlir::Value value) const {
    const auto its = batch_.find(value);
    return its == batch_.end() ? kWhole : its->second;
  }

 private:
  // Returns the least unit of the loop that all dimensions of the factor accept; 0: there is none.
  int64_t unit_of_loop(mlir::Operation* op, const Factor& factor) const;

  int64_t devices_ = 1;
  llvm::DenseMap<mlir::Value, Layout> batch_;
  llvm::DenseMap<mlir::Operation*, ShardingRule> rules_;
  llvm::DenseMap<std::pair<mlir::Value, Layout>, int64_t> units_;  // absent: 1
  llvm::DenseSet<std::pair<mlir::Value, Layout>> fixed_;
};

}  // namespace cutset::passes

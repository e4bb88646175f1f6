// SPDX-License-Identifier: Apache-2.0
// The values of a function that leave the role which computes them: to another role, to another device, into
// a sum over devices, or to the host.
#pragma once
#include "passes/cut/roles/partition.h"
#include "passes/cut/roles/port_rows.h"

namespace cutset::passes {

class CutEdges {
 public:
  struct Transfer {  // the transfer of a value to another device
    mlir::StringAttr to;
    int64_t channel = 0;  // the first channel; each micro-batch of a value has its own channel
  };
  struct Partial {  // operand `index` of an all_reduce
    ir::AllReduceOp op;
    size_t index = 0;
  };
  struct Output {  // an output of the function, or rows of it
    mlir::StringAttr name;
    PortRows rows;
  };

  // `partition` must outlive the object.
  CutEdges(mlir::func::FuncOp function, const Partition& partition, llvm::ArrayRef<MicroBatch> micro_batches);

  // Whether the role `key` of `device` takes the value as an argument, because it neither computes nor clones
  // it.
  bool is_argument(mlir::Value v, mlir::StringAttr device, RoleKey key) const;
  // Return the values that the role takes as arguments, in order of first use, and the values that it
  // returns.
  llvm::SmallVector<mlir::Value> arguments_of(mlir::StringAttr device, RoleKey key,
                                              llvm::ArrayRef<mlir::Operation*> ops) const;
  llvm::SmallVector<mlir::Value> results_of(mlir::StringAttr device, RoleKey key,
                                            llvm::ArrayRef<mlir::Operation*> ops) const;

  llvm::ArrayRef<Transfer> transfers(mlir::Value v) const { return list_of(transfers_, v); }
  // Returns the first channel over which `device` receives a value of another device.
  int64_t channel_to(mlir::StringAttr device, mlir::Value v) const;
  llvm::ArrayRef<Partial> partials(mlir::Value v) const { return list_of(partials_, v); }
  int64_t number_of(ir::AllReduceOp op) const { return collectives_.lookup(op); }
  const llvm::MapVector<mlir::Value, llvm::SmallVector<Output, 1>>& outputs() const { return outputs_; }
  llvm::ArrayRef<Output> outputs(mlir::Value v) const {
    auto it = outputs_.find(v);
    return it == outputs_.end() ? llvm::ArrayRef<Output>() : llvm::ArrayRef<Output>(it->second);
  }
  // Returns the device that hands an output to the host, if the output is a sum over devices or an input.
  mlir::StringAttr output_device(mlir::Value v) const;

 private:
  template <class T>
  static llvm::ArrayRef<T> list_of(const llvm::DenseMap<mlir::Value, llvm::SmallVector<T, 1>>& lists,
                                   mlir::Value v) {
    auto it = lists.find(v);
    return it == lists.end() ? llvm::ArrayRef<T>() : llvm::ArrayRef<T>(it->second);
  }
  // Whether the value is read from a variable whose home is the device. Each role that needs the value clones
  // the read.
  bool is_local_read(mlir::Value v, mlir::StringAttr device) const;
  bool used_outside(mlir::Value v, mlir::StringAttr device, RoleKey key) const;

  const Partition& partition_;
  llvm::MapVector<mlir::Value, llvm::SmallVector<Output, 1>> outputs_;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Transfer, 1>> transfers_;
  llvm::DenseMap<mlir::Operation*, int64_t> collectives_;  // all_reduce -> its number
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Partial, 1>> partials_;
};

}  // namespace cutset::passes

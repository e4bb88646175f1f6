// A module as a graph to draw.
#pragma once
#include <map>

#include "graph/dot.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// One node an op, whatever the phase: where the graph is cut, edges are followed through calls, and each
// transfer is a send, a recv and the cut edge between them.
class Picture {
 public:
  Picture(mlir::ModuleOp module, const std::string& function);
  const DotGraph& graph() const { return graph_; }
  // One node a layer, device and role; inner edges go, parallel ones merge.
  DotGraph by_layer() const;

 private:
  void add_function(mlir::func::FuncOp function);
  void add_schedule(ir::ScheduleOp schedule);
  void add_op(mlir::Operation* op, llvm::StringRef device, llvm::StringRef role);
  void add_edges(mlir::Operation* op);
  DotNode& node(mlir::Operation* op, llvm::StringRef device, llvm::StringRef title);
  void add_collectives(llvm::ArrayRef<ir::ScheduleOp> schedules);
  std::string id(mlir::Operation* op);
  std::string source_of(mlir::Value value);  // id of the node that makes it; empty: not drawn

  // What by_layer collects a node under. Inputs, outputs and transfers stay what they are.
  struct Layer {
    std::string device, scope, role;
    bool variable = false;
  };

  mlir::ModuleOp module_;
  DotGraph graph_;
  std::map<std::string, Layer> layers_;  // by node, for ops
  llvm::DenseMap<mlir::Operation*, std::string> ids_;
  llvm::StringMap<ir::CallOp> calls_;  // role -> its call
};

}  // namespace cutset::passes

// Builds the drawing of a module: nodes for ops and transfers, edges for values, and clusters for devices and layers.
//
//   %0 = cutset.relu %x on "cpu:0"  (layer "act1")       subgraph cpu:0 { subgraph act1 { n1 [relu] } }
//   cutset.send %0 to "sim:0" channel 0             ->   n2 [send to sim:0]; n1 -> n2
//   %1 = cutset.recv from "cpu:0" channel 0              n2 -> n3 [recv from cpu:0], bold, with type and bytes
#pragma once
#include <map>

#include "graph/dot.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset::passes {

// Draws a module of any phase, with one node per op. After `cut`, edges are followed through the calls of roles, and
// each transfer is a send, a recv and the cut edge between them.
class DotBuilder {
 public:
  // Draws one function of `module`. An empty name means "graph", "train" or "evaluate", the first that exists, or else
  // the first function.
  DotBuilder(mlir::ModuleOp module, const std::string& function);
  const DotGraph& graph() const { return graph_; }
  // The drawing with one node per layer, device and role. Edges inside a layer are dropped; parallel edges are merged.
  DotGraph by_layer() const;

 private:
  void add_function(mlir::func::FuncOp function);
  void add_schedule(ir::ScheduleOp schedule);
  void add_op(mlir::Operation* op, llvm::StringRef device, llvm::StringRef role);
  void add_edges(mlir::Operation* op);
  DotNode& node(mlir::Operation* op, llvm::StringRef device, llvm::StringRef title);
  void add_order(llvm::ArrayRef<ir::ScheduleOp> schedules);
  void add_collectives(llvm::ArrayRef<ir::ScheduleOp> schedules);
  std::string id(mlir::Operation* op);
  // The id of the node that computes the value; empty: the value is not drawn.
  std::string source_of(mlir::Value value);

  // The key by which by_layer groups the nodes of ops. Inputs, outputs and transfers are not grouped.
  struct Layer {
    std::string device, layer, role;
    bool variable = false;
  };

  mlir::ModuleOp module_;
  DotGraph graph_;
  std::map<std::string, Layer> layers_;  // id of the node of an op -> its layer
  llvm::DenseMap<mlir::Operation*, std::string> ids_;
  llvm::StringMap<ir::CallOp> calls_;  // name of a role -> the call of the role
};

}  // namespace cutset::passes

// Builds the drawing of a module: nodes for ops and transfers, edges for values, and clusters for devices and layers.
//
//   %0 = cutset.relu %x on "cpu:0"  (layer "act1")       subgraph cpu:0 { subgraph act1 { n1 [relu] } }
//   cutset.send %0 to "sim:0" channel 0             ->   n2 [send to sim:0]; n1 -> n2
//   %1 = cutset.recv from "cpu:0" channel 0              n2 -> n3 [recv from cpu:0], bold, with type and bytes
#pragma once
#include <map>
#include <set>

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
  // The drawing with one node per layer, device and role. Edges inside a layer are dropped; parallel edges
  // are merged. The scalars that the session feeds, such as a learning rate, and the commits are left out.
  DotGraph by_layer() const;

 private:
  void add_function(mlir::func::FuncOp function);
  void add_schedule(ir::ScheduleOp schedule);
  // `calls`: how often the role of the op is called.
  void add_op(mlir::Operation* op, llvm::StringRef device, llvm::StringRef role, size_t calls);
  void add_edges(mlir::Operation* op);
  DotNode& node(mlir::Operation* op, llvm::StringRef device, llvm::StringRef title);
  void add_order(llvm::ArrayRef<ir::ScheduleOp> schedules);
  void add_collectives(llvm::ArrayRef<ir::ScheduleOp> schedules);
  std::string id(mlir::Operation* op);
  // Whether it is the first call of its role, with which the ops of the role are drawn.
  bool is_first(ir::CallOp call) const;
  // Adds the ids of the nodes that compute the value, or element `element` of a frame: several if it is an argument of a role
  // with several calls, and none if the value is not drawn. `seen` holds what has been followed.
  void find_sources(mlir::Value value, unsigned element, llvm::SmallDenseSet<std::pair<mlir::Value, unsigned>>& seen,
                    std::set<std::string>& sources);

  // The key by which by_layer groups the nodes of ops. Inputs, outputs and transfers are not grouped.
  struct Layer {
    std::string device, layer, role;
    bool variable = false;
  };

  mlir::ModuleOp module_;
  DotGraph graph_;
  std::map<std::string, Layer> layers_;  // id of the node of an op -> its layer
  std::set<std::string> details_;        // ids of the nodes that by_layer leaves out
  llvm::DenseMap<mlir::Operation*, std::string> ids_;
  llvm::StringMap<llvm::SmallVector<ir::CallOp, 1>> calls_;  // name of a role -> its calls
};

}  // namespace cutset::passes

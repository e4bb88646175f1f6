// SPDX-License-Identifier: Apache-2.0
// Builds the drawing of a module by op: nodes for ops and transfers, edges for values, and clusters for
// devices and layers.
//
//   %0 = cutset.relu %x on "cpu:0"  (layer "act1")       subgraph cpu:0 { subgraph act1 { n1 [relu] } }
//   cutset.send %0 to "sim:0" channel 0             ->   n2 [send to sim:0]; n1 -> n2
//   %1 = cutset.recv from "cpu:0" channel 0              n2 -> n3 [recv from cpu:0], bold, with type and
//   bytes
#pragma once
#include <map>
#include <set>

#include "graph/dot.h"
#include "ir/structural/structural.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/inspect/dot_part.h"
#include "passes/support/placement/pipeline_stages.h"

namespace cutset::passes {

inline constexpr const char *kDotBackward = "#eef0f3", *kDotUpdate = "#fff7cc", *kDotPort = "#dff0d8",
                            *kDotTransfer = "#fbe3e0";

// The entry of the legend for edges between devices.
inline constexpr const char* kDotTransfers = "red: transfers between devices, with their bytes per step";

// Returns the number of bytes as text: "200 KiB".
std::string bytes_text(int64_t bytes);

// Draws a module of any phase, with one node per op. After `cut`, edges are followed through the calls of
// roles, and each transfer is a send, a recv and the cut edge between them. The cluster of a device names its
// stages.
class DotBuilder {
 public:
  // Draws "graph", "train" or "evaluate", the first that exists, or else the first function.
  explicit DotBuilder(mlir::ModuleOp module);
  // Returns the drawing. It has no legend.
  const DotGraph& graph() const { return graph_; }
  // Returns the descriptions of the nodes, by the ids of the nodes.
  const std::map<std::string, DotPart>& parts() const { return parts_; }
  // Returns the clusters around a node: its device, and its stage if the device has several stages.
  std::vector<std::string> clusters_of(llvm::StringRef device, int64_t stage) const;

 private:
  void add_function(mlir::func::FuncOp function);
  // Adds a warning to the cluster of each device that has too little memory.
  void add_warnings();
  void add_schedules(llvm::ArrayRef<ir::ScheduleOp> schedules);
  void add_schedule(ir::ScheduleOp schedule);
  // The place of an op in a step.
  struct Place {
    llvm::StringRef role;              // the kind of its role
    llvm::StringRef device;            // empty: the op names its device, or has none
    int64_t stage = -1;                // the stage of the role; -1: the stage of the op, or none
    llvm::ArrayRef<int64_t> shards{};  // the micro-batches for which the role is called
  };
  void add_op(mlir::Operation* op, const Place& place);
  void add_edges(mlir::Operation* op);
  DotNode& node(mlir::Operation* op, llvm::StringRef title);
  void add_order(llvm::ArrayRef<ir::ScheduleOp> schedules);
  void add_transfers(llvm::ArrayRef<ir::ScheduleOp> schedules);
  void add_collectives(llvm::ArrayRef<ir::ScheduleOp> schedules);
  std::string id(mlir::Operation* op);
  // Whether `call` is the first call of its role. The ops of a role are drawn at its first call.
  bool is_first(ir::CallOp call) const;
  // Adds the ids of the nodes that compute the value, or element `element` of a frame: several if it is an
  // argument of a role with several calls, and none if the value is not drawn. `seen` holds the values and
  // elements that have been visited.
  void find_sources(mlir::Value value, unsigned element,
                    llvm::SmallDenseSet<std::pair<mlir::Value, unsigned>>& seen,
                    std::set<std::string>& sources);

  mlir::ModuleOp module_;
  mlir::func::FuncOp
      function_;  // the function that is drawn, which is only declared after `cut`; may be null
  PipelineStages stages_;
  DotGraph graph_;
  std::map<std::string, DotPart> parts_;
  llvm::DenseMap<mlir::Operation*, std::string> ids_;
  llvm::StringMap<llvm::SmallVector<ir::CallOp, 1>> calls_;  // name of a role -> its calls
};

}  // namespace cutset::passes

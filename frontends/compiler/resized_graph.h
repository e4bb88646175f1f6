// SPDX-License-Identifier: Apache-2.0
// A graph for other shapes of its inputs.
#pragma once
#include "frontends/cpp/bridge/bridge.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cutset {

// Makes `graph` a graph for other shapes. `function` holds the graph, `values` are its values by id, and
// `builder` inserts its ops. All must outlive the result. If `only` is not empty, only the function `only` is
// resized.
std::unique_ptr<ResizedGraph> resize_graph(GraphBuilder& graph, mlir::func::FuncOp function,
                                           std::vector<mlir::Value>& values, mlir::OpBuilder& builder,
                                           const std::map<std::string, Shape>& input_shapes,
                                           const std::string& only);

}  // namespace cutset

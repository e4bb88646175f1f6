// What the compiler made of a graph, and why. Nothing runs and no device is opened; devices that this machine does
// not have may be named where their backend is built.
//
// All functions throw cutset::Error where the graph does not compile for the options.
#pragma once
#include <cutset/session.h>

#include <string>
#include <vector>

#include "passes/explanation.h"

namespace cutset {

// A tensor that crosses between devices, or a sum over replicas, in each step.
struct ExplainedTransfer {
  std::string tensor, from, to;
  int64_t bytes = 0;
  double seconds = 0;  // by the numbers of the devices
};

struct Explained {
  std::string strategy;                      // with the shares that were found
  std::string function;                      // "train" where the graph has a loss, else "evaluate"
  std::vector<Explanation> ops;              // of the function, in the order of the program
  std::vector<ExplainedTransfer> transfers;  // of the function
  std::vector<MemoryUse> memory;             // one a device
};

// Why each op runs where it runs: what each device would take for it, or why it cannot. `op` narrows `ops` to an op
// (relu), a layer (conv1), both (conv1/relu) or an id; naming none is an error that lists the layers.
Explained explain(const Graph& graph, const CompileOptions& options = {}, const std::string& op = "");

// The program after a phase: import, differentiate, split, place, cut, communicate or lower.
struct Dump {
  std::string mlir;
  std::string dot_ops, dot_layers;        // pictures of "train" where there is one: a node an op, or a node a layer
  std::string placement_log, kernel_log;  // a line an op, from `place` and from `lower` on
};
Dump dump(const Graph& graph, const CompileOptions& options = {}, const std::string& phase = "lower");

// The plan of the graph, to edit and to give as CompileOptions::plan (docs/plan-format.md).
std::string plan(const Graph& graph, const CompileOptions& options = {});

}  // namespace cutset

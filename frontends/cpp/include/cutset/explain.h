// SPDX-License-Identifier: Apache-2.0
// Explains how the compiler compiles a graph, and why: the device of every op, the transfers, the memory, and
// the program after any phase. Nothing runs and no device is opened, so the options may name devices that
// this machine does not have, as long as their backend was built.
//
// All functions throw cutset::Error if the graph does not compile with the options. Each call compiles the
// graph anew.
#pragma once
#include <cutset/session.h>

#include <string>
#include <vector>

#include "passes/inspect/drawings.h"
#include "passes/inspect/explanation.h"

namespace cutset {

// A tensor that is transferred between two devices in each step, or an all-reduce. In an all-reduce, `tensor`
// is "all_reduce of TENSOR", `from` lists the devices that have a partial sum ("cpu:0,opencl:0"), and `to` is
// "all".
struct ExplainedTransfer {
  std::string tensor, from, to;
  int64_t bytes = 0;   // per step and per device of `from`
  double seconds = 0;  // estimated by the performance models of the devices
};

// A variable of the user, and how it is divided. The states that an optimizer keeps of it are divided in the
// same way.
struct ExplainedVariable {
  std::string name;
  Shape shape;         // of the whole variable
  int64_t bytes = 0;   // of the whole variable
  int dimension = -1;  // the dimension along which it is divided; -1: every home has the whole variable
  int64_t pieces = 1;  // the number of pieces; several homes may have the same piece
  std::vector<std::string> homes;  // the devices that have the variable or a piece of it: piece i is on homes
                                   // i, i + pieces, i + 2 * pieces and so on
};

// The memory that a program takes of one device, and that the device has.
struct ExplainedMemory : MemoryUse {
  uint64_t limit =
      0;  // the bytes of the device, or of the device file; 0: the device has no limit of its own

  // The bytes that the program takes: variables, optimizer, constants, arena and scratch memory.
  uint64_t needed() const { return variables + optimizer + constants + arena + scratch; }
  // Whether this is more than the limit. Such a program is refused when it is loaded.
  bool over_limit() const { return limit > 0 && needed() > limit; }
};

// The result of explain.
struct Explained {
  std::string strategy;  // in its full form, with the shares of the batch that the compiler chose
  std::string function;  // "train", or else another function that trains, "evaluate" or the first function
  std::vector<Explanation> ops;              // the ops of this function, in the order of the program
  std::vector<ExplainedTransfer> transfers;  // the transfers of this function
  std::vector<ExplainedMemory> memory;       // one element per device
  std::vector<ExplainedVariable> variables;  // of all functions, without the states of the optimizer
  std::vector<std::string> notes;            // the notes that CompileOptions::on_note gets, of all functions
};

// Explains why each op runs on its device: the estimated time on each device, or why a device cannot run the
// op. `op` selects the ops that `ops` lists: by op ("relu"), layer ("conv1"), both ("conv1/relu") or id;
// empty selects all. Throws an error that lists the layers if no op matches.
Explained explain(const Graph& graph, const CompileOptions& options = {}, const std::string& op = "");

// The program after a phase, as text and drawings.
struct Dump {
  std::string mlir;           // the program as MLIR
  Drawings drawings;          // of the function that Explained::function names
  std::string placement_log;  // one line per op with its device and reason; from the phase place on
  std::string kernel_log;     // one line per op with its kernel; from the phase lower on
};
// Compiles up to and including `phase`. docs/cli.md lists the phases at `cutset dump`. The error for an
// unknown phase also lists them.
Dump dump(const Graph& graph, const CompileOptions& options = {}, const std::string& phase = "lower");

// Returns the placement of the graph, and the schedule of a pipeline, as a plan: a text to be edited and
// passed as CompileOptions::plan. Its format is described in docs/plan-format.md.
std::string plan(const Graph& graph, const CompileOptions& options = {});

}  // namespace cutset

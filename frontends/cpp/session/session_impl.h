// SPDX-License-Identifier: Apache-2.0
// The state of a session: its graph, its devices, and its programs, one for each set of shapes.
#pragma once
#include <cutset/session.h>

#include "frontends/cpp/checks/in_use.h"
#include "frontends/cpp/graph/snapshot.h"
#include "frontends/cpp/session/run_function.h"
#include "runtime/execute/executor.h"

namespace cutset {

struct Session::Impl {
  std::shared_ptr<const GraphSnapshot> graph;
  CompileConfig original;  // the configuration of the first compilation
  CompileConfig config;    // the configuration of all later compilations
  InputNames inputs;       // the inputs of the graph
  std::unique_ptr<Trace>
      trace;  // declared before `executor`, which records into the trace and must be destroyed first
  std::unique_ptr<Executor> executor;
  // The first executable has all functions for the shapes of the graph. Each other executable has one
  // function for other shapes. The executable for other shapes that was used last is at the end.
  std::vector<std::unique_ptr<Executable>> executables;
  // By function and shapes of its inputs.
  using Loaded = std::map<std::string, std::map<std::vector<Shape>, Executable*>, std::less<>>;
  Loaded loaded;
  Feeds feeds;  // includes the number of committed training steps
  int64_t compilations = 0;
  std::map<std::string, double> group_rates;
  std::optional<CompileResult>
      description;  // texts and drawings; made by describe() when they are first needed
  Owner owner;
  // Prefetched batches also hold this pointer, so no other session can have the same pointer.
  std::shared_ptr<const int> identity = std::make_shared<int>();

  const Program& first() const { return executables.front()->program(); }
  static void enter(Loaded& loaded, Executable& executable);
  Executable* add(std::unique_ptr<Executable> executable);
  void release_oldest();
  Result<Executable*> load(const Function& function, const std::vector<Shape>& shapes);
  struct Call;
  Result<Call> find(const std::string& function, const Batch& batch);
  Status initialize();
  Status reopen();
  const CompileResult& describe();
  std::vector<std::string> replaced(bool only_wrong) const;
};

// A function of the program for the shapes of a batch, with the tensors that it reads.
struct Session::Impl::Call {
  Executable* executable;
  const Function* function;
  BatchTensors tensors;  // points into the batch
};

}  // namespace cutset

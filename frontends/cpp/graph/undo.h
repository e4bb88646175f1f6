// SPDX-License-Identifier: Apache-2.0
// Restores a graph after a function that appends several ops has failed at one of them, so that the call can
// be repeated.
#pragma once
#include "frontends/cpp/graph/graph_state.h"

namespace cutset {

// The destructor removes all ops and variables that were added since the constructor ran, unless keep() was
// called.
class Undo {
 public:
  explicit Undo(std::shared_ptr<GraphState> graph);
  ~Undo();
  Undo(const Undo&) = delete;
  void keep() { graph_.reset(); }

 private:
  std::shared_ptr<GraphState> graph_;
  BuildMark mark_;
  int64_t variables_;
};

}  // namespace cutset

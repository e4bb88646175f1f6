// Calls that make several ops, and may fail at any of them, leave the graph as it was: the call can be repeated.
#pragma once
#include "frontends/cpp/graph_state.h"

namespace cutset {

// Takes back what was built while it lived, unless keep() was called.
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

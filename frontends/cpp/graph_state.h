// The state that a Graph, its tensors and its scopes share.
#pragma once
#include <cutset/tensor.h>

#include <atomic>
#include <memory>
#include <source_location>
#include <string>

#include "frontends/cpp/bridge.h"
#include "frontends/cpp/failure.h"
#include "frontends/cpp/in_use.h"
#include "frontends/cpp/label_classes.h"

namespace cutset {

// The builder of one graph, guarded against use by two threads at the same time. A caller holds the builder until the
// end of the expression that contains `->`, or as long as the result of hold() lives. A call by another thread during
// this time throws an Error.
class HeldBuilder {
 public:
  class Call {
   public:
    Call(std::atomic<bool>& in_use, GraphBuilder& builder) : in_use_(in_use, "Graph"), builder_(builder) {}
    GraphBuilder* operator->() const { return &builder_; }

   private:
    InUse in_use_;
    GraphBuilder& builder_;
  };
  Call hold() { return Call(in_use_, *builder_); }
  Call operator->() { return hold(); }
  void operator=(std::unique_ptr<GraphBuilder> builder) { builder_ = std::move(builder); }

 private:
  std::unique_ptr<GraphBuilder> builder_;
  std::atomic<bool> in_use_ = false;
};

// The state of one graph.
class GraphState {
 public:
  HeldBuilder builder;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, TensorType>> inputs;
  LabelClasses labels;
  int64_t variables = 0;      // the number of variables made; variable n draws from random stream n + 1
  std::string device, scope;  // of the innermost DeviceScope and of all NameScopes

  OpSource source(std::source_location where) const {
    return {where.file_name(), static_cast<int>(where.line()), scope, device};
  }
};

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// The state that a Graph, its tensors and its scopes share.
#pragma once
#include <cutset/tensor.h>

#include <atomic>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "frontends/cpp/bridge/bridge.h"
#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/checks/in_use.h"
#include "frontends/cpp/graph/kept_call.h"
#include "frontends/cpp/graph/label_classes.h"
#include "runtime/program/value_range.h"

namespace cutset {

// A call of a layer that shares its variables with other calls.
struct SharingCall {
  std::map<std::string, int> known;  // the variables of earlier calls, by name, with their ids
  std::map<std::string, int> used;   // the variables that this call has made or found
};

// The builder of one graph, guarded against use by two threads at the same time. A caller holds the builder
// until the end of the expression that contains `->`, or as long as the result of hold() lives. A call by
// another thread during this time throws an Error.
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

// The scopes of one kind that live, in the order in which they began. They may end in any order.
class OpenScopes {
 public:
  void begin(const void* scope, std::string text) { open_.emplace_back(scope, std::move(text)); }
  void end(const void* scope) {
    std::erase_if(open_, [&](const auto& s) { return s.first == scope; });
  }
  // Returns the text of the scope that began last; empty if no scope lives.
  std::string innermost() const { return open_.empty() ? "" : open_.back().second; }
  // Returns the texts of all scopes, with "/" between them.
  std::string joined() const {
    std::string all;
    for (const auto& [scope, text] : open_) all += (all.empty() ? "" : "/") + text;
    return all;
  }

 private:
  std::vector<std::pair<const void*, std::string>> open_;
};

// The state of one graph.
class GraphState {
 public:
  HeldBuilder builder;
  uint64_t seed = 0;
  std::vector<std::pair<std::string, TensorType>> inputs;
  LabelClasses labels;
  ValueRanges scalars;  // the ranges of the hyper-parameters of the optimizer, of clipping and of averages
  // Returns the ranges of `scalars`, and of the inputs that ops read as labels or as indices.
  ValueRanges ranges() const {
    ValueRanges all = scalars;
    for (const auto& [name, classes] : labels.classes())
      all[name] = {static_cast<double>(labels.lowest(name)), static_cast<double>(classes),
                   labels.padding(name)};
    return all;
  }
  std::vector<std::string> minimizing;  // the functions that minimize() has made
  // The rates of the parameter groups of "train", as minimize() got them.
  std::map<std::string, double> group_rates;
  bool clips = false, averages = false;  // whether clip_gradients() and average_weights() were called
  std::map<std::string, BuiltValue> variables_by_name;
  std::vector<std::shared_ptr<SharingCall>> sharing;  // the calls that run, the outermost first
  std::map<std::string, int64_t> dropouts_by_name;    // the number of calls of nn::dropout
  int64_t dropouts = 0;                               // the number of calls of dropout()
  int64_t variables = 0;        // the number of variables made; variable n draws from random stream n + 1
  OpenScopes devices;           // the DeviceScopes that live
  OpenScopes names;             // the NameScopes that live
  std::vector<KeptCall> calls;  // the calls whose ops depend on sizes, in the order of the graph
  bool in_call = false;         // whether such a call is being built

  // Makes `name` the source of the ops that are added from now on: the file of a model that is being
  // imported, or an option such as "--loss mse_loss". An empty name makes the lines of the calling program
  // the sources again.
  void set_source(const std::string& name) {
    source_name_ = name;
    node = 0;
  }
  int node = 0;  // the number of the node of the model that is being imported, from 1 on; 0: none
  // Whether a model is being imported. Its nodes are then the sources of the ops.
  bool importing() const { return node > 0; }

  OpSource source(std::source_location source) const {
    const bool is_line = source_name_.empty();
    return {is_line ? source.file_name() : source_name_, is_line ? static_cast<int>(source.line()) : node,
            names.joined(), devices.innermost()};
  }

 private:
  std::string source_name_;
};

}  // namespace cutset

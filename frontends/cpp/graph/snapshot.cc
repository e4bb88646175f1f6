// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/snapshot.h"

#include <algorithm>

namespace cutset {
namespace {

class SizedSnapshot : public GraphSnapshot {
 public:
  explicit SizedSnapshot(GraphState& graph)
      : graph_(graph.builder->snapshot()), inputs_(graph.inputs), calls_(graph.calls), seed_(graph.seed) {}

  Result<CompileResult> compile(const CompileConfig& config) const override {
    CUTSET_ASSIGN(const auto sized, for_shapes(config.input_shapes, config.function));
    return sized->compile(config);
  }
  Result<std::vector<std::string>> functions() const override { return graph_->functions(); }
  Result<ListedFunction> list(const std::string& function,
                              const std::map<std::string, Shape>& input_shapes) const override {
    CUTSET_ASSIGN(const auto sized, for_shapes(input_shapes, function));
    return sized->list(function, input_shapes);
  }
  const std::vector<InitializedVariable>& initialized_variables() const override {
    return graph_->initialized_variables();
  }
  Result<std::string> text() const override { return graph_->text(); }

 private:
  bool has_shapes(const std::map<std::string, Shape>& shapes) const {
    return std::all_of(inputs_.begin(), inputs_.end(), [&](const auto& input) {
      const auto shape = shapes.find(input.first);
      return shape == shapes.end() || shape->second == input.second.shape;
    });
  }

  // Makes a call again. If the call fails, its part of the copy is given up.
  static Status make_again(const KeptCall& call, const std::shared_ptr<GraphState>& state,
                           ResizedGraph& resized) {
    resized.infer_until(call.part);
    state->variables = call.variables;
    state->names.begin(&call, call.layer);
    if (!call.device.empty()) state->devices.begin(&call, call.device);
    const Counterpart now(state, [&](int value) { return check(resized.type_of(value)); });
    std::optional<std::vector<int>> results;
    try {
      std::vector<int>& ids = results.emplace();
      for (const Tensor& t : call.again(now)) ids.push_back(t.value());
    } catch (const Error& e) {
      results.reset();
      resized.give_up(call.part, Failure{e.code(), message_of(e), e.source(), e.hint()});
    }
    state->names.end(&call);
    state->devices.end(&call);
    state->set_source("");  // an import that fails does not reset its source
    return results ? resized.replace(call.part, *results) : Status();
  }

  // Returns the graph with these shapes. If a function is named, the graph has only its outputs.
  Result<std::shared_ptr<const GraphSnapshot>> for_shapes(const std::map<std::string, Shape>& shapes,
                                                          const std::string& function) const {
    if (calls_.empty() || has_shapes(shapes)) return std::shared_ptr<const GraphSnapshot>(graph_);
    const auto state = std::make_shared<GraphState>();
    // `copy` is destroyed before the builder in `state`, because it uses this builder.
    CUTSET_ASSIGN(GraphCopy copy, graph_->resize(shapes, function));
    state->builder = std::move(copy.builder);
    state->seed = seed_;
    for (const KeptCall& call : calls_) CUTSET_TRY(make_again(call, state, *copy.resized));
    return copy.resized->finish();
  }

  std::shared_ptr<const BuiltSnapshot> graph_;
  std::vector<std::pair<std::string, TensorType>> inputs_;
  std::vector<KeptCall> calls_;
  uint64_t seed_;
};

}  // namespace

std::shared_ptr<const GraphSnapshot> snapshot_of(GraphState& graph) {
  return std::make_shared<SizedSnapshot>(graph);
}

}  // namespace cutset

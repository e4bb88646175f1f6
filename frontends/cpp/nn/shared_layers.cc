// SPDX-License-Identifier: Apache-2.0
#include <cutset/shared_layers.h>

#include <algorithm>

#include "frontends/cpp/functional/compose.h"
#include "frontends/cpp/graph/graph_state.h"

namespace cutset::nn {

// The variables of the layer by graph. The entry of a graph that was destroyed stays, but no other graph
// finds it.
struct SharedVariables::Names {
  struct OfGraph {
    std::weak_ptr<GraphState> graph;
    std::map<std::string, int> variables;
  };
  std::vector<OfGraph> graphs;

  std::map<std::string, int>& of(const std::shared_ptr<GraphState>& graph) {
    for (OfGraph& known : graphs)
      if (known.graph.lock() == graph) return known.variables;
    return graphs.emplace_back(graph).variables;
  }
};

SharedVariables::SharedVariables() : names_(std::make_shared<Names>()) {}

SharedVariables::Call::Call(const SharedVariables& variables, const Tensor& operand,
                            std::source_location source)
    : names_(variables.names_) {
  require_tensor(operand, "a layer", source);
  graph_ = operand.graph();
  const auto building = graph_->builder.hold();
  call_ = std::make_shared<SharingCall>();
  call_->known = names_->of(graph_);
  graph_->sharing.push_back(call_);
}

// Adds the variables that the call has used to the known names, without the variables that a failed layer has
// removed again.
SharedVariables::Call::~Call() {
  std::erase(graph_->sharing, call_);
  std::map<std::string, int>& variables = names_->of(graph_);
  for (const auto& [name, id] : call_->used) {
    const auto variable = graph_->variables_by_name.find(name);
    if (variable != graph_->variables_by_name.end() && variable->second.id == id) variables[name] = id;
  }
}

Layer::Layer(Function function) : function_(std::move(function)) {}

Tensor Layer::operator()(const Tensor& x, std::source_location source) const {
  const SharedVariables::Call call(variables_, x, source);
  return function_(x, source);
}

Dense::Dense(std::string name, int64_t units, DenseOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return dense(name, x, units, options, source);
      }) {}

Conv::Conv(std::string name, ConvOptions options)
    : Layer([=](const Tensor& x, std::source_location source) { return conv(name, x, options, source); }) {}

Conv::Conv(std::string name, int64_t out_channels, AxisSizes kernel_size, ConvOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return conv(name, x, out_channels, kernel_size, options, source);
      }) {}

ConvTranspose::ConvTranspose(std::string name, ConvTransposeOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return conv_transpose(name, x, options, source);
      }) {}

Embedding::Embedding(std::string name, EmbeddingOptions options)
    : Layer([=](const Tensor& ids, std::source_location source) {
        return embedding(name, ids, options, source);
      }) {}

Embedding::Embedding(std::string name, int64_t vocabulary, int64_t width)
    : Embedding(std::move(name), {.vocabulary = vocabulary, .width = width}) {}

LayerNorm::LayerNorm(std::string name, LayerNormOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return layer_norm(name, x, options, source);
      }) {}

RmsNorm::RmsNorm(std::string name, RmsNormOptions options)
    : Layer(
          [=](const Tensor& x, std::source_location source) { return rms_norm(name, x, options, source); }) {}

GroupNorm::GroupNorm(std::string name, GroupNormOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return group_norm(name, x, options, source);
      }) {}

GroupNorm::GroupNorm(std::string name, WholeNumber groups)
    : GroupNorm(std::move(name), GroupNormOptions{.groups = groups}) {}

BatchNorm::BatchNorm(std::string name, BatchNormOptions options)
    : Layer([=](const Tensor& x, std::source_location source) {
        return batch_norm(name, x, options, source);
      }) {}

Dropout::Dropout(std::string name, DropoutOptions options)
    : Layer([=](const Tensor& x, std::source_location source) { return dropout(name, x, options, source); }) {
}

Dropout::Dropout(std::string name, RealNumber probability)
    : Dropout(std::move(name), DropoutOptions{.probability = probability}) {}

MultiHeadAttention::MultiHeadAttention(std::string name, MultiHeadAttentionOptions options)
    : name_(std::move(name)), options_(options) {}

Tensor MultiHeadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const Tensor& mask, std::source_location source) const {
  const SharedVariables::Call call(variables_, query, source);
  return multi_head_attention(name_, query, key, value, options_, mask, source);
}

Tensor MultiHeadAttention::operator()(const Tensor& x, const Tensor& mask,
                                      std::source_location source) const {
  return (*this)(x, x, x, mask, source);
}

}  // namespace cutset::nn

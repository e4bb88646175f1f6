// SPDX-License-Identifier: Apache-2.0
#include <cutset/layers.h>
#include <cutset/recurrent_layers.h>
#include <cutset/shapes.h>

#include <cmath>

#include "frontends/cpp/functional/compose.h"

namespace cutset::nn {
namespace {

using Where = std::source_location;

// The public function that a layer calls, and the number of parts of its weights.
enum class Kind { kLstm, kGru, kRnn };
const char* name_of(Kind kind) { return kind == Kind::kLstm ? "lstm" : kind == Kind::kGru ? "gru" : "rnn"; }
int64_t parts_of(Kind kind) { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }

// All layers and directions of a call.
struct Layers {
  Graph& g;
  const std::string& name;
  Kind kind;
  const RecurrentOptions& options;
  const Tensor& lengths;
  const RecurrentState& initial;
  Where source;

  int64_t directions() const { return options.bidirectional ? 2 : 1; }
  [[noreturn]] void refuse_option(const char* option, const std::string& value,
                                  const std::string& hint) const {
    raise({ErrorCode::kInvalidArgument,
           std::string(name_of(kind)) + " '" + name + "' has " + option + " = " + value,
           Error::line_of(source), hint});
  }

  RecurrentWeights weights(int64_t layer, bool reverse, const Tensor& x) const {
    const std::string end = "_l" + std::to_string(layer) + (reverse ? "_reverse" : "");
    const double bound = 1 / std::sqrt(static_cast<double>(options.hidden));
    const int64_t rows = parts_of(kind) * options.hidden;
    const auto variable = [&](const char* what, const Shape& shape) {
      return g.variable(name + "." + what + end, x.dtype(), shape, Initializer::uniform(-bound, bound), {},
                        source);
    };
    RecurrentWeights w;
    w.input = variable("weight_ih", {rows, x.shape()[2]});
    w.hidden = variable("weight_hh", {rows, options.hidden});
    if (options.bias) {
      w.input_bias = variable("bias_ih", {rows});
      w.hidden_bias = variable("bias_hh", {rows});
    }
    return w;
  }
  // Returns row `index` of states [layers * directions, batch, hidden].
  Tensor initial_of(const Tensor& states, int64_t index) const {
    if (!states.defined()) return {};
    if (states.type().rank() != 3 || states.shape()[0] != options.layers * directions())
      refuse(states, name_of(kind),
             "[" + std::to_string(options.layers * directions()) + ", batch, hidden] as an initial state",
             source);
    const Tensor row = ops::slice(states, {.axis = 0, .start = index, .length = 1}, source);
    return reshape(row, {.shape = {-1, states.shape()[2]}}, source);
  }
  RecurrentResult direction(const Tensor& x, int64_t layer, bool reverse) const {
    const int64_t index = layer * directions() + (reverse ? 1 : 0);
    const RecurrentState start{initial_of(initial.state, index), initial_of(initial.cell, index)};
    const RecurrentWeights w = weights(layer, reverse, x);
    switch (kind) {
      case Kind::kLstm:
        return cutset::lstm(x, w, lengths, start, {.reverse = reverse}, source);
      case Kind::kGru:
        return cutset::gru(x, w, lengths, start, {.reverse = reverse}, source);
      default:
        return cutset::rnn(x, w, lengths, start, {.reverse = reverse, .nonlinearity = options.nonlinearity},
                           source);
    }
  }
  // Joins states of layers and directions to one tensor.
  Tensor joined(std::vector<Tensor> states) const {
    if (!states[0].defined()) return {};
    for (Tensor& s : states) s = reshape(s, {.shape = {1, -1, options.hidden}}, source);
    return states.size() == 1 ? states[0] : concat(states, {.axis = 0}, source);
  }

  RecurrentResult build(Tensor x) const {
    if (x.type().rank() != 3)
      refuse(
          x, name_of(kind),
          "rank 3: " + std::string(options.batch_first ? "[batch, steps" : "[steps, batch") + ", features]",
          source);
    const auto exchange = [&](const Tensor& t) {
      return options.batch_first ? t : transpose(t, {.permutation = {1, 0, 2}}, source);
    };
    x = exchange(x);
    std::vector<Tensor> states, cells;
    for (int64_t layer = 0; layer < options.layers; ++layer) {
      NameScope scope(g, "l" + std::to_string(layer));
      std::vector<Tensor> outputs;
      for (int64_t d = 0; d < directions(); ++d) {
        const RecurrentResult r = direction(x, layer, d == 1);
        outputs.push_back(r.output);
        states.push_back(r.state);
        cells.push_back(r.cell);
      }
      x = outputs.size() > 1 ? concat(outputs, {.axis = 2}, source) : outputs[0];
      if (options.dropout > 0 && layer + 1 < options.layers)
        x = dropout(name + ".dropout_l" + std::to_string(layer), x, {.probability = options.dropout}, source);
    }
    return {exchange(x), joined(states), joined(cells)};
  }
};

RecurrentResult layers(const std::string& name, const Tensor& x, Kind kind, const RecurrentOptions& o,
                       const Tensor& lengths, const RecurrentState& initial, Where source) {
  require_tensor(x, name_of(kind), source);
  Graph g(x.graph());
  const Layers all{g, name, kind, o, lengths, initial, source};
  constexpr int64_t kMostHidden = int64_t{1} << 40;  // a product with the number of parts does not overflow
  if (o.hidden < 1 || o.hidden > kMostHidden)
    all.refuse_option("hidden", std::to_string(o.hidden), "set hidden to 1 or more");
  if (o.layers < 1 || o.layers > 1024)
    all.refuse_option("layers", std::to_string(o.layers), "set layers to a number from 1 to 1024");
  if (!(o.dropout >= 0 && o.dropout < 1))
    all.refuse_option("dropout", std::to_string(o.dropout), "set dropout to a number from 0 to below 1");
  Undo undo(g.state());
  NameScope scope(g, name);
  RecurrentResult result = all.build(x);
  undo.keep();
  return result;
}

}  // namespace

RecurrentResult lstm(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                     const Tensor& lengths, const RecurrentState& initial, Where source) {
  return layers(name, x, Kind::kLstm, options, lengths, initial, source);
}
RecurrentResult gru(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                    const Tensor& lengths, const RecurrentState& initial, Where source) {
  return layers(name, x, Kind::kGru, options, lengths, initial, source);
}
RecurrentResult rnn(const std::string& name, const Tensor& x, const RecurrentOptions& options,
                    const Tensor& lengths, const RecurrentState& initial, Where source) {
  return layers(name, x, Kind::kRnn, options, lengths, initial, source);
}

}  // namespace cutset::nn

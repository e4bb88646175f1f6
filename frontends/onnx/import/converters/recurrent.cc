// SPDX-License-Identifier: Apache-2.0
// Recurrent layers. The parts of the weights have another order in ONNX than in PyTorch. recurrent.h has
// PyTorch's order.
#include <cutset/recurrent.h>
#include <cutset/shapes.h>

#include <algorithm>
#include <cctype>

#include "frontends/onnx/import/converters.h"
#include "frontends/onnx/import/nodes/activation_functions.h"

namespace cutset::onnx {
namespace {

using Order = std::vector<size_t>;  // the index in the order of ONNX, per part in the order of PyTorch

// Puts the parts of a tensor along dimension 0 into another order.
Tensor ordered(const Tensor& t, const Order& order) {
  if (!t.defined() || order.size() == 1) return t;
  const int64_t size = t.shape()[0] / static_cast<int64_t>(order.size());
  const std::vector<Tensor> parts =
      split_with_sizes(t, {.axis = 0, .sizes = std::vector<int64_t>(order.size(), size)});
  std::vector<Tensor> result;
  for (const size_t i : order) result.push_back(parts[i]);
  return concat(result, {.axis = 0});
}

// Reads the operands and attributes that LSTM, GRU and RNN have in common.
class Recurrent {
 public:
  // `activations` are the default activation functions of one direction.
  Recurrent(Node& n, Order order, std::vector<std::string> activations)
      : node(n), order_(std::move(order)), activations_(std::move(activations)) {
    const std::string direction = n.text("direction", "forward");
    if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
      invalid("the direction '" + direction + "' is not forward, reverse or bidirectional");
    first_reverse_ = direction == "reverse";
    directions_ = direction == "bidirectional" ? 2 : 1;
    const int64_t layout = n.number("layout", 0);
    if (layout != 0 && layout != 1) invalid("the layout is " + std::to_string(layout) + ", not 0 or 1");
    batch_first_ = layout == 1;
    clip = n.real("clip", 0);
    if (n.has_attribute("clip") && !(clip > 0))
      invalid("clip is " + std::to_string(clip) + "; it must be positive");
    const Tensor weight = n.in(2);
    if (weight.type().rank() != 3 || n.type(0).rank() != 3)
      invalid("X is " + to_string(n.type(0)) + " and R is " + to_string(weight.type()) +
              "; both must have rank 3");
    if (weight.shape()[0] != directions_)
      invalid("R is " + to_string(weight.type()) + ", but the node has " + std::to_string(directions_) +
              " directions");
    // Steps after the last step would count as steps of zeros.
    if (n.has(4) && n.value(4).known && !n.may_be_dropped())
      for (int64_t i = 0; i < n.value(4).known->elements(); ++i)
        if (const double length = n.value(4).known->at(i);
            !(length >= 0 && length <= static_cast<double>(n.type(0).shape[batch_first_ ? 1 : 0])))
          invalid("element " + std::to_string(i) + " of operand 4 is not a number of steps of " +
                  to_string(n.type(0)));
    hidden_ = weight.shape()[2];
    if (n.has_attribute("hidden_size") && n.number("hidden_size", 0) != hidden_)
      invalid("hidden_size is " + std::to_string(n.number("hidden_size", 0)) + ", but R is " +
              to_string(weight.type()));
    if (n.opset() < 7) n.ignore({"output_sequence"});  // whether a program needs to compute Y
    read_activations();
  }

  // Returns activation function `i` of direction `d`, or an empty function if it is the default.
  ActivationFunction activation(int64_t d, size_t i) const {
    const size_t at = static_cast<size_t>(d) * activations_.size() + i;
    return same(names_[at], activations_[i]) ? ActivationFunction() : functions_[at];
  }
  const std::string& activation_name(int64_t d) const {
    return names_[static_cast<size_t>(d) * activations_.size()];
  }
  static bool same(const std::string& a, const std::string& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
  }

  // Calls layer(x, weights, lengths, initial, reverse, direction) for each direction and returns Y, Y_h and
  // Y_c.
  template <class Layer>
  Results run(Layer layer) {
    const Tensor x = batch_first_ ? node.in(0) : transpose(node.in(0), {.permutation = {1, 0, 2}});
    std::vector<Tensor> outputs, states, cells;
    for (int64_t d = 0; d < directions_; ++d) {
      const RecurrentResult r = layer(x, weights(d), node.optional(4),
                                      RecurrentState{state(5, d), node.has(6) ? state(6, d) : Tensor()},
                                      first_reverse_ || d == 1, d);
      // Y is [steps, directions, batch, hidden] or [batch, steps, directions, hidden], and Y_h [directions,
      // batch, hidden] or [batch, directions, hidden].
      const Tensor output = reshape(r.output, {.shape = {0, 0, 1, hidden_}});
      outputs.push_back(batch_first_ ? output : transpose(output, {.permutation = {1, 2, 0, 3}}));
      const auto add_state = [&](std::vector<Tensor>& to, const Tensor& t) {
        if (t.defined())
          to.push_back(reshape(t, {.shape = batch_first_ ? Shape{0, 1, hidden_} : Shape{1, -1, hidden_}}));
      };
      add_state(states, r.state);
      add_state(cells, r.cell);
    }
    const auto join = [](const std::vector<Tensor>& parts, int64_t axis) {
      return parts.size() == 1 ? parts[0] : concat(parts, {.axis = axis});
    };
    Results results = {join(outputs, batch_first_ ? 2 : 1), join(states, batch_first_ ? 1 : 0)};
    if (!cells.empty()) results.emplace_back(join(cells, batch_first_ ? 1 : 0));
    return results;
  }
  // Returns row `d` of an operand [directions, ...], without the first dimension and with the parts in the
  // order `order`. Returns an empty Tensor if the operand is not given.
  Tensor of_direction(int operand, int64_t d, const Order& order) {
    const Tensor all = node.optional(operand);
    if (!all.defined()) return {};
    if (all.type().rank() < 2 || all.shape()[0] != directions_ ||
        all.shape()[1] % static_cast<int64_t>(order.size()))
      invalid("operand " + std::to_string(operand) + " is " + to_string(all.type()) + "; it needs " +
              std::to_string(directions_) + " directions of " + std::to_string(order.size()) + " parts");
    return ordered(without_first(ops::slice(all, {.axis = 0, .start = d, .length = 1})), order);
  }

  Node& node;
  double clip = 0;

 private:
  void read_activations() {
    for (int64_t d = 0; d < directions_; ++d)
      names_.insert(names_.end(), activations_.begin(), activations_.end());
    names_ = node.texts("activations").value_or(names_);
    if (names_.size() != activations_.size() * static_cast<size_t>(directions_))
      invalid("there are " + std::to_string(names_.size()) + " activations for " +
              std::to_string(directions_) + " directions of " + std::to_string(activations_.size()));
    functions_ = activation_functions(names_, node.reals("activation_alpha").value_or(std::vector<double>{}),
                                      node.reals("activation_beta").value_or(std::vector<double>{}));
  }
  static Tensor without_first(const Tensor& t) {
    return reshape(t, {.shape = Shape(t.shape().begin() + 1, t.shape().end())});
  }
  RecurrentWeights weights(int64_t d) {
    RecurrentWeights w{of_direction(1, d, order_), of_direction(2, d, order_), {}, {}};
    if (!node.has(3)) return w;
    // B has the input biases and then the hidden biases.
    Order both = order_;
    for (const size_t i : order_) both.push_back(i + order_.size());
    const Tensor bias = of_direction(3, d, both);
    const int64_t size = bias.shape()[0] / 2;
    w.input_bias = ops::slice(bias, {.axis = 0, .start = 0, .length = size});
    w.hidden_bias = ops::slice(bias, {.axis = 0, .start = size, .length = size});
    return w;
  }
  // Returns the initial state of a direction, [batch, hidden].
  Tensor state(int operand, int64_t d) {
    const Tensor all = node.optional(operand);
    if (!all.defined()) return {};
    const int64_t axis = batch_first_ ? 1 : 0;
    if (all.type().rank() != 3 || all.shape()[static_cast<size_t>(axis)] != directions_)
      invalid("the initial state " + to_string(all.type()) + " has not " + std::to_string(directions_) +
              " directions");
    return reshape(ops::slice(all, {.axis = axis, .start = d, .length = 1}), {.shape = {-1, all.shape()[2]}});
  }

  Order order_;
  std::vector<std::string> activations_;  // the default names for one direction
  std::vector<std::string> names_;        // the names for all directions
  std::vector<ActivationFunction> functions_;
  bool first_reverse_, batch_first_;
  int64_t directions_, hidden_;
};

Results lstm_of(Node& n) {
  Recurrent r(n, {0, 2, 3, 1}, {"Sigmoid", "Tanh", "Tanh"});  // ONNX: i, o, f, c
  return r.run([&](const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                   const RecurrentState& initial, bool reverse, int64_t d) {
    return lstm(x, w, lengths, initial,
                {.reverse = reverse,
                 .clip = r.clip,
                 .input_forget = n.number("input_forget", 0) != 0,
                 .peepholes = r.of_direction(7, d, {0, 2, 1}),  // ONNX: i, o, f
                 .gate = r.activation(d, 0),
                 .candidate = r.activation(d, 1),
                 .output = r.activation(d, 2)});
  });
}

Results gru_of(Node& n) {
  Recurrent r(n, {1, 0, 2}, {"Sigmoid", "Tanh"});  // ONNX: z, r, h
  return r.run([&](const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                   const RecurrentState& initial, bool reverse, int64_t d) {
    return gru(x, w, lengths, initial,
               {.reverse = reverse,
                .clip = r.clip,
                .linear_before_reset = n.number("linear_before_reset", 0) != 0,
                .gate = r.activation(d, 0),
                .candidate = r.activation(d, 1)});
  });
}

Results rnn_of(Node& n) {
  Recurrent r(n, {0}, {"Tanh"});
  return r.run([&](const Tensor& x, const RecurrentWeights& w, const Tensor& lengths,
                   const RecurrentState& initial, bool reverse, int64_t d) {
    const bool relu = Recurrent::same(r.activation_name(d), "Relu");
    return rnn(x, w, lengths, initial,
               {.reverse = reverse,
                .clip = r.clip,
                .nonlinearity = relu ? RnnNonlinearity::kRelu : RnnNonlinearity::kTanh,
                .activation = relu ? ActivationFunction() : r.activation(d, 0)});
  });
}

}  // namespace

static void add_recurrent(Converters& table) {
  table.insert({{"LSTM", lstm_of}, {"GRU", gru_of}, {"RNN", rnn_of}});
}

static const ConverterFamily kRecurrentConverters(add_recurrent);

}  // namespace cutset::onnx

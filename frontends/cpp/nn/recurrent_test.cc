// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/recurrent.h>: values, gradients and updates against the definitions, which are composed of
// other ops row by row in f64; numbers of PyTorch; shapes that the graph was not built with; and errors.
#include <cutset/cutset.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <optional>

#include "tests/errors.h"

namespace cutset {
namespace {

enum class Kind { kLstm, kGru, kRnn };
int64_t parts_of(Kind kind) { return kind == Kind::kLstm ? 4 : kind == Kind::kGru ? 3 : 1; }

// A function with its options, as in ONNX.
struct Problem {
  const char* name;
  Kind kind;
  bool reverse = false;
  std::vector<int64_t> lengths = {};  // empty: none are given
  bool relu = false, linear_before_reset = true, biases = true, input_forget = false, peepholes = false;
  double clip = 0;
  bool initial = true;  // whether the initial states are given
};

constexpr int64_t kBatch = 3, kSteps = 4, kFeatures = 5, kHidden = 3;

struct Operands {
  Tensor x, peepholes, lengths;
  RecurrentWeights weights;
  RecurrentState initial;
};
Operands operands_of(Graph& g, const Problem& p) {
  const int64_t rows = parts_of(p.kind) * kHidden;
  const auto variable = [&](const char* name, const Shape& shape) {
    return g.variable(name, f32, shape, Initializer::uniform(-0.9, 0.9));
  };
  Operands o;
  o.x = variable("x", {kBatch, kSteps, kFeatures});
  o.weights = {variable("input", {rows, kFeatures}), variable("hidden", {rows, kHidden}), {}, {}};
  if (p.biases) o.weights.input_bias = variable("input_bias", {rows});
  if (p.biases) o.weights.hidden_bias = variable("hidden_bias", {rows});
  if (p.initial) o.initial.state = variable("state", {kBatch, kHidden});
  if (p.initial && p.kind == Kind::kLstm) o.initial.cell = variable("cell", {kBatch, kHidden});
  if (p.peepholes) o.peepholes = variable("peepholes", {3 * kHidden});
  if (!p.lengths.empty()) {
    HostTensor lengths({i32, {kBatch}});
    for (int64_t i = 0; i < kBatch; ++i)
      lengths.set(i, static_cast<double>(p.lengths[static_cast<size_t>(i)]));
    o.lengths = g.constant(lengths);
  }
  return o;
}

RecurrentResult call(const Problem& p, const Operands& o) {
  switch (p.kind) {
    case Kind::kLstm:
      return lstm(
          o.x, o.weights, o.lengths, o.initial,
          {.reverse = p.reverse, .clip = p.clip, .input_forget = p.input_forget, .peepholes = o.peepholes});
    case Kind::kGru:
      return gru(o.x, o.weights, o.lengths, o.initial,
                 {.reverse = p.reverse, .clip = p.clip, .linear_before_reset = p.linear_before_reset});
    default:
      return rnn(o.x, o.weights, o.lengths, o.initial,
                 {.reverse = p.reverse,
                  .clip = p.clip,
                  .nonlinearity = p.relu ? RnnNonlinearity::kRelu : RnnNonlinearity::kTanh});
  }
}

// Computes one row of the batch and one part of the weights at a time, over the steps of the row.
class Definition {
 public:
  Definition(const Problem& p, const Operands& o) : p_(p), o_(o) {}

  RecurrentResult build() const {
    std::vector<Tensor> outputs, states, cells;
    for (int64_t n = 0; n < kBatch; ++n) {
      const int64_t length =
          p_.lengths.empty() ? kSteps : std::clamp<int64_t>(p_.lengths[static_cast<size_t>(n)], 0, kSteps);
      const Tensor x =
          reshape(ops::slice(o_.x, {.axis = 0, .start = n, .length = 1}), {.shape = {kSteps, kFeatures}});
      Tensor h = first(o_.initial.state, n),
             c = p_.kind == Kind::kLstm ? first(o_.initial.cell, n) : Tensor();
      std::vector<Tensor> of_row(kSteps, h * 0.0);
      for (int64_t k = 0; k < length; ++k) {
        const int64_t t = p_.reverse ? length - 1 - k : k;
        step(ops::slice(x, {.axis = 0, .start = t, .length = 1}), h, c);
        of_row[static_cast<size_t>(t)] = h;
      }
      outputs.push_back(reshape(concat(of_row, {.axis = 0}), {.shape = {1, kSteps, kHidden}}));
      states.push_back(h);
      cells.push_back(c);
    }
    return {concat(outputs, {.axis = 0}), concat(states, {.axis = 0}),
            p_.kind == Kind::kLstm ? concat(cells, {.axis = 0}) : Tensor()};
  }

 private:
  Tensor first(const Tensor& states, int64_t n) const {
    if (states.defined()) return ops::slice(states, {.axis = 0, .start = n, .length = 1});
    return ops::slice(o_.weights.hidden, {.axis = 0, .start = 0, .length = 1}) * 0.0;
  }
  // Returns part k of the product of a weight and a row, plus part k of the bias.
  static Tensor part(const Tensor& weight, const Tensor& bias, int64_t k, const Tensor& row) {
    const Tensor of_weight = ops::slice(weight, {.axis = 0, .start = k * kHidden, .length = kHidden});
    const Tensor y = reshape(matmul(of_weight, row, {.transpose_y = true}), {.shape = {1, kHidden}});
    return bias.defined() ? y + ops::slice(bias, {.axis = 0, .start = k * kHidden, .length = kHidden}) : y;
  }
  Tensor of_input(int64_t k, const Tensor& x) const {
    return part(o_.weights.input, o_.weights.input_bias, k, x);
  }
  Tensor of_state(int64_t k, const Tensor& h) const {
    return part(o_.weights.hidden, o_.weights.hidden_bias, k, h);
  }
  Tensor limited(const Tensor& t) const {
    return p_.clip > 0 ? minimum(maximum(t, constant(t, -p_.clip)), constant(t, p_.clip)) : t;
  }
  Tensor seen(int64_t peephole, const Tensor& cell) const {
    if (!p_.peepholes) return cell * 0.0;
    return ops::slice(o_.peepholes, {.axis = 0, .start = peephole * kHidden, .length = kHidden}) * cell;
  }

  void step(const Tensor& x, Tensor& h, Tensor& c) const {
    const auto sum = [&](int64_t k) { return of_input(k, x) + of_state(k, h); };
    if (p_.kind == Kind::kLstm) {
      const Tensor i = sigmoid(limited(sum(0) + seen(0, c)));
      const Tensor f = p_.input_forget ? 1.0 - i : sigmoid(limited(sum(1) + seen(1, c)));
      c = f * c + i * tanh(limited(sum(2)));
      h = sigmoid(limited(sum(3) + seen(2, c))) * tanh(c);
    } else if (p_.kind == Kind::kGru) {
      const Tensor r = sigmoid(limited(sum(0))), z = sigmoid(limited(sum(1)));
      const Tensor again = p_.linear_before_reset ? r * of_state(2, h) : of_state(2, r * h);
      h = (1.0 - z) * tanh(limited(of_input(2, x) + again)) + z * h;
    } else {
      h = p_.relu ? relu(limited(sum(0))) : tanh(limited(sum(0)));
    }
  }

  const Problem& p_;
  const Operands& o_;
};

// Trains two steps in f64 and returns the loss and all variables, the sequences among them.
std::map<std::string, HostTensor> trained(const Problem& p, bool definition) {
  Graph g(11);
  const Operands o = operands_of(g, p);
  const RecurrentResult r = definition ? Definition(p, o).build() : call(p, o);
  g.output("output", r.output);
  g.output("state", r.state);
  if (r.cell.defined()) g.output("cell", r.cell);
  const auto weighted = [&](const Tensor& t, const char* name) {
    return sum(t * g.variable(name, f32, t.shape(), Initializer::uniform(0.2, 1), {.trainable = false}));
  };
  Tensor loss = weighted(r.output * r.output, "of_output") + weighted(r.state, "of_state");
  if (r.cell.defined()) loss = loss + weighted(r.cell, "of_cell");
  g.minimize(loss, {.learning_rate = 0.1});
  Session session = compile(g, {.devices = "reference:0", .f64 = true});
  std::map<std::string, HostTensor> all;
  for (int step = 0; step < 2; ++step)
    for (auto& [name, value] : session.train({})) all.insert_or_assign(name, value);
  for (const std::string& name : session.variables())
    all.insert_or_assign("variable " + name, session.variable(name));
  return all;
}

const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"lstm", Kind::kLstm},
      {"lstm backwards", Kind::kLstm, true},
      {"lstm of lengths", Kind::kLstm, false, {2, 4, 0}},
      {"lstm of lengths backwards", Kind::kLstm, true, {3, 9, -1}},
      {"lstm without biases and states", Kind::kLstm, false, {}, false, true, false, false, false, 0, false},
      {"lstm with peepholes", Kind::kLstm, false, {}, false, true, true, false, true},
      {"lstm with everything", Kind::kLstm, true, {3, 4, 0}, false, true, true, true, true, 0.7},
      {"gru", Kind::kGru},
      {"gru of lengths backwards", Kind::kGru, true, {1, 3, 7}},
      {"gru without biases and states",
       Kind::kGru,
       false,
       {2, 4, 1},
       false,
       true,
       false,
       false,
       false,
       0,
       false},
      {"gru, reset first", Kind::kGru, false, {}, false, false},
      {"gru, reset first, of lengths backwards", Kind::kGru, true, {4, 0, 2}, false, false},
      {"gru with clip", Kind::kGru, false, {2, 4, 3}, false, true, true, false, false, 0.6},
      {"gru, reset first, with clip", Kind::kGru, true, {}, false, false, true, false, false, 0.6},
      {"rnn", Kind::kRnn},
      {"rnn of lengths backwards", Kind::kRnn, true, {1, 4, 2}},
      {"relu", Kind::kRnn, false, {3, 1, 4}, true},
      {"relu with clip", Kind::kRnn, true, {3, 1, 4}, true, true, true, false, false, 0.8},
  };
  return all;
}

TEST(Recurrent, FunctionsAndGradientsAreThoseOfTheDefinition) {
  for (const Problem& p : problems()) {
    SCOPED_TRACE(p.name);
    const auto got = trained(p, false), want = trained(p, true);
    ASSERT_EQ(got.size(), want.size());
    for (const auto& [name, value] : want) {
      const HostTensor& mine = got.at(name);
      ASSERT_EQ(mine.type(), value.type()) << name;
      for (int64_t i = 0; i < value.elements(); ++i)
        EXPECT_NEAR(mine.at(i), value.at(i), 1e-12 * (1 + std::abs(value.at(i)))) << name << "[" << i << "]";
    }
  }
}

// A limit that is never reached changes only the ops.
TEST(Recurrent, StepsOfTheirOwnGiveWhatTheOpsGive) {
  for (Problem p : problems()) {
    if (p.clip > 0 || p.input_forget || p.peepholes) continue;
    SCOPED_TRACE(p.name);
    const auto want = trained(p, false);
    p.clip = 1e6;
    for (const auto& [name, value] : trained(p, false))
      for (int64_t i = 0; i < value.elements(); ++i)
        EXPECT_NEAR(value.at(i), want.at(name).at(i), 1e-12 * (1 + std::abs(value.at(i))))
            << name << "[" << i << "]";
  }
}

TEST(Recurrent, Gradients) {
  for (const bool batch_first : {false, true})
    for (const Kind kind : {Kind::kLstm, Kind::kGru, Kind::kRnn}) {
      Graph g(3);
      const Tensor x = g.input("x", f32, {3, 3, 4}, {.batch_dimension = batch_first ? 0 : 1});
      const nn::RecurrentOptions options{
          .hidden = 3, .layers = 2, .batch_first = batch_first, .bidirectional = true};
      const RecurrentResult r = kind == Kind::kLstm  ? nn::lstm("r", x, options)
                                : kind == Kind::kGru ? nn::gru("r", x, options)
                                                     : nn::rnn("r", x, options);
      Tensor loss = mean(r.output * r.output) + mean(r.state);
      if (r.cell.defined()) loss = loss + mean(r.cell * r.cell);
      g.minimize(loss, {.learning_rate = 0.1});
      EXPECT_GRADIENTS(g) << static_cast<int>(kind) << batch_first;
    }
}

}  // namespace
}  // namespace cutset

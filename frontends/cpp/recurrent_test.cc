// Tests <cutset/recurrent.h>: values, gradients and updates beside the definitions, which are composed of
// other ops row by row in f64; numbers of PyTorch; other shapes than those of the graph; and errors.
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

// A function with its options, which are those of ONNX.
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
    for (int64_t i = 0; i < kBatch; ++i) lengths.set(i, static_cast<double>(p.lengths[static_cast<size_t>(i)]));
    o.lengths = g.constant(lengths);
  }
  return o;
}

RecurrentResult call(const Problem& p, const Operands& o) {
  switch (p.kind) {
    case Kind::kLstm:
      return lstm(o.x, o.weights, o.lengths, o.initial,
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

// One row of the batch and one part of the weights at a time, over the steps that the row has.
class Definition {
 public:
  Definition(const Problem& p, const Operands& o) : p_(p), o_(o) {}

  RecurrentResult build() const {
    std::vector<Tensor> outputs, states, cells;
    for (int64_t n = 0; n < kBatch; ++n) {
      const int64_t length =
          p_.lengths.empty() ? kSteps : std::clamp<int64_t>(p_.lengths[static_cast<size_t>(n)], 0, kSteps);
      const Tensor x = reshape(ops::slice(o_.x, {.axis = 0, .start = n, .length = 1}), {.shape = {kSteps, kFeatures}});
      Tensor h = first(o_.initial.state, n), c = p_.kind == Kind::kLstm ? first(o_.initial.cell, n) : Tensor();
      std::vector<Tensor> of_row(kSteps, h * 0.0);
      for (int64_t k = 0; k < length; ++k) {
        const int64_t t = p_.reverse ? length - 1 - k : k;
        step(ops::slice(x, {.axis = 0, .start = t, .length = 1}), h, c);
        of_row[static_cast<size_t>(t)] = h;
      }
      outputs.push_back(reshape(concat(of_row, {.axis = 0}), {.shape = {1, kSteps, kHidden}}));
      states.push_back(h), cells.push_back(c);
    }
    return {concat(outputs, {.axis = 0}), concat(states, {.axis = 0}),
            p_.kind == Kind::kLstm ? concat(cells, {.axis = 0}) : Tensor()};
  }

 private:
  Tensor first(const Tensor& states, int64_t n) const {
    if (states.defined()) return ops::slice(states, {.axis = 0, .start = n, .length = 1});
    return ops::slice(o_.weights.hidden, {.axis = 0, .start = 0, .length = 1}) * 0.0;
  }
  // Part k of the product of a weight and a row, plus that of its bias.
  static Tensor part(const Tensor& weight, const Tensor& bias, int64_t k, const Tensor& row) {
    const Tensor of_weight = ops::slice(weight, {.axis = 0, .start = k * kHidden, .length = kHidden});
    const Tensor y = reshape(matmul(of_weight, row, {.transpose_y = true}), {.shape = {1, kHidden}});
    return bias.defined() ? y + ops::slice(bias, {.axis = 0, .start = k * kHidden, .length = kHidden}) : y;
  }
  Tensor of_input(int64_t k, const Tensor& x) const { return part(o_.weights.input, o_.weights.input_bias, k, x); }
  Tensor of_state(int64_t k, const Tensor& h) const { return part(o_.weights.hidden, o_.weights.hidden_bias, k, h); }
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
  g.output("output", r.output), g.output("state", r.state);
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
  for (const std::string& name : session.variables()) all.insert_or_assign("variable " + name, session.variable(name));
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
      {"gru without biases and states", Kind::kGru, false, {2, 4, 1}, false, true, false, false, false, 0, false},
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

// A limit that nothing reaches changes nothing but the ops.
TEST(Recurrent, StepsOfTheirOwnGiveWhatTheOpsGive) {
  for (Problem p : problems()) {
    if (p.clip > 0 || p.input_forget || p.peepholes) continue;
    SCOPED_TRACE(p.name);
    const auto want = trained(p, false);
    p.clip = 1e6;
    for (const auto& [name, value] : trained(p, false))
      for (int64_t i = 0; i < value.elements(); ++i)
        EXPECT_NEAR(value.at(i), want.at(name).at(i), 1e-12 * (1 + std::abs(value.at(i)))) << name << "[" << i << "]";
  }
}

TEST(Recurrent, Gradients) {
  for (const bool batch_first : {false, true})
    for (const Kind kind : {Kind::kLstm, Kind::kGru, Kind::kRnn}) {
      Graph g(3);
      const Tensor x = g.input("x", f32, {3, 3, 4}, {.batch_dimension = batch_first ? 0 : 1});
      const nn::RecurrentOptions options{.hidden = 3, .layers = 2, .batch_first = batch_first, .bidirectional = true};
      const RecurrentResult r = kind == Kind::kLstm  ? nn::lstm("r", x, options)
                                : kind == Kind::kGru ? nn::gru("r", x, options)
                                                     : nn::rnn("r", x, options);
      Tensor loss = mean(r.output * r.output) + mean(r.state);
      if (r.cell.defined()) loss = loss + mean(r.cell * r.cell);
      g.minimize(loss, {.learning_rate = 0.1});
      EXPECT_GRADIENTS(g) << static_cast<int>(kind) << batch_first;
    }
}

// The weights and sequences of the next test: element i of the k-th tensor.
double element(size_t k, int64_t i) {
  return 0.8 * std::sin(1.3 * static_cast<double>(k + 1) + 0.7 * static_cast<double>(i));
}

// The results of two layers in both directions over sequences [3 steps, batch 2, 3 features].
std::vector<double> of_layers(Kind kind, const std::string& device) {
  Graph g;
  const Tensor x = g.input("x", f32, {3, 2, 3}, {.batch_dimension = 1});
  const nn::RecurrentOptions options{.hidden = 2, .layers = 2, .bidirectional = true};
  const RecurrentResult r = kind == Kind::kLstm  ? nn::lstm("r", x, options)
                            : kind == Kind::kGru ? nn::gru("r", x, options)
                                                 : nn::rnn("r", x, options);
  EXPECT_EQ(r.output.shape(), (Shape{3, 2, 4}));
  EXPECT_EQ(r.state.shape(), (Shape{4, 2, 2}));
  g.output("output", r.output), g.output("state", r.state);
  if (r.cell.defined()) g.output("cell", r.cell);
  Session session = compile(g, {.devices = device});
  size_t k = 0;
  const auto filled = [&](const Shape& shape) {
    HostTensor t({f32, shape});
    for (int64_t i = 0; i < t.elements(); ++i) t.set(i, element(k, i));
    ++k;
    return t;
  };
  for (const std::string end : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"})
    for (const std::string what : {"r.weight_ih", "r.weight_hh", "r.bias_ih", "r.bias_hh"})
      session.set_variable(what + end, filled(session.variable(what + end).shape()));
  Batch batch;
  batch.emplace("x", filled({3, 2, 3}));
  const Outputs results = session.evaluate(batch);
  std::vector<double> some;
  for (const char* name : {"output", "state", "cell"}) {
    if (std::string(name) == "cell" && kind != Kind::kLstm) continue;
    const HostTensor& t = results[name];
    for (int64_t i = 0; i < t.elements(); i += 5) some.push_back(t.at(i));
  }
  return some;
}

TEST(Recurrent, LayersGiveTheNumbersOfPyTorch) {
  const std::pair<Kind, std::vector<double>> all[] = {
      // Elements 0, 5, 10, ... of the output, the states and the cells, by torch 2 in f64.
      {Kind::kLstm,
       {-0.291073882, -0.150924689, -0.169511824, -0.372536403, -0.343028397, 0.109986626, 0.212692932, -0.343028397,
        -0.403655868, 0.209693791, 0.2764091, -0.7840246, -1.16789771}},
      {Kind::kGru,
       {-0.713057203, -0.180841685, -0.427069198, -0.579509049, -0.892386855, 0.315311792, 0.664423668, -0.892386855,
        -0.6560777}},
      {Kind::kRnn,
       {0.543173426, -0.232258162, 0.943962431, 0.877130645, 0.892007261, -0.944483289, -0.626416241, 0.892007261,
        0.383978296}},
  };
  for (const std::string& device : testing::backends())
    for (const auto& [kind, want] : all)
      EXPECT_THAT(of_layers(kind, device), ::testing::Pointwise(::testing::DoubleNear(2e-6), want)) << device;
}

TEST(Recurrent, VariablesAreThoseOfPyTorch) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 2, 300});
  g.output("a", nn::lstm("a", x, {.hidden = 16, .layers = 2, .batch_first = true, .bidirectional = true}).output);
  g.output("b", nn::gru("b", x, {.hidden = 16, .bias = false}).output);
  g.output("c", nn::rnn("c", x, {.hidden = 16}).state);
  Session session = compile(g, {.devices = "reference:0"});
  std::map<std::string, Shape> want;
  for (const std::string end : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"}) {
    want["a.weight_ih" + end] = {64, end[2] == '0' ? 300 : 32};
    want["a.weight_hh" + end] = {64, 16};
    want["a.bias_ih" + end] = want["a.bias_hh" + end] = {64};
  }
  want["b.weight_ih_l0"] = {48, 300}, want["b.weight_hh_l0"] = {48, 16};
  want["c.weight_ih_l0"] = {16, 300}, want["c.weight_hh_l0"] = {16, 16};
  want["c.bias_ih_l0"] = want["c.bias_hh_l0"] = {16};
  std::map<std::string, Shape> got;
  for (const std::string& name : session.variables()) got[name] = session.variable(name).shape();
  EXPECT_EQ(got, want);
  double largest = 0;
  for (const std::string& name : session.variables()) {
    const HostTensor v = session.variable(name);
    for (int64_t i = 0; i < v.elements(); ++i) largest = std::max(largest, std::abs(v.at(i)));
  }
  EXPECT_LE(largest, 0.25);
  EXPECT_GT(largest, 0.2499);
}

// A session computes what a graph for the other batch size and number of steps computes.
TEST(Recurrent, OtherBatchesAndStepsAreCompiled) {
  const auto build = [](int64_t batch, int64_t steps) {
    Graph g(5);
    const Tensor x = g.input("x", f32, {batch, steps, 3}), lengths = g.input("lengths", i64, {batch});
    const RecurrentResult r =
        nn::lstm("r", x, {.hidden = 4, .layers = 2, .batch_first = true, .bidirectional = true}, lengths);
    g.output("y", r.output), g.output("h", r.state);
    g.minimize(mean(r.output * r.output) + mean(r.cell), {.learning_rate = 0.1});
    return g;
  };
  const auto batch_of = [](int64_t batch, int64_t steps) {
    HostTensor x({f32, {batch, steps, 3}}), lengths({i64, {batch}});
    for (int64_t i = 0; i < x.elements(); ++i) x.set(i, element(3, i));
    for (int64_t i = 0; i < batch; ++i) lengths.set(i, static_cast<double>(1 + i % steps));
    Batch b;
    b.emplace("x", x), b.emplace("lengths", lengths);
    return b;
  };
  for (const std::string& device : testing::backends()) {
    Session session = compile(build(2, 4), {.devices = device});
    for (const auto& [batch, steps] : {std::pair(3, 6), {5, 1}, {1, 3}}) {
      Session other = compile(build(batch, steps), {.devices = device});
      for (const std::string& name : session.variables()) other.set_variable(name, session.variable(name));
      const Outputs got = session.train(batch_of(batch, steps)), want = other.train(batch_of(batch, steps));
      EXPECT_EQ(got["y"], want["y"]) << device;
      EXPECT_EQ(got["h"], want["h"]) << device;
      for (const std::string& name : session.variables()) EXPECT_EQ(session.variable(name), other.variable(name));
    }
  }
}

TEST(Recurrent, DropoutIsBetweenLayersWhileTraining) {
  const auto outputs = [](double probability) {
    Graph g(5);
    const Tensor x = g.input("x", f32, {2, 3, 4});
    g.output("y", nn::gru("r", x, {.hidden = 8, .layers = 2, .batch_first = true, .dropout = probability}).output);
    g.output("one", nn::gru("s", x, {.hidden = 8, .batch_first = true, .dropout = probability}).output);
    g.minimize(sum(g.variable("w", f32, {1}, Initializer::zeros())), {.learning_rate = 0});
    Session session = compile(g, {.devices = "reference:0"});
    Batch batch = testing::random_batch(g, 1);
    return std::pair(session.train(batch), session.evaluate(batch));
  };
  const auto [with, with_evaluated] = outputs(0.5);
  const auto [without, evaluated] = outputs(0);
  EXPECT_FALSE(with["y"] == without["y"]);
  EXPECT_EQ(with["one"], without["one"]);
  EXPECT_EQ(with_evaluated["y"], evaluated["y"]);
}

TEST(Recurrent, Mistakes) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 4, 3}), flat = g.input("flat", f32, {2, 12}),
               ids = g.input("ids", i32, {2, 4, 3});
  const Tensor input = g.input("input", f32, {8, 3}), hidden = g.input("hidden", f32, {8, 2}),
               bias = g.input("bias", f32, {8}), state = g.input("state", f32, {2, 2});
  EXPECT_ERROR_HERE("lstm of 2x12xf32 needs [batch, steps, features]", lstm(flat, {input, hidden, {}, {}}));
  EXPECT_ERROR_HERE("lstm of 2x4x3xi32 needs [batch, steps, features]", lstm(ids, {input, hidden, {}, {}}));
  EXPECT_ERROR_HERE("empty Tensor", lstm(x, {input, {}, {}, {}}));
  EXPECT_ERROR_HERE("an input weight of 8x3xf32, not 8x2xf32", lstm(x, {hidden, hidden, {}, {}}));
  EXPECT_ERROR_HERE("a hidden weight of 6x2xf32, not 8x2xf32", gru(x, {input, hidden, {}, {}}));
  EXPECT_ERROR_HERE("a hidden bias of 8xf32, not 8x3xf32", lstm(x, {input, hidden, bias, input}));
  EXPECT_ERROR_HERE("an initial state of 2x2xf32, not 8x2xf32", lstm(x, {input, hidden, {}, {}}, {}, {hidden, state}));
  EXPECT_ERROR_HERE("an initial cell of 2x2xf32, not 8x2xf32", lstm(x, {input, hidden, {}, {}}, {}, {state, hidden}));
  EXPECT_ERROR_HERE("lengths of 2xi32 or i64, not 8xf32", lstm(x, {input, hidden, {}, {}}, bias));
  EXPECT_ERROR_HERE("a clip of 0 or more", lstm(x, {input, hidden, {}, {}}, {}, {}, {.clip = -1}));
  EXPECT_ERROR_HERE("peepholes with 3 * 2 elements, not 8xf32",
                    lstm(x, {input, hidden, {}, {}}, {}, {}, {.peepholes = bias}));
  const Tensor many = g.input("many", f32, {2, 1025, 3});
  EXPECT_ERROR_HERE("at most 1024 steps", lstm(many, {input, hidden, {}, {}}, {}, {}, {.clip = 1}));
  EXPECT_ERROR_HERE("lstm 'r' has hidden = 0", nn::lstm("r", x, {}));
  EXPECT_ERROR_HERE("gru 'r' has layers = 0", nn::gru("r", x, {.hidden = 2, .layers = 0}));
  EXPECT_ERROR_HERE("rnn 'r' has dropout = 1", nn::rnn("r", x, {.hidden = 2, .dropout = 1}));
  EXPECT_ERROR_HERE("needs [1, batch, hidden] as an initial state", nn::rnn("r", x, {.hidden = 2}, {}, {x, {}}));
  EXPECT_ERROR_HERE("rnn of 2x12xf32 needs rank 3: [steps, batch, features]", nn::rnn("r", flat, {.hidden = 2}));
  g.output("y", nn::rnn("r", x, {.hidden = 2}).output);  // the calls that failed have left nothing behind
  EXPECT_EQ(compile(g, {.devices = "reference:0"}).variables().size(), 4u);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests <cutset/recurrent_layers.h>: numbers of PyTorch, shapes that the graph was not built with, and
// errors.
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

// Returns element i of the k-th tensor of the weights and sequences of the next test.
double element(size_t k, int64_t i) {
  return 0.8 * std::sin(1.3 * static_cast<double>(k + 1) + 0.7 * static_cast<double>(i));
}

// Returns the results of two layers in both directions over sequences [3 steps, batch 2, 3 features].
std::vector<double> of_layers(Kind kind, const std::string& device) {
  Graph g;
  const Tensor x = g.input("x", f32, {3, 2, 3}, {.batch_dimension = 1});
  const nn::RecurrentOptions options{.hidden = 2, .layers = 2, .bidirectional = true};
  const RecurrentResult r = kind == Kind::kLstm  ? nn::lstm("r", x, options)
                            : kind == Kind::kGru ? nn::gru("r", x, options)
                                                 : nn::rnn("r", x, options);
  EXPECT_EQ(r.output.shape(), (Shape{3, 2, 4}));
  EXPECT_EQ(r.state.shape(), (Shape{4, 2, 2}));
  g.output("output", r.output);
  g.output("state", r.state);
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
       {-0.291073882, -0.150924689, -0.169511824, -0.372536403, -0.343028397, 0.109986626, 0.212692932,
        -0.343028397, -0.403655868, 0.209693791, 0.2764091, -0.7840246, -1.16789771}},
      {Kind::kGru,
       {-0.713057203, -0.180841685, -0.427069198, -0.579509049, -0.892386855, 0.315311792, 0.664423668,
        -0.892386855, -0.6560777}},
      {Kind::kRnn,
       {0.543173426, -0.232258162, 0.943962431, 0.877130645, 0.892007261, -0.944483289, -0.626416241,
        0.892007261, 0.383978296}},
  };
  for (const std::string& device : testing::backends())
    for (const auto& [kind, want] : all)
      EXPECT_THAT(of_layers(kind, device), ::testing::Pointwise(::testing::DoubleNear(2e-6), want)) << device;
}

TEST(Recurrent, VariablesAreThoseOfPyTorch) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 2, 300});
  g.output("a",
           nn::lstm("a", x, {.hidden = 16, .layers = 2, .batch_first = true, .bidirectional = true}).output);
  g.output("b", nn::gru("b", x, {.hidden = 16, .bias = false}).output);
  g.output("c", nn::rnn("c", x, {.hidden = 16}).state);
  Session session = compile(g, {.devices = "reference:0"});
  std::map<std::string, Shape> want;
  for (const std::string end : {"_l0", "_l0_reverse", "_l1", "_l1_reverse"}) {
    want["a.weight_ih" + end] = {64, end[2] == '0' ? 300 : 32};
    want["a.weight_hh" + end] = {64, 16};
    want["a.bias_ih" + end] = want["a.bias_hh" + end] = {64};
  }
  want["b.weight_ih_l0"] = {48, 300};
  want["b.weight_hh_l0"] = {48, 16};
  want["c.weight_ih_l0"] = {16, 300};
  want["c.weight_hh_l0"] = {16, 16};
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

// A session computes the results of a graph for the other batch size and number of steps.
TEST(Recurrent, OtherBatchesAndStepsAreCompiled) {
  const auto build = [](int64_t batch, int64_t steps) {
    Graph g(5);
    const Tensor x = g.input("x", f32, {batch, steps, 3}), lengths = g.input("lengths", i64, {batch});
    const RecurrentResult r =
        nn::lstm("r", x, {.hidden = 4, .layers = 2, .batch_first = true, .bidirectional = true}, lengths);
    g.output("y", r.output);
    g.output("h", r.state);
    g.minimize(mean(r.output * r.output) + mean(r.cell), {.learning_rate = 0.1});
    return g;
  };
  const auto batch_of = [](int64_t batch, int64_t steps) {
    HostTensor x({f32, {batch, steps, 3}}), lengths({i64, {batch}});
    for (int64_t i = 0; i < x.elements(); ++i) x.set(i, element(3, i));
    for (int64_t i = 0; i < batch; ++i) lengths.set(i, static_cast<double>(1 + i % steps));
    Batch b;
    b.emplace("x", x);
    b.emplace("lengths", lengths);
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
      for (const std::string& name : session.variables())
        EXPECT_EQ(session.variable(name), other.variable(name));
    }
  }
}

TEST(Recurrent, DropoutIsBetweenLayersWhileTraining) {
  const auto outputs = [](double probability) {
    Graph g(5);
    const Tensor x = g.input("x", f32, {2, 3, 4});
    g.output("y",
             nn::gru("r", x, {.hidden = 8, .layers = 2, .batch_first = true, .dropout = probability}).output);
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
  EXPECT_ERROR_HERE("an initial state of 2x2xf32, not 8x2xf32",
                    lstm(x, {input, hidden, {}, {}}, {}, {hidden, state}));
  EXPECT_ERROR_HERE("an initial cell of 2x2xf32, not 8x2xf32",
                    lstm(x, {input, hidden, {}, {}}, {}, {state, hidden}));
  EXPECT_ERROR_HERE("lengths of 2xi32 or i64, not 8xf32", lstm(x, {input, hidden, {}, {}}, bias));
  EXPECT_ERROR_HERE("a clip of 0 or more", lstm(x, {input, hidden, {}, {}}, {}, {}, {.clip = -1}));
  EXPECT_ERROR_HERE("peepholes with 3 * 2 elements, not 8xf32",
                    lstm(x, {input, hidden, {}, {}}, {}, {}, {.peepholes = bias}));
  const Tensor many = g.input("many", f32, {2, 1025, 3});
  EXPECT_ERROR_HERE("at most 1024 steps", lstm(many, {input, hidden, {}, {}}, {}, {}, {.clip = 1}));
  EXPECT_ERROR_HERE("lstm 'r' has hidden = 0", nn::lstm("r", x, {}));
  EXPECT_ERROR_HERE("gru 'r' has layers = 0", nn::gru("r", x, {.hidden = 2, .layers = 0}));
  EXPECT_ERROR_HERE("rnn 'r' has dropout = 1", nn::rnn("r", x, {.hidden = 2, .dropout = 1}));
  EXPECT_ERROR_HERE("needs [1, batch, hidden] as an initial state",
                    nn::rnn("r", x, {.hidden = 2}, {}, {x, {}}));
  EXPECT_ERROR_HERE("rnn of 2x12xf32 needs rank 3: [steps, batch, features]",
                    nn::rnn("r", flat, {.hidden = 2}));
  g.output("y", nn::rnn("r", x, {.hidden = 2}).output);  // the calls that failed have left nothing
  EXPECT_EQ(compile(g, {.devices = "reference:0"}).variables().size(), 4u);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests the training of variables of f16 and bf16. States, scalars, clipping and averages are f32
// (docs/decisions/0055-states-of-sixteen-bit-variables-are-f32.md). Every optimizer is compared with
// PyTorch's values and with the training of an f32 variable, and every strategy with one device.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ir/core/half.h"
#include "tests/compositions.h"
#include "tests/conformance/on_device.h"
#include "tests/equivalence/support/known_optimizers.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

constexpr double kDecay = 0.999f;  // the number that the session feeds

// Returns f(0), f(1) ... f(n - 1).
template <class F>
Numbers each(size_t n, F f) {
  Numbers all(n);
  for (size_t i = 0; i < n; ++i) all[i] = f(i);
  return all;
}

// Returns a graph in which the gradient of w is the input c.
Graph line(DType type, const Optimizer& optimizer, const GradientClipping& clipping = {}) {
  Graph g;
  const Tensor w = g.variable("w", type, {2, 3}, Initializer::zeros()),
               c = g.input("c", type, {2, 3}, {.batch_dimension = std::nullopt});
  if (clipping.norm) g.clip_gradients(clipping);
  g.average_weights({.decay = kDecay});
  g.function("evaluate", {}, {{"w", w}});
  g.minimize(sum(cast(w, {.dtype = f32}) * cast(c, {.dtype = f32})), optimizer);
  return g;
}

// Returns the numbers of a type that are nearest to the numbers of x.
Numbers rounded(Numbers x, DType type) {
  for (double& v : x) v = from_half(to_half(v, type), type);
  return x;
}

// Returns numbers of the type. Two of them are 0 in every step. The largest is 30,000, whose square is too
// large for f16.
Numbers gradient_of_step(int t, DType type) {
  return rounded(each(6,
                      [&](size_t i) {
                        const int k = (7 * t + 3 * static_cast<int>(i)) % 11 - 5;
                        return i % 3 == 1 ? 0 : i == 5 ? k * 6000. : i == 0 ? k * 1e-3 : k / 4.;
                      }),
                 type);
}

// Expects each element within the share `relative` of the magnitude of `of`, plus `absolute`.
void expect_near(const HostTensor& got, const Numbers& want, const Numbers& of, double relative,
                 double absolute, const std::string& what) {
  ASSERT_EQ(static_cast<size_t>(got.elements()), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i)
    EXPECT_LE(std::abs(got.at(static_cast<int64_t>(i)) - want[i]), relative * std::abs(of[i]) + absolute)
        << what << ", element " << i << ": " << got.at(static_cast<int64_t>(i)) << " and not " << want[i];
}

// Expects the bits of an f32 variable `w` that made the same step: equal states, and its value, rounded.
void expect_rounded_step(const Session& session, const Session& wide, DType type, const std::string& what) {
  for (const std::string& v : session.variables())
    if (v != "w" && v != "w/average") {
      EXPECT_EQ(session.variable(v), wide.variable(v)) << what << ", " << v;
    }
  EXPECT_EQ(elements(session.variable("w")), rounded(elements(wide.variable("w")), type)) << what;
}

// Trains 6 steps. PyTorch rounds the variable after each step, as the session does. An element may be rounded
// to a neighbour, because PyTorch computes in f64.
void expect_steps_of(const SixteenBitRun& run, DType type, const std::string& devices) {
  Session session = compile(line(type, run.optimizer, run.clipping), {.devices = devices}),
          wide = compile(line(f32, run.optimizer, run.clipping), {.devices = devices});
  Numbers w = rounded(each(6, [](size_t i) { return (5. * static_cast<double>(i) - 12) / 100; }), type),
          average = w, largest = w;
  session.set_variable("w", filled(type, {2, 3}, w));
  session.set_variable("w/average", filled(f32, {2, 3}, w));
  const double distance = type == f16 ? 0x1p-10 : 0x1p-7;  // the most between neighbours
  int compared = 0;
  for (int t = 1; t <= 6; ++t) {
    const std::string what =
        run.name + " of " + name_of(type) + " on " + devices + ", step " + std::to_string(t);
    const Numbers g = gradient_of_step(t, type);
    wide.set_variable("w", filled(f32, {2, 3}, w));
    wide.train({{"c", filled(f32, {2, 3}, g)}});
    session.train({{"c", filled(type, {2, 3}, g)}});
    expect_rounded_step(session, wide, type, what);
    w = elements(session.variable("w"));
    for (size_t i = 0; i < w.size(); ++i) largest[i] = std::max(largest[i], std::abs(w[i]));
    for (const SixteenBitValue& known : sixteen_bit_values())
      if (known.run == run.name && known.type == type && known.step == t) {
        expect_near(session.variable("w"), known.variable, largest, distance, 6e-8, what);
        ++compared;
      }
    for (size_t i = 0; i < w.size(); ++i) average[i] = kDecay * average[i] + (1 - kDecay) * w[i];
    expect_near(session.variable("w/average"), average, average, 1e-6, 1e-9, what + ", average");
    const HostTensor read = session.evaluate({})["w"];
    EXPECT_EQ(read.dtype(), type);
    EXPECT_EQ(elements(read), rounded(elements(session.variable("w/average")), type)) << what;
  }
  EXPECT_EQ(compared, 3) << run.name;
}

class SixteenBitOptimizers : public ::testing::TestWithParam<std::string> {};

// The runs include optimizers whose gradients are clipped, in f32.
TEST_P(SixteenBitOptimizers, EqualPyTorchAndAnF32Variable) {
  for (const SixteenBitRun& run : sixteen_bit_runs())
    for (const DType type : {f16, bf16}) expect_steps_of(run, type, GetParam() + ":0");
}

// bf16 cannot hold 401. After 400 steps, the rate is a fifth of the first rate, and the square sum is 1 after
// a gradient of 1.
TEST_P(SixteenBitOptimizers, AdagradCountsItsSteps) {
  Session session = compile(line(bf16, Adagrad{.learning_rate_decay = 0.01}), {.devices = GetParam() + ":0"});
  session.set_variable("w/steps", filled(f32, {}, {400}));
  session.train({{"c", filled(bf16, {2, 3}, Numbers(6, 1))}});
  EXPECT_EQ(session.variable("w/steps").at(0), 401);
  EXPECT_NEAR(session.variable("w").at(0), -0.01 / 5, 0x1p-8 * 0.01 / 5);
}
INSTANTIATE_TEST_SUITE_P(All, SixteenBitOptimizers, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

// Returns two layers whose gradients are sums of small whole numbers. These sums are exact in every order, so
// all strategies have the same bits.
Graph layers(const Optimizer& optimizer) {
  Graph g(5);
  const Tensor x = g.input("x", bf16, {8, 4});
  const Tensor first = matmul(x, g.variable("first", bf16, {4, 6}, Initializer::uniform(-1, 1)));
  const Tensor second = matmul(x * 2, g.variable("second", bf16, {4, 6}, Initializer::uniform(-1, 1)));
  g.clip_gradients({.norm = 0.01});
  g.average_weights();
  g.minimize(sum(cast(first, {.dtype = f32})) + sum(cast(second, {.dtype = f32})), optimizer);
  return g;
}
Batch whole_numbers(int t) {
  return {{"x", filled(bf16, {8, 4},
                       each(32, [&](size_t i) { return (7 * t + 3 * static_cast<int>(i)) % 5 - 2; }))}};
}

struct On {
  const char *devices, *strategy;
};
class SixteenBitsUnder : public ::testing::TestWithParam<On> {};

TEST_P(SixteenBitsUnder, AStrategyTrainsAsOneDevice) {
  for (const auto& [name, optimizer] : known_optimizers()) {
    Session one = compile(layers(optimizer), {.devices = "reference:0"});
    Session all =
        compile(layers(optimizer), {.devices = GetParam().devices, .strategy = GetParam().strategy});
    EXPECT_EQ(all.variables(), one.variables());
    for (int t = 1; t <= 4; ++t) {
      one.train(whole_numbers(t));
      all.train(whole_numbers(t));
      for (const std::string& v : one.variables())
        EXPECT_EQ(all.variable(v), one.variable(v)) << name << ", " << v << " after step " << t;
    }
  }
}
TEST_P(SixteenBitsUnder, AStrategyIsVerified) {
  for (const Optimizer& optimizer :
       {Optimizer(Adam{}), Optimizer(Sgd{}), Optimizer(RmsProp{.centered = true})})
    EXPECT_SAME_ON(layers(optimizer), GetParam().devices, GetParam().strategy);
}
constexpr const char *kTwo = "sim:0,reference:0", *kFour = "sim:0,reference:0,sim:1,reference:1";
INSTANTIATE_TEST_SUITE_P(Strategies, SixteenBitsUnder,
                         ::testing::Values(On{kTwo, "data(2)"}, On{kTwo, "data(2, shard=optimizer)"},
                                           On{kTwo, "data(2, shard=gradients)"},
                                           On{kTwo, "data(2, shard=parameters)"}, On{kTwo, "tensor(2)"},
                                           On{kTwo, "pipeline(2, micro_batches=2)"}, On{kTwo, "model"},
                                           On{kFour, "data(2, shard=optimizer) * tensor(2)"},
                                           On{"cpu:0,reference:0", "data(2)"}));

// A resumed session has the same bits as a session without an interruption.
TEST(SixteenBitStates, AreSavedAsTheyAre) {
  const TemporaryFolder folder;
  const std::string file = folder.path("half.safetensors"), program = folder.path("half.cutset");
  Session session = compile(layers(Adam{}), {.devices = "reference:0"});
  EXPECT_EQ(session.variable("first/average").dtype(), f32);
  EXPECT_EQ(elements(session.variable("first/average")), elements(session.variable("first")));
  for (int t = 1; t <= 3; ++t) session.train(whole_numbers(t));
  session.save(file);
  save_program(layers(Adam{}), {.devices = "reference:0"}, program, {.weights = file});
  SavedProgram saved = load_program(program);
  Session loaded = compile(layers(Adam{}), {.devices = "reference:0"});
  EXPECT_TRUE(loaded.load(file).complete());
  for (int t = 4; t <= 6; ++t) {
    const HostTensor loss = session.train(whole_numbers(t)).at("loss");
    EXPECT_EQ(loaded.train(whole_numbers(t)).at("loss"), loss);
    EXPECT_EQ(saved.run("train", whole_numbers(t)).at("loss"), loss);
  }
  for (const std::string& v : session.variables()) EXPECT_EQ(loaded.variable(v), session.variable(v)) << v;
}

// A file with weights alone sets the averages, which have another type.
TEST(SixteenBitStates, StartAsTheWeightsOfAFile) {
  const TemporaryFolder folder;
  const std::string file = folder.path("weights.safetensors");
  Graph g(9);
  const Tensor x = g.input("x", bf16, {8, 4});
  for (const char* name : {"first", "second"})
    g.output(name, matmul(x, g.variable(name, bf16, {4, 6}, Initializer::uniform(-1, 1))));
  Session weights = compile(g, {.devices = "reference:0"});
  weights.save(file);
  Session session = compile(layers(Adam{}), {.devices = "reference:0"});
  session.load(file);
  EXPECT_EQ(elements(session.variable("second/average")), elements(weights.variable("second")));
}

// Hyper-parameters that variables of several types share have the widest of the types.
TEST(SixteenBitStates, BesideVariablesOfOtherTypes) {
  for (const bool narrow_first : {false, true}) {
    Graph g;
    Tensor loss;
    for (const DType type : narrow_first ? std::vector{f16, f32, f64} : std::vector{f64, f32, f16}) {
      const Tensor w = g.variable(name_of(type), type, {}, Initializer::zeros());
      loss = loss.defined() ? loss + cast(w, {.dtype = f32}) : cast(w, {.dtype = f32});
    }
    g.clip_gradients({.norm = 1e-9});
    g.minimize(loss, {.learning_rate = 0.1});
    Session session = compile(g, {.devices = "reference:0"});
    session.train({});
    const double factor = 1e-9 / (std::sqrt(3.) + 1e-6);
    EXPECT_NEAR(session.variable("f64/velocity").at(0), factor, 1e-6 * factor);
    EXPECT_NEAR(session.variable("f16/velocity").at(0), factor, 1e-6 * factor);
    EXPECT_NEAR(session.variable("f64").at(0), -0.1 * session.variable("f64/velocity").at(0), 1e-25);
  }
}

// A program in f64 leaves 16-bit variables, their states and their averages as they are.
TEST(SixteenBitStates, StayF32InAProgramOfF64) {
  Graph g = layers(Adam{});
  Session session = compile(g, {.devices = "reference:0", .f64 = true}),
          plain = compile(g, {.devices = "reference:0"});
  for (int t = 1; t <= 2; ++t) {
    session.train(whole_numbers(t));
    plain.train(whole_numbers(t));
  }
  for (const std::string& v : plain.variables()) EXPECT_EQ(session.variable(v), plain.variable(v)) << v;
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Compares the optimizers of <cutset/optimizers.h> with PyTorch's, on every kind of device and under every
// strategy. Also tests the errors of the optimizers.
#include <cutset/cutset.h>
#include <cutset/explain.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "frontends/cpp/graph/named_optimizers.h"
#include "tests/conformance/on_device.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/known_optimizers.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The number of known_optimizers().
#define CUTSET_VALUES(...)
#define CUTSET_SIXTEEN_BIT_RUN(...)
#define CUTSET_SIXTEEN_BIT_VALUES(...)
#define CUTSET_OPTIMIZER(name, optimizer) +1
constexpr size_t kOptimizers = 0
#include "tests/equivalence/values/optimizer_values.inc"
    ;
#undef CUTSET_OPTIMIZER
#undef CUTSET_VALUES
#undef CUTSET_SIXTEEN_BIT_RUN
#undef CUTSET_SIXTEEN_BIT_VALUES

// Each optimizer of the command line is among them.
TEST(NamedOptimizersHere, HaveKnownValues) {
  for (const NamedOptimizer& o : named_optimizers())
    EXPECT_TRUE(std::ranges::any_of(known_optimizers(), [&](const auto& known) {
      return known.first == o.name;
    })) << o.name;
}

// Returns a graph in which the gradient of w is 0.5 w + c.
Graph line(const Optimizer& optimizer) {
  Graph g;
  Tensor w = g.variable("w", f32, {6}, Initializer::zeros()),
         c = g.input("c", f32, {6}, {.batch_dimension = std::nullopt});
  g.minimize(sum(w * c) + sum(w * w) * 0.25, optimizer);
  return g;
}
Batch gradient_of_step(int t, DType dtype) {
  HostTensor c({dtype, {6}});
  for (int i = 0; i < 6; ++i) {
    const double value = ((7 * t + 3 * i) % 11 - 5) / 4.0;
    if (dtype == f64)
      c.as<double>()[i] = value;
    else
      c.as<float>()[i] = static_cast<float>(value);
  }
  return {{"c", c}};
}

// Trains 20 steps and returns the largest difference from the known values of the optimizer.
double difference_from_known(const std::string& name, const Optimizer& optimizer,
                             const CompileOptions& options) {
  const DType dtype = options.f64 ? f64 : f32;
  Session session = compile(line(optimizer), options);
  HostTensor first({dtype, {6}});
  for (int i = 0; i < 6; ++i) {
    const double value = ((5 * i) % 7 - 3) / 8.0;
    if (dtype == f64)
      first.as<double>()[i] = value;
    else
      first.as<float>()[i] = static_cast<float>(value);
  }
  session.set_variable("w", first);
  Largest off;
  int compared = 0;
  for (int t = 1; t <= 20; ++t) {
    session.train(gradient_of_step(t, dtype));
    const HostTensor now = session.variable("w");
    for (const KnownValue& known : known_values())
      if (known.optimizer == name && known.step == t)
        for (int i = 0; i < 6; ++i, ++compared)
          off.add(std::abs(now.at(i) - known.variable[static_cast<size_t>(i)]));
  }
  EXPECT_EQ(compared, 18) << name;
  return off.value();
}

class Optimizers : public ::testing::TestWithParam<std::string> {};

TEST_P(Optimizers, EqualPyTorchOver20Steps) {
  for (const auto& [name, optimizer] : known_optimizers())
    EXPECT_LE(difference_from_known(name, optimizer, {.devices = GetParam() + ":0"}), 1e-6) << name;
}
INSTANTIATE_TEST_SUITE_P(All, Optimizers, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

TEST(OptimizersInF64, EqualPyTorchToTheLastDigits) {
  for (const auto& [name, optimizer] : known_optimizers())
    EXPECT_LE(difference_from_known(name, optimizer, {.devices = "reference:0", .f64 = true}), 1e-14) << name;
}

// Returns a network with the optimizer `kWhich` of known_optimizers().
template <size_t kWhich>
Graph network(int64_t batch, uint64_t seed) {
  Graph g(seed);
  Tensor image = g.input("image", f32, {batch, 1, 28, 28}), label = g.input("label", i32, {batch});
  Tensor h = tanh(nn::dense("in", ops::slice(flatten(image), {.axis = 1, .start = 300, .length = 200}), 24));
  g.minimize(mean(softmax_cross_entropy(nn::dense("out", h, 10), label)), known_optimizers()[kWhich].second);
  return g;
}
using Network = Graph (*)(int64_t, uint64_t);
template <size_t... kWhich>
std::vector<Network> networks(std::index_sequence<kWhich...>) {
  return {network<kWhich>...};
}
const std::vector<Network>& networks() {
  static const std::vector<Network> all = networks(std::make_index_sequence<kOptimizers>());
  return all;
}

class OptimizersUnder : public ::testing::TestWithParam<Split> {};

// The bound is larger than the rounding of f64: if an optimizer divides by the size of a gradient, its step
// has the relative error of the gradient, which is large for a small gradient.
TEST_P(OptimizersUnder, AStrategyTrainsAsOneDevice) {
  ASSERT_EQ(networks().size(), known_optimizers().size());
  for (size_t i = 0; i < networks().size(); ++i) {
    SCOPED_TRACE(known_optimizers()[i].first);
    const LossForm form{"", networks()[i], {13, 13, 5}, "", ""};
    expect_as_on_one_device(form, std::array{GetParam()}, 1e-9);
  }
}
TEST_P(OptimizersUnder, AStrategyIsVerified) {
  for (size_t i = 0; i < networks().size(); ++i)  // the first row of each optimizer
    if (i == 0 || known_optimizers()[i].first != known_optimizers()[i - 1].first)
      EXPECT_SAME_ON(networks()[i](12, 3), GetParam().devices, GetParam().strategy)
          << known_optimizers()[i].first;
}
constexpr const char* kFour = "sim:0,reference:0,sim:1,reference:1";
INSTANTIATE_TEST_SUITE_P(
    Strategies, OptimizersUnder,
    ::testing::Values(
        Split{"sim:0,reference:0", "data(2, shares=5:2)"}, Split{kFour, "data(4, shard=optimizer)"},
        Split{kFour, "data(4, shares=5:2:1:0.5, shard=gradients)"}, Split{kFour, "data(4, shard=parameters)"},
        Split{"sim:0,reference:0", "model"}, Split{"sim:0,reference:0", "pipeline(2, micro_batches=3)"},
        Split{"sim:0,reference:0", "tensor(2)"}, Split{kFour, "data(2, shard=optimizer) * tensor(2)"},
        Split{kFour, "data(2, shard=gradients) * pipeline(2, micro_batches=2)"},
        Split{kFour, "pipeline(2, micro_batches=2) * tensor(2)"}));

// Update kernels round in the same way on devices of different kinds, so the copies stay bitwise equal in
// f32.
TEST(OptimizersOnDevicesOfSeveralKinds, KeepTheCopiesEqual) {
  const char* devices = "cpu:0,opencl:0,reference:0";
  if (!have(devices)) GTEST_SKIP() << devices << " is not available";
  for (size_t i = 0; i < networks().size(); ++i) {
    const LossForm form{"", networks()[i], {12, 12, 12, 12}, "", ""};
    const FormRun run = train(form, {.devices = devices, .strategy = "data(3)"}, 5);
    EXPECT_THAT(run.different_copies, ::testing::IsEmpty()) << known_optimizers()[i].first;
  }
}

// States that have the shape of a variable are divided like the variable. Scalars are kept whole.
TEST(OptimizerStates, FollowThePiecesOfTheirVariable) {
  const Explained explained =
      explain(network<5>(8, 1), {.devices = kFour, .strategy = "data(4, shard=optimizer)"});
  const int64_t pieces = (200 * 24 + 24 * 10 + 24 + 12) / 4;  // the bias of 10 is divided into 3, 3, 2 and 2
  for (const MemoryUse& m : explained.memory) {
    EXPECT_NEAR(static_cast<double>(m.variables), static_cast<double>(pieces * 4), 16) << m.device;
    EXPECT_EQ(m.optimizer, 2 * m.variables + 4 * 2 * 4)
        << m.device;  // two moments, and two scalars per variable
  }
}

// The norms of LAMB need the whole variable, so no strategy divides it.
TEST(OptimizerStates, AreNotDividedIfTheUpdateNeedsTheWholeVariable) {
  for (const char* strategy : {"data(4, shard=parameters)", "data(2, shard=optimizer) * tensor(2)"}) {
    for (const ExplainedVariable& v :
         explain(network<12>(8, 1), {.devices = kFour, .strategy = strategy}).variables)
      EXPECT_EQ(v.pieces, 1) << v.name << ", " << strategy;
  }
  Graph g(1);
  Tensor x = g.input("x", f32, {8, 6});
  const int line = __LINE__ + 1;
  Tensor w = g.variable("w", f32, {6, 8}, Initializer::uniform(-1, 1));
  g.shard(w, {"tensor", 1});
  g.minimize(mean(tanh(matmul(x, w))), Lamb{});
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "sim:0,sim:1", .strategy = "tensor(2)"}); }),
              AllOf(HasSubstr("the update 'lamb' cannot be computed for each piece alone"),
                    HasSubstr("optimizers_test.cc:" + std::to_string(line))));
}

TEST(OptimizerStates, StartWithTheirFirstValueAndAreSaved) {
  const TemporaryFolder folder;
  const std::string file = folder.path("adagrad.safetensors"), program = folder.path("adagrad.cutset");
  const Adagrad optimizer{.learning_rate = 0.2, .first_sum = 0.25};
  Session session = compile(line(optimizer), {.devices = "reference:0"});
  EXPECT_EQ(session.variables(), (std::vector<std::string>{"w", "w/square_sum", "w/steps"}));
  EXPECT_EQ(session.variable("w/square_sum").at(5), 0.25);
  EXPECT_EQ(session.variable("w/steps").at(0), 0);
  for (int t = 1; t <= 3; ++t) session.train(gradient_of_step(t, f32));
  EXPECT_EQ(session.variable("w/steps").at(0), 3);
  session.save(file);
  save_program(line(optimizer), {.devices = "reference:0"}, program, {.weights = file});
  SavedProgram saved = load_program(program);
  Session loaded = compile(line(optimizer), {.devices = "reference:0"});
  EXPECT_TRUE(loaded.load(file).complete());
  for (int t = 4; t <= 6; ++t) {
    const auto loss = session.train(gradient_of_step(t, f32)).at("loss");
    EXPECT_EQ(loaded.train(gradient_of_step(t, f32)).at("loss"), loss);
    EXPECT_EQ(saved.run("train", gradient_of_step(t, f32)).at("loss"), loss);
  }
  // A program that was saved without weights starts with the initial values.
  save_program(line(optimizer), {.devices = "reference:0"}, program);
  Session fresh = compile(line(optimizer), {.devices = "reference:0"});
  SavedProgram first = load_program(program);
  for (int t = 1; t <= 2; ++t)
    EXPECT_EQ(first.run("train", gradient_of_step(t, f32)).at("loss"),
              fresh.train(gradient_of_step(t, f32)).at("loss"));
  // The states of another optimizer are left out, and the session names the states that the file lacks.
  Session other = compile(line(Adam{}), {.devices = "reference:0"});
  EXPECT_EQ(
      other.load(file).missing_states,
      (std::vector<std::string>{"w/first_moment", "w/first_weight", "w/second_moment", "w/second_weight"}));
}

TEST(OptimizerStates, AreUntouchedByAStepWithANanGradient) {
  for (const auto& [name, optimizer] : known_optimizers()) {
    Session session = compile(line(optimizer), {.devices = "reference:0"});
    session.train(gradient_of_step(1, f32));
    std::map<std::string, HostTensor> before;
    for (const std::string& v : session.variables()) before.emplace(v, session.variable(v));
    Batch bad = gradient_of_step(2, f32);
    bad.at("c").as<float>()[3] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(error_of([&] { session.train(bad); }),
                HasSubstr("the gradient of variable 'w' is nan at element [3]"))
        << name;
    for (const auto& [v, value] : before) EXPECT_EQ(session.variable(v), value) << name << ", " << v;
    session.train(gradient_of_step(2, f32));
  }
}

TEST(OptimizerHyperParameters, OutsideTheirRangesAreRefusedAtTheLine) {
  const auto refused = [](const Optimizer& optimizer) { return error_of([&] { line(optimizer); }); };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refused(Adam{.beta1 = 1}),
              AllOf(HasSubstr("hyper-parameter 'beta1' is 1; it must be at least 0, and its f32 below 1"),
                    HasSubstr("optimizers_test.cc:")));
  EXPECT_THAT(refused(Adam{.beta2 = 0.99999999}), HasSubstr("'beta2' is 0.99999999; it must be"))
      << "its f32 is 1";
  EXPECT_THAT(refused(Adam{.learning_rate = -0.1}),
              HasSubstr("'learning_rate' is -0.1; it must be at least 0"));
  EXPECT_THAT(refused(AdamW{.epsilon = std::nan("")}), HasSubstr("not a finite f32"));
  EXPECT_THAT(refused(AdamW{.weight_decay = infinite}), HasSubstr("not a finite f32"));
  EXPECT_THAT(refused(RmsProp{.alpha = -0.5}), HasSubstr("'alpha' is -0.5"));
  EXPECT_THAT(refused(Lamb{.epsilon = -1}), HasSubstr("'epsilon' is -1"));
  EXPECT_THAT(refused(Adagrad{.first_sum = -1}), HasSubstr("first_sum must be finite and at least 0"));
  EXPECT_THAT(refused(Sgd{.nesterov = true}),
              HasSubstr("nesterov needs a momentum above 0 and no dampening"));
  EXPECT_THAT(refused(Sgd{.momentum = 0.9, .dampening = 0.1, .nesterov = true}), HasSubstr("no dampening"));
  EXPECT_THAT(error_of([] { compile(line(Optimizer("relu", {})), {.devices = "reference:0"}); }),
              HasSubstr("is not an op that updates its operands"));
}

// A schedule of the learning rate works for every optimizer.
TEST(OptimizerHyperParameters, ChangeBetweenSteps) {
  for (const auto& [name, optimizer] : known_optimizers()) {
    Session session = compile(line(optimizer), {.devices = "reference:0"});
    session.train(gradient_of_step(1, f32));
    const HostTensor before = session.variable("w");
    session.set_hyper_parameter("learning_rate", 0);
    session.train(gradient_of_step(2, f32));
    EXPECT_EQ(session.variable("w"), before) << name;
    session.set_hyper_parameter("learning_rate", 0.5);
    session.train(gradient_of_step(3, f32));
    EXPECT_NE(session.variable("w"), before) << name;
    EXPECT_EQ(session.compilations(), 1);
  }
}

}  // namespace
}  // namespace cutset::testing

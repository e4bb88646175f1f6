// A training step changes all variables or none: what a gradient that is not finite, and what a kernel that fails
// before or amid the updates, leave behind.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "frontends/cpp/verification.h"
#include "tests/equivalence/runs.h"
#include "tests/errors.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Values = std::map<std::string, HostTensor>;  // equal where every bit is
Values values_of(const Session& session) {
  Values all;
  for (const std::string& v : session.variables())
    for (int64_t r = 0; r < session.replicas(); ++r) all[v + " of " + std::to_string(r)] = session.variable(v, r);
  return all;
}

HostTensor filled(Shape shape, float value) {
  HostTensor t({f32, std::move(shape)});
  for (int64_t i = 0; i < t.elements(); ++i) t.as<float>()[i] = value;
  return t;
}

struct Setting {
  const char *devices, *strategy;
};
const Setting kSettings[] = {{"reference:0", ""},
                             {"cpu:0", ""},
                             {"sim:0", ""},
                             {"opencl:0", ""},
                             {"reference:0,sim:0", "data(2)"},
                             {"cpu:0,opencl:0", "data(2)"},
                             {"reference:0,sim:0", "model"}};

// sqrt(w) * x at w = 0: finite, with a gradient that is infinite wherever x is not zero. The other variable's gradient
// is finite, and on the way of `model` it is another device's.
Graph root() {
  Graph g(1);
  Tensor x = g.input("x", f32, {6, 4});
  Tensor w = g.variable("w", f32, {4}, Initializer::zeros());
  Tensor v = g.variable("v", f32, {4, 3}, Initializer::uniform(-1, 1));
  Tensor h = matmul(tanh(x), v);
  g.minimize(mean(x * sqrt(w)) + mean(h * h), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

TEST(Transaction, AGradientThatIsNotFiniteLeavesEveryVariable) {
  for (const Setting& s : kSettings) {
    if (!have(s.devices)) continue;
    SCOPED_TRACE(std::string(s.devices) + " " + s.strategy);
    Session session = compile(root(), {.devices = s.devices, .strategy = s.strategy});
    const Values before = values_of(session);
    const std::string error = error_of([&] { session.run("train", {{"x", filled({6, 4}, 1)}}); });
    EXPECT_THAT(error, AllOf(HasSubstr("step 1 of 'train' is not committed: the gradient of variable 'w' is inf at "
                                       "element [0] on "),
                             HasSubstr("the variables are those of the step before")));
    EXPECT_EQ(values_of(session), before);
    EXPECT_EQ(session.step(), 0u);
    // The next step is as if that one had not been.
    const HostTensor one = filled({4}, 1);
    Session fresh = compile(root(), {.devices = s.devices, .strategy = s.strategy});
    session.set_variable("w", one), fresh.set_variable("w", one);
    for (Session* each : {&session, &fresh}) each->run("train", {{"x", filled({6, 4}, 1)}});
    EXPECT_EQ(values_of(session), values_of(fresh));
    EXPECT_NE(values_of(session), before);
    EXPECT_EQ(session.step(), 1u);
  }
}

// Only one element of many is not finite, in a shard that one device has alone.
TEST(Transaction, OneElementOfManyIsEnough) {
  for (const Setting& s : kSettings) {
    if (!have(s.devices)) continue;
    SCOPED_TRACE(std::string(s.devices) + " " + s.strategy);
    Graph g(1);
    Tensor x = g.input("x", f32, {5, 3000});
    Tensor w = g.variable("w", f32, {3000}, Initializer::uniform(-1, 1));
    g.minimize(sum(sum(x, {0}) * w * g.input("scale", f32, {})), {.learning_rate = 1e-3});
    Session session = compile(g, {.devices = s.devices, .strategy = s.strategy});
    Batch batch{{"x", filled({5, 3000}, 1)}, {"scale", filled({}, 1)}};
    batch.at("x").as<float>()[4 * 3000 + 2717] = std::numeric_limits<float>::max();
    batch.at("scale").as<float>()[0] = 2;          // the largest f32, doubled
    session.set_variable("w", filled({3000}, 0));  // so the loss stays 0
    const Values before = values_of(session);
    EXPECT_THAT(error_of([&] { session.run("train", batch); }),
                HasSubstr("the gradient of variable 'w' is inf at element [2717]"));
    EXPECT_EQ(values_of(session), before);
  }
}

TEST(Transaction, AFunctionThatUpdatesNothingReturnsWhatItComputes) {
  Graph g(1);
  Tensor hits = g.input("hits", f32, {}), all = g.input("all", f32, {});
  g.output("precision", hits / all);
  Session session = compile(g, {.devices = "reference:0"});
  const Batch none{{"hits", filled({}, 0)}, {"all", filled({}, 0)}};
  EXPECT_TRUE(std::isnan(session.run("evaluate", none)["precision"].item<double>()));
}

// The verifier has no value of one device to hold a flag to; it holds the check to what the program says it looks at.
TEST(Transaction, VerifyFindsACheckThatLeavesAGradientOut) {
  Graph g(1);
  Tensor x = g.input("x", f32, {4, 3});
  Tensor a = g.variable("a", f32, {3}, Initializer::uniform(1, 2)), b = g.variable("b", f32, {3}, Initializer::zeros());
  Tensor y = tanh(x * a) + b;
  g.minimize(mean(y * y), {.learning_rate = 0.1});
  const Batch batch{{"x", filled({4, 3}, 0.5f)}};
  auto prepared =
      Verification::prepare(*g.state(), {.devices = "reference:0,sim:0", .strategy = "data(2)"}, std::span(&batch, 1));
  ASSERT_TRUE(prepared.ok()) << prepared.error().text();
  auto right = prepared->run(prepared->program(), std::span(&batch, 1));
  ASSERT_TRUE(right.ok());
  EXPECT_TRUE(right->differences.empty());
  for (const char* device : {"reference:0", "sim:0"}) {
    Program wrong = prepared->program();
    int changed = 0;
    for (Function& f : wrong.functions)
      for (DevicePlan& d : f.devices)
        for (Instruction& i : d.queues[static_cast<int>(Queue::kCompute)].compute)
          if (d.device == device && i.op == "all_finite") i.operands.pop_back(), ++changed;
    ASSERT_EQ(changed, 1) << device;
    auto found = prepared->run(wrong, std::span(&batch, 1));
    ASSERT_TRUE(found.ok());
    ASSERT_FALSE(found->differences.empty()) << device;
    EXPECT_EQ(found->differences[0].op, "all_finite");
    EXPECT_EQ(found->differences[0].device, device);
  }
}

// The update itself overflows: nobody looks at it, and the next step says what has happened.
TEST(Transaction, AnUpdateThatOverflowedIsNamedByTheNextStep) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {2}, Initializer::uniform(1, 2));
  g.minimize(sum(w * w * w), {.learning_rate = 3e38});
  Session session = compile(g, {.devices = "reference:0"});
  session.run("train", {});
  EXPECT_THAT(error_of([&] { session.run("train", {}); }),
              AllOf(HasSubstr("step 2"), HasSubstr("Variable 'w' itself is -inf at element [0]"),
                    HasSubstr("load a checkpoint")));
}

// The device reads what it is to fail at when it is opened; a step has one tanh and two updates.
class Failure : public ::testing::Test {
 protected:
  void SetUp() override { setenv("CUTSET_BACKEND_PATH", CUTSET_TEST_BACKENDS, 1); }
  void TearDown() override {
    unsetenv("CUTSET_BACKEND_PATH"), unsetenv("CUTSET_FAILING");
    std::remove(path.c_str());
  }
  // Two variables: the first update may be made when the second fails.
  static Graph two() {
    Graph g(1);
    Tensor x = g.input("x", f32, {4, 3});
    Tensor a = g.variable("a", f32, {3}, Initializer::uniform(1, 2)),
           b = g.variable("b", f32, {3}, Initializer::zeros());
    Tensor y = tanh(x * a) + b;
    g.minimize(mean(y * y), {.learning_rate = 0.1, .momentum = 0.9});
    return g;
  }
  const Batch batch{{"x", filled({4, 3}, 0.5f)}};
  const std::string path = ::testing::TempDir() + "transaction-" + std::to_string(::getpid()) + ".safetensors";
};

TEST_F(Failure, BeforeTheUpdatesLeavesTheVariablesToBeSaved) {
  for (const Setting& s : {Setting{"failing:0", ""}, Setting{"failing:0,reference:0", "data(2)"}}) {
    setenv("CUTSET_FAILING", "enqueue/tanh=2", 1);
    Session session = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    session.run("train", batch);
    const Values before = values_of(session);
    const std::string error = error_of([&] { session.run("train", batch); });
    EXPECT_THAT(error, AllOf(HasSubstr("enqueue fails on request (call 2)"), HasSubstr("No variable has changed")));
    EXPECT_EQ(error_of([&] { session.run("train", batch); }), error) << "the session runs nothing more";
    EXPECT_EQ(values_of(session), before);
    EXPECT_EQ(session.step(), 1u);
    session.save(path);
    unsetenv("CUTSET_FAILING");
    // A checkpoint opens the devices again, and the steps are those of a session without a failure.
    session.load(path);
    session.run("train", batch);
    Session fresh = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    for (int i = 0; i < 2; ++i) fresh.run("train", batch);
    EXPECT_EQ(values_of(session), values_of(fresh));
    EXPECT_EQ(session.step(), 2u);
  }
}

TEST_F(Failure, AmidTheUpdatesLeavesNothingToReadOrSave) {
  for (const Setting& s : {Setting{"failing:0", ""}, Setting{"failing:0,reference:0", "data(2)"}}) {
    setenv("CUTSET_FAILING", "enqueue/sgd=4", 1);
    Session session = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    session.run("train", batch);
    session.save(path);
    const Values good = values_of(session);
    const std::string error = error_of([&] { session.run("train", batch); });
    EXPECT_THAT(error, AllOf(HasSubstr("step 2 of 'train' failed while it updated the variables"),
                             HasSubstr("Some variables are those before the step, and others those after it"),
                             HasSubstr("load a checkpoint")));
    EXPECT_EQ(error_of([&] { session.variable("a"); }), error);
    EXPECT_EQ(error_of([&] { session.save(path); }), error);
    EXPECT_EQ(error_of([&] { session.run("train", batch); }), error);
    EXPECT_EQ(error_of([&] { session.run("evaluate", batch); }), error);
    unsetenv("CUTSET_FAILING");
    session.load(path);  // which the refused save has left as it was
    EXPECT_EQ(values_of(session), good);
    EXPECT_EQ(session.step(), 1u);
    session.run("train", batch);
    EXPECT_NE(values_of(session), good);
  }
}

TEST_F(Failure, AfterItACheckpointMustNameEveryVariable) {
  Graph g(1);
  g.minimize(sum(tanh(g.variable("a", f32, {3}, Initializer::uniform(1, 2)))), {});
  Session part = compile(g, {.devices = "failing:0"});
  part.save(path);
  setenv("CUTSET_FAILING", "enqueue/tanh=1", 1);
  Session session = compile(two(), {.devices = "failing:0"});
  EXPECT_NE(error_of([&] { session.run("train", batch); }), "no error");
  EXPECT_THAT(error_of([&] { session.load(path); }), HasSubstr("has no tensor 'b'"));
}

}  // namespace
}  // namespace cutset::testing

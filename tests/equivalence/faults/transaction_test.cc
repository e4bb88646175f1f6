// SPDX-License-Identifier: Apache-2.0
// Tests that a training step changes all variables or none. The tests use gradients that are not finite, and
// kernels that fail before or during the updates.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "frontends/cpp/inspect/verification.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Values = std::map<std::string, HostTensor>;  // compared bitwise
Values values_of(const Session& session) {
  Values all;
  for (const std::string& v : session.variables())
    for (int64_t r = 0; r < session.copies(v); ++r)
      all[v + " of " + std::to_string(r)] = session.variable(v, r);
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
                             {"reference:0,sim:0", "pipeline(2, micro_batches=1)"}};

// Returns a graph with sqrt(w) * x at w = 0. This is finite, and its gradient is infinite wherever x is not
// zero. The gradient of the other variable is finite. With the strategy `model`, it is computed on another
// device.
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
    const std::string error = error_of([&] { session.train({{"x", filled({6, 4}, 1)}}); });
    EXPECT_THAT(error,
                AllOf(HasSubstr("step 1 of 'train' is not committed: the gradient of variable 'w' is inf at "
                                "element [0] on "),
                      HasSubstr("the variables keep their values from before this step")));
    EXPECT_EQ(values_of(session), before);
    EXPECT_EQ(session.step(), 0u);
    // The next step gives the same result as without the failed step.
    const HostTensor one = filled({4}, 1);
    Session fresh = compile(root(), {.devices = s.devices, .strategy = s.strategy});
    session.set_variable("w", one);
    fresh.set_variable("w", one);
    for (Session* each : {&session, &fresh}) each->run("train", {{"x", filled({6, 4}, 1)}});
    EXPECT_EQ(values_of(session), values_of(fresh));
    EXPECT_NE(values_of(session), before);
    EXPECT_EQ(session.step(), 1u);
  }
}

// Only one element of many is not finite, and only one device has the shard with this element.
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
    batch.at("scale").as<float>()[0] = 2;          // doubles the largest f32
    session.set_variable("w", filled({3000}, 0));  // keeps the loss at 0
    const Values before = values_of(session);
    EXPECT_THAT(error_of([&] { session.train(batch); }),
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
  EXPECT_TRUE(std::isnan(session.evaluate(none)["precision"].item<double>()));
}

// The one-device program has no value for the flag of another device. The verifier therefore computes the
// flag again from the tensors of the FiniteCheck. It also checks that the op that computes the flag has these
// tensors as operands.
TEST(Transaction, VerifyFindsACheckThatLeavesAGradientOut) {
  Graph g(1);
  Tensor x = g.input("x", f32, {4, 3});
  Tensor a = g.variable("a", f32, {3}, Initializer::uniform(1, 2)),
         b = g.variable("b", f32, {3}, Initializer::zeros());
  Tensor y = tanh(x * a) + b;
  g.minimize(mean(y * y), {.learning_rate = 0.1});
  const Batch batch{{"x", filled({4, 3}, 0.5f)}};
  auto prepared = Verification::prepare(*g.state(), {.devices = "reference:0,sim:0", .strategy = "data(2)"},
                                        std::span(&batch, 1));
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
          if (d.device == device && i.op() == "all_finite") {
            i.as<RunKernel>()->operands.pop_back();
            ++changed;
          }
    ASSERT_EQ(changed, 1) << device;
    auto found = prepared->run(wrong, std::span(&batch, 1));
    ASSERT_TRUE(found.ok());
    ASSERT_FALSE(found->differences.empty()) << device;
    EXPECT_EQ(found->differences[0].op, "all_finite");
    EXPECT_EQ(found->differences[0].device, device);
  }
}

// An update that overflows is not checked itself. The next step fails and names the variable.
TEST(Transaction, AnUpdateThatOverflowedIsNamedByTheNextStep) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {2}, Initializer::uniform(1, 2));
  g.minimize(sum(w * w * w), {.learning_rate = 3e38});
  Session session = compile(g, {.devices = "reference:0"});
  session.train({});
  EXPECT_THAT(error_of([&] { session.train({}); }),
              AllOf(HasSubstr("step 2"), HasSubstr("Variable 'w' itself is -inf at element [0]"),
                    HasSubstr("load a checkpoint")));
}

// A device sim:N reads CUTSET_SIMULATED_FAULTS when it is opened (backends/simulated/faults.h). A step of the
// model has one tanh and two updates.
class Failure : public Folder {
 protected:
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
  // Returns a graph with two variables, so that one update may be complete when the other update fails.
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
  const std::string file = path("transaction.safetensors");
};

TEST_F(Failure, BeforeTheUpdatesOfADeviceThatDoesNotResumeLeavesTheVariablesToBeSaved) {
  for (const Setting& s : {Setting{"sim:0", ""}, Setting{"sim:0,reference:0", "data(2)"}}) {
    setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=2,resume=1", 1);
    Session session = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    session.train(batch);
    const Values before = values_of(session);
    const std::string error = error_of([&] { session.train(batch); });
    EXPECT_THAT(error,
                AllOf(HasSubstr("enqueue fails on request (call 2)"), HasSubstr("No variable has changed")));
    EXPECT_EQ(error_of([&] { session.train(batch); }), error) << "the session runs nothing more";
    EXPECT_EQ(values_of(session), before);
    EXPECT_EQ(session.step(), 1u);
    session.save(file);
    unsetenv("CUTSET_SIMULATED_FAULTS");
    // Loading a checkpoint opens the devices again. The later steps equal the steps of a session without a
    // failure.
    session.load(file);
    session.train(batch);
    Session fresh = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    for (int i = 0; i < 2; ++i) fresh.run("train", batch);
    EXPECT_EQ(values_of(session), values_of(fresh));
    EXPECT_EQ(session.step(), 2u);
  }
}

// The next step has the same number as the failed step, so it computes what the failed step would have
// computed.
TEST_F(Failure, ThatPassesLeavesASessionThatGoesOn) {
  for (const Setting& s : {Setting{"sim:0", ""}, Setting{"sim:0,reference:0", "data(2)"},
                           Setting{"sim:0,sim:1", "pipeline(2, micro_batches=1)"}}) {
    setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=2", 1);
    Session session = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    unsetenv("CUTSET_SIMULATED_FAULTS");
    session.train(batch);
    const Values before = values_of(session);
    EXPECT_THAT(error_of([&] { session.train(batch); }),
                AllOf(HasSubstr("enqueue fails on request (call 2). No variable has changed"),
                      HasSubstr("the session can run the step again")));
    EXPECT_EQ(values_of(session), before);
    EXPECT_EQ(session.step(), 1u);
    session.train(batch);
    Session fresh = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    for (int i = 0; i < 2; ++i) fresh.train(batch);
    EXPECT_EQ(values_of(session), values_of(fresh));
    EXPECT_EQ(session.step(), 2u);
  }
}

TEST_F(Failure, DuringTheUpdatesLeavesNothingToReadOrSave) {
  for (const Setting& s : {Setting{"sim:0", ""}, Setting{"sim:0,reference:0", "data(2)"}}) {
    setenv("CUTSET_SIMULATED_FAULTS", "enqueue/sgd=4", 1);
    Session session = compile(two(), {.devices = s.devices, .strategy = s.strategy});
    session.train(batch);
    session.save(file);
    const Values good = values_of(session);
    const std::string error = error_of([&] { session.train(batch); });
    EXPECT_THAT(
        error,
        AllOf(
            HasSubstr("step 2 of 'train' failed while it updated the variables"),
            HasSubstr(
                "Some variables have their values from before the step, and others have those from after it"),
            HasSubstr("load a checkpoint")));
    EXPECT_EQ(error_of([&] { session.variable("a"); }), error);
    EXPECT_EQ(error_of([&] { session.save(file); }), error);
    EXPECT_EQ(error_of([&] { session.train(batch); }), error);
    EXPECT_EQ(error_of([&] { session.evaluate(batch); }), error);
    unsetenv("CUTSET_SIMULATED_FAULTS");
    session.load(file);  // the refused save has not changed the file
    EXPECT_EQ(values_of(session), good);
    EXPECT_EQ(session.step(), 1u);
    session.train(batch);
    EXPECT_NE(values_of(session), good);
  }
}

// The larger batch replaces the arena, so the first program has no memory when the device fails. The next run
// of the first program reports this failure.
TEST_F(Failure, IsReportedByAProgramThatHasLeftTheArena) {
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/sgd=4", 1);
  Session session = compile(two(), {.devices = "sim:0"});
  session.train(batch);
  const std::string error = error_of([&] { session.train({{"x", filled({64, 3}, 0.5f)}}); });
  EXPECT_THAT(error, HasSubstr("step 2 of 'train' failed while it updated the variables"));
  EXPECT_EQ(error_of([&] { session.train(batch); }), error);
}

// The first program leaves the arena, because another program needs a larger arena, which the device cannot
// allocate. The next run of the first program allocates an arena again, and nothing is lost.
TEST_F(Failure, OfAnAllocationLeavesTheOtherProgramsUsable) {
  const Batch large{{"x", filled({64, 3}, 0.5f)}};
  int refused = 0;
  for (int call = 1; call < 12; ++call) {
    SCOPED_TRACE(call);
    setenv("CUTSET_SIMULATED_FAULTS", ("allocate=" + std::to_string(call)).c_str(), 1);
    std::optional<Session> session;
    const std::string unloaded = error_of([&] { session.emplace(compile(two(), {.devices = "sim:0"})); });
    if (!session) {
      EXPECT_THAT(unloaded, HasSubstr("sim:0: allocate fails on request"));
      continue;
    }
    session->train(batch);
    const Values before = values_of(*session);
    const std::string error = error_of([&] { session->train(large); });
    unsetenv("CUTSET_SIMULATED_FAULTS");
    if (error == "no error") continue;
    ++refused;
    EXPECT_THAT(error, AllOf(HasSubstr("allocate fails on request"), HasSubstr("use a smaller batch")));
    EXPECT_EQ(values_of(*session), before);
    session->train(batch);
    session->train(large);
    Session fresh = compile(two(), {.devices = "sim:0"});
    fresh.train(batch);
    fresh.train(batch);
    fresh.train(large);
    EXPECT_EQ(values_of(*session), values_of(fresh));
  }
  EXPECT_EQ(refused, 2)
      << "the constants and the arena of the large batch are allocated after the first step";
}

// A transfer outside of a step is lost on the device, which ends the commands of all queues. The next step
// must not report this failure again.
TEST_F(Failure, OfATransferOutsideAStepDoesNotReachTheNextStep) {
  Session session = [&] {
    setenv("CUTSET_SIMULATED_FAULTS", "read=3:lost", 1);  // a step reads the loss and a flag
    return compile(two(), {.devices = "sim:0"});
  }();
  unsetenv("CUTSET_SIMULATED_FAULTS");
  session.train(batch);
  int failed = 0;
  for (const std::string& v : session.variables())
    failed += error_of([&] { session.variable(v); }) != "no error";
  EXPECT_EQ(failed, 1);
  session.train(batch);
  session.train(batch);
  Session fresh = compile(two(), {.devices = "sim:0"});
  for (int i = 0; i < 3; ++i) fresh.train(batch);
  EXPECT_EQ(values_of(session), values_of(fresh));
}

TEST_F(Failure, AfterwardsACheckpointMustHoldEveryVariable) {
  Graph g(1);
  g.minimize(sum(tanh(g.variable("a", f32, {3}, Initializer::uniform(1, 2)))), {});
  Session part = compile(g, {.devices = "sim:0"});
  part.save(file);
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=1,resume=1", 1);
  Session session = compile(two(), {.devices = "sim:0"});
  EXPECT_NE(error_of([&] { session.train(batch); }), "no error");
  EXPECT_THAT(error_of([&] { session.load(file); }), HasSubstr("has no tensor 'b'"));
}

}  // namespace
}  // namespace cutset::testing

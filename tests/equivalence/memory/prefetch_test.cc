// SPDX-License-Identifier: Apache-2.0
// Tests batches that are copied to the devices ahead of their runs:
// - Results are bitwise equal to results without copies ahead.
// - The copies overlap the steps.
// - A copy may fail.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/execute/executable.h"
#include "runtime/program/forecast.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kSteps = 6;

Graph network(int64_t rows = 8, int64_t columns = 6) {
  Graph g(3);
  Tensor x = g.input("x", f32, {rows, columns}), y = g.input("y", i32, {rows});
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", tanh(nn::dense("a", x, 5)), 3), y)), {0.1, 0.9});
  return g;
}

// Returns the batch of a step. Every step has a different batch.
Batch batch(int step, int64_t rows = 8, int64_t columns = 6) {
  HostTensor x({f32, {rows, columns}}), y({i32, {rows}});
  for (int64_t i = 0; i < x.elements(); ++i)
    x.as<float>()[i] = static_cast<float>((i * i + 3 * step) % 7) / 7;
  for (int64_t i = 0; i < rows; ++i) y.as<int32_t>()[i] = static_cast<int32_t>((i + step) % 3);
  Batch made;
  made.emplace("x", std::move(x));
  made.emplace("y", std::move(y));
  return made;
}

struct Trained {
  std::vector<double> losses;
  std::map<std::string, HostTensor> variables;
};
Trained result_of(const Session& session, std::vector<double> losses) {
  Trained r{std::move(losses), {}};
  for (const std::string& v : session.variables()) r.variables.emplace(v, session.variable(v));
  return r;
}
double loss_of(const Outputs& outputs) { return outputs["loss"].item<double>(); }

Trained plain(const CompileOptions& options) {
  Session session = compile(network(), options);
  std::vector<double> losses;
  for (int step = 0; step < kSteps; ++step) losses.push_back(loss_of(session.train(batch(step))));
  return result_of(session, losses);
}

class Prefetch : public Folder {
 protected:
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
  // Writes a device file and returns its path.
  std::string device_file(const std::string& text) {
    std::ofstream(file_) << text;
    return file_;
  }
  const std::string file_ = path("devices.json");
};

TEST_F(Prefetch, GivesTheBitsOfBatchesThatAreCopiedWhenTheyRun) {
  for (const CompileOptions& options :
       {CompileOptions{.devices = "sim:0"}, CompileOptions{.devices = "cpu:0"},
        CompileOptions{.devices = "sim:0,sim:1", .strategy = "data(2)"},
        CompileOptions{.devices = "sim:0,reference:0", .strategy = "data(2, shares=5:3)"},
        CompileOptions{.devices = "sim:0,sim:1", .strategy = "pipeline(2, micro_batches=4)"}}) {
    SCOPED_TRACE(options.devices + " " + options.strategy.text());
    const Trained want = plain(options);
    for (uint64_t seed = 0; seed < 5; ++seed) {
      CompileOptions shuffled = options;
      shuffled.simulation_seed = seed;
      Session session = compile(network(), shuffled);
      std::vector<double> losses;
      std::optional<PrefetchedBatch> next = session.prefetch("train", batch(0));
      for (int step = 0; step < kSteps; ++step) {
        PrefetchedBatch now = std::move(*next);
        next.reset();
        if (step + 1 < kSteps) next.emplace(session.prefetch("train", batch(step + 1)));
        losses.push_back(loss_of(session.run(std::move(now))));
      }
      EXPECT_EQ(losses, want.losses);
      EXPECT_TRUE(result_of(session, losses).variables == want.variables);
    }
  }
}

// Batches may run in another order than they were prefetched in, be dropped, wait for other batches, or have
// other shapes. The session may end first.
TEST_F(Prefetch, BatchesAreIndependentOfEachOther) {
  Session session = compile(network(), {.devices = "sim:0"}), same = compile(network(), {.devices = "sim:0"});
  std::vector<PrefetchedBatch> held;
  for (int step = 0; step < 5; ++step) held.push_back(session.prefetch("train", batch(step)));
  held.push_back(session.prefetch("train", batch(5, 3)));
  held.push_back(session.prefetch("evaluate", batch(6)));
  auto both = [&](size_t i, const std::string& function, const Batch& b) {
    EXPECT_EQ(loss_of(session.run(std::move(held[i]))), loss_of(same.run(function, b))) << i;
  };
  both(4, "train", batch(4));
  session.set_hyper_parameter("learning_rate", 0.05);
  same.set_hyper_parameter("learning_rate", 0.05);
  both(1, "train", batch(1));
  both(5, "train", batch(5, 3));
  both(6, "evaluate", batch(6));
  both(0, "train", batch(0));
  {
    const PrefetchedBatch dropped = std::move(held[2]);
  }
  both(3, "train", batch(3));
  EXPECT_TRUE(result_of(session, {}).variables == result_of(same, {}).variables);
  EXPECT_THAT(error_of([&] { session.run(std::move(held[3])); }),
              HasSubstr("this cutset::PrefetchedBatch was moved from"));
  EXPECT_THAT(error_of([&] { session.prefetch("train", Batch{}); }), HasSubstr("'x'"));
  std::optional<PrefetchedBatch> left;
  {
    Session ends = compile(network(), {.devices = "sim:0"});
    left.emplace(ends.prefetch("train", batch(0)));
  }
}

// A program that is released releases its landings. The batch is then copied when it is run.
TEST_F(Prefetch, ABatchOutlivesTheProgramThatItWasPrefetchedFor) {
  const CompileOptions options{.devices = "sim:0", .max_specialisations = 1};
  Session session = compile(network(), options), same = compile(network(), options);
  PrefetchedBatch early = session.prefetch("train", batch(0, 4));
  for (int64_t rows : {5, 6}) {
    EXPECT_EQ(loss_of(session.train(batch(1, rows))), loss_of(same.train(batch(1, rows))));
  }
  EXPECT_EQ(loss_of(session.run(std::move(early))), loss_of(same.train(batch(0, 4))));
}

// The link needs 60 ms per batch, and the step about as long. The copy of a batch takes place during the
// previous step.
TEST_F(Prefetch, TheCopyOverlapsTheStepBefore) {
  constexpr int64_t kRows = 50, kColumns = 300;  // 60 kB
  const std::string path = device_file(
      R"({"sim:0": {"timed": 1, "link_seconds": 1e-4, "link_bytes_per_second": 1e6, "launch_seconds": 5e-3}})");
  Session session = compile(network(kRows, kColumns), {.devices = "sim:0", .device_file = path});
  using Clock = std::chrono::steady_clock;
  double plain = 1e9, ahead = 1e9;  // seconds of the fastest step
  auto measure = [](double& least, auto&& f) {
    const auto start = Clock::now();
    f();
    least = std::min(least, std::chrono::duration<double>(Clock::now() - start).count());
  };
  const Batch given = batch(0, kRows, kColumns);
  for (int step = 0; step < 4; ++step) measure(plain, [&] { session.train(given); });
  std::optional<PrefetchedBatch> next = session.prefetch("train", given);
  for (int step = 0; step < 5; ++step) {
    PrefetchedBatch now = std::move(*next);
    double first = 1e9;
    measure(step ? ahead : first, [&] {
      next.emplace(session.prefetch("train", given));
      session.run(std::move(now));
    });
  }
  RecordProperty("plain_ms", static_cast<int>(1e3 * plain));
  RecordProperty("ahead_ms", static_cast<int>(1e3 * ahead));
  EXPECT_LT(ahead, plain - 0.045) << "plain " << plain << " s, with the copy ahead " << ahead << " s";
}

// A function has two landings, if the device has room for them.
TEST_F(Prefetch, LandingsAreLimitedInNumberAndByTheMemoryOfTheDevice) {
  const CompileConfig config = check(configure({.devices = "sim:0"}));
  const Program program = check(network().state()->builder->snapshot()->compile(config)).program;
  const Batch given = batch(0);
  const HostTensor* inputs[] = {&given.at("x"), &given.at("y")};
  const uint64_t landing = 2 * 256;  // each input is aligned to 256 bytes
  const uint64_t needed = check(forecast(program, config.devices))[0].total();
  for (uint64_t room = 0; room <= 3; ++room) {
    const std::string path =
        device_file("{\"sim:0\": {\"memory_bytes\": " + std::to_string(needed + room * landing) + "}}");
    auto executor = check(Executor::open(check(describe_devices({.devices = "sim:0", .device_file = path}))));
    auto executable = check(Executable::load(*executor, program));
    std::vector<std::shared_ptr<Landing>> held;
    for (int i = 0; i < 3; ++i)
      if (auto made = check(executable->copy_ahead("train", inputs))) held.push_back(std::move(made));
    EXPECT_EQ(held.size(), std::min<uint64_t>(room, 2)) << "the room for " << room << " landings";
  }
}

// Makes each transfer to the device fail in turn: transfers of the steps and transfers ahead. A step that
// fails is tried again with the same batch. The session must end with the bits of a session without failures,
// unless variables are torn.
TEST_F(Prefetch, AFailureOfACopyNeverGivesAWrongResult) {
  const Trained want = plain({.devices = "sim:0"});
  for (const char* action : {":fail", ":lost"}) {
    int errors = 0, complete = 0;
    for (int call = 5; call <= 45; ++call) {
      const std::string faults = "write@0=" + std::to_string(call) + action;
      SCOPED_TRACE(faults);
      setenv("CUTSET_SIMULATED_FAULTS", faults.c_str(), 1);
      std::optional<Session> session;
      const std::string unloaded =
          error_of([&] { session.emplace(compile(network(), {.devices = "sim:0"})); });
      unsetenv("CUTSET_SIMULATED_FAULTS");
      if (!session) continue;
      std::vector<double> losses;
      std::optional<PrefetchedBatch> next;
      auto prefetch = [&](int step) {
        next.reset();
        EXPECT_EQ(error_of([&] { next.emplace(session->prefetch("train", batch(step))); }), "no error");
      };
      prefetch(0);
      while (losses.size() < kSteps) {
        const int step = static_cast<int>(losses.size());
        PrefetchedBatch now = std::move(*next);
        prefetch(step + 1);
        const std::string error = error_of([&] { losses.push_back(loss_of(session->run(std::move(now)))); });
        if (error == "no error") continue;
        ++errors;
        EXPECT_THAT(error, AnyOf(HasSubstr("write fails on request"),
                                 HasSubstr("write: the command fails on request")));
        // A command that is lost on the device ends the commands of all its queues, including the updates.
        if (std::string(action) == ":lost" &&
            error.find("while it updated the variables") != std::string::npos)
          break;
        ASSERT_THAT(error, HasSubstr("No variable has changed"));
        prefetch(step);
      }
      if (losses.size() < kSteps) continue;
      ++complete;
      EXPECT_EQ(losses, want.losses);
      EXPECT_TRUE(result_of(*session, losses).variables == want.variables);
      if (HasFailure()) return;
    }
    EXPECT_GT(errors, 3) << action;
    EXPECT_GT(complete, 20) << action;
  }
}

// A command that is lost on the device ends the commands of all its queues, but not later commands.
TEST_F(Prefetch, ALostCopyDoesNotDisturbVariables) {
  const Trained want = plain({.devices = "sim:0"});
  int lost = 0;  // copies ahead: one per input, called after the transfers of the steps
  for (int call = 5; lost < 2 && call <= 60; ++call) {
    setenv("CUTSET_SIMULATED_FAULTS", ("write@0=" + std::to_string(call) + ":lost").c_str(), 1);
    std::optional<Session> session;
    if (error_of([&] { session.emplace(compile(network(), {.devices = "sim:0"})); }) != "no error") continue;
    unsetenv("CUTSET_SIMULATED_FAULTS");
    std::vector<double> losses;
    for (int step = 0; step < kSteps; ++step) {
      const std::string error = error_of([&] { losses.push_back(loss_of(session->train(batch(step)))); });
      if (error != "no error") break;
    }
    if (losses.size() < kSteps) continue;
    const PrefetchedBatch next = session->prefetch("train", batch(0));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the copy is probably lost now
    const Trained got = result_of(*session, losses);
    EXPECT_TRUE(got.variables == want.variables);
    session->set_variable("a.weight", got.variables.at("a.weight"));
    EXPECT_EQ(session->variable("a.weight"), got.variables.at("a.weight"));
    ++lost;
  }
  EXPECT_EQ(lost, 2);
}

TEST_F(Prefetch, ABatchOfAnotherSessionIsRefused) {
  // The second session has the same function and another number of devices, so its landing has other parts.
  Session one = compile(network(), {.devices = "sim:0"}),
          two = compile(network(), {.devices = "sim:0,sim:1", .strategy = "data(2)"});
  EXPECT_THAT(error_of([&] { two.run(one.prefetch("train", batch(0))); }),
              HasSubstr("the batch was prefetched by another session"));
  EXPECT_EQ(two.step(), 0u);
  EXPECT_EQ(loss_of(one.run(one.prefetch("train", batch(0)))), plain({.devices = "sim:0"}).losses[0]);
}

TEST_F(Prefetch, ABatchWhoseRunFailsCanBeRunAgain) {
  const CompileOptions options{.devices = "sim:0"};
  const Trained want = plain(options);
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/matmul=3", 1);
  Session session = compile(network(), options);
  std::vector<double> losses;
  int failures = 0;
  for (int step = 0; step < kSteps; ++step) {
    PrefetchedBatch next = session.prefetch("train", batch(step));
    for (bool done = false; !done && failures < 2;) try {
        losses.push_back(loss_of(session.run(std::move(next))));
        done = true;
      } catch (const Error&) {
        ++failures;
      }
  }
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(losses, want.losses);
}

// The second device has no memory for its part of a landing, so the first device must not keep its part.
TEST_F(Prefetch, ALandingThatDoesNotFitTakesNoMemory) {
  const Graph graph = network();
  const CompileConfig config = check(configure({.devices = "sim:0,sim:1", .strategy = "data(2)"}));
  const Program program = check(graph.state()->builder->snapshot()->compile(config)).program;
  const Batch given = batch(0);
  const std::vector<const HostTensor*> inputs = {&given.at("x"), &given.at("y")};
  for (int last = 1; last < 20; ++last) {  // the first allocation of the second device that fails
    setenv("CUTSET_SIMULATED_FAULTS", ("allocate@1=" + std::to_string(last) + "+").c_str(), 1);
    auto executor = Executor::open(config.devices);
    if (!executor.ok()) continue;
    auto executable = Executable::load(**executor, program);
    if (!executable.ok()) continue;
    const uint64_t before = (*executor)->devices().device(0).allocated_bytes();
    for (int turn = 0; turn < 3; ++turn) {
      const auto landing = (*executable)->copy_ahead("train", inputs);
      ASSERT_TRUE(landing.ok()) << landing.error().what;
      EXPECT_EQ(*landing, nullptr);
    }
    EXPECT_EQ((*executor)->devices().device(0).allocated_bytes(), before);
    return;
  }
  FAIL() << "the program was never loaded";
}

}  // namespace
}  // namespace cutset::testing

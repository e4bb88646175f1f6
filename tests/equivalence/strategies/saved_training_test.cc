// SPDX-License-Identifier: Apache-2.0
// Tests that a saved program trains, gets and sets variables, saves and loads as a session does, with the
// same bits.
#include <cutset/cutset.h>
#include <cutset/random_batch.h>
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <thread>

#include "tests/errors.h"
#include "tests/folder.h"
#include "tests/small_training.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Devices {
  const char* devices;
  Strategy strategy;
};
const Devices kDevices[] = {
    {"reference:0", {}},
    {"reference:0,reference:1", Data{2}},
    {"reference:0,sim:0", Data{.shares = {3, 1}, .shard = Data::Shard::kOptimizer}},
    {"reference:0,sim:0", "pipeline(2, micro_batches=1)"},
    {"reference:0,reference:1", Pipeline{.devices = 2, .micro_batches = 2}},
    {"reference:0,reference:1", TensorParallel{2}},
};

Batch samples(int64_t first) { return random_batch(small_network(), static_cast<uint64_t>(first)); }

template <class Program>
std::map<std::string, HostTensor> values_of_all(const Program& program) {
  std::map<std::string, HostTensor> values;
  for (const std::string& name : program.variables()) values.emplace(name, program.variable(name));
  return values;
}

std::map<std::string, HostTensor> all(const Outputs& outputs) { return {outputs.begin(), outputs.end()}; }

class SavedTraining : public Folder {
 protected:
  // Saves the small network for these devices, and returns the file.
  std::string saved_for(const Devices& d) {
    save_program(small_network(), {.devices = d.devices, .strategy = d.strategy}, path("program"));
    return path("program");
  }
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
};

TEST_F(SavedTraining, StepsHaveTheBitsOfASession) {
  for (const Devices& d : kDevices) {
    SCOPED_TRACE(d.devices + (" " + d.strategy.text()));
    Session session = compile(small_network(), {.devices = d.devices, .strategy = d.strategy});
    SavedProgram saved = load_program(saved_for(d));
    for (int64_t step = 0; step < 4; ++step) {
      if (step == 2) {
        session.set_hyper_parameter("learning_rate", 0.05);
        saved.set_hyper_parameter("learning_rate", 0.05);
      }
      EXPECT_EQ(all(saved.train(samples(step))), all(session.train(samples(step))));
      EXPECT_EQ(values_of_all(saved), values_of_all(session));
    }
    EXPECT_EQ(saved.step(), 4u);
    EXPECT_EQ(saved.hyper_parameter("learning_rate"), 0.05);
    EXPECT_EQ(all(saved.evaluate(samples(9))), all(session.evaluate(samples(9))));
    for (const std::string& name : session.variables()) {
      ASSERT_EQ(saved.copies(name), session.copies(name)) << name;
      for (int64_t copy = 0; copy < session.copies(name); ++copy)
        EXPECT_EQ(saved.variable(name, copy), session.variable(name, copy)) << name << ", copy " << copy;
    }
  }
}

TEST_F(SavedTraining, ACheckpointContinuesInASavedProgramAndInASession) {
  for (const Devices& d : kDevices) {
    SCOPED_TRACE(d.devices + (" " + d.strategy.text()));
    SavedProgram saved = load_program(saved_for(d));
    for (int64_t step = 0; step < 3; ++step) saved.train(samples(step));
    saved.save(path("checkpoint"), {{"place", "7"}});
    EXPECT_EQ(read_notes(path("checkpoint")).at("place"), "7");
    SavedProgram other = load_program(path("program"));
    Session session = compile(small_network(), {.devices = d.devices, .strategy = d.strategy});
    EXPECT_TRUE(other.load(path("checkpoint")).complete());
    EXPECT_TRUE(session.load(path("checkpoint")).complete());
    EXPECT_EQ(other.step(), 3u);
    for (int64_t step = 3; step < 5; ++step) {
      const auto want = all(saved.train(samples(step)));
      EXPECT_EQ(all(other.train(samples(step))), want);
      EXPECT_EQ(all(session.train(samples(step))), want);
    }
    EXPECT_EQ(values_of_all(other), values_of_all(saved));
    EXPECT_EQ(values_of_all(session), values_of_all(saved));
    // A saved program continues from the checkpoint of a session.
    session.save(path("of session"));
    SavedProgram again = load_program(path("program"));
    EXPECT_TRUE(again.load(path("of session")).complete());
    EXPECT_EQ(all(again.train(samples(5))), all(session.train(samples(5))));
  }
}

TEST_F(SavedTraining, AVariableIsSetOnAllReplicas) {
  SavedProgram saved = load_program(saved_for({"reference:0,reference:1", Data{2}}));
  HostTensor value = saved.variable("out.weight");
  for (int64_t i = 0; i < value.type().elements(); ++i) value.set(i, static_cast<double>(i) / 8);
  saved.set_variable("out.weight", value);
  ASSERT_EQ(saved.copies("out.weight"), 2);
  EXPECT_EQ(saved.variable("out.weight", 0), value);
  EXPECT_EQ(saved.variable("out.weight", 1), value);
  saved.train(samples(0));
  EXPECT_NE(saved.variable("out.weight"), value);
}

TEST_F(SavedTraining, WhatIsRefusedChangesNothing) {
  SavedProgram saved = load_program(saved_for({"reference:0,reference:1", Data{2}}));
  saved.train(samples(0));
  const auto before = values_of_all(saved);
  const auto refused = [&](const std::string& why, const std::function<void()>& use) {
    EXPECT_THAT(error_of(use), HasSubstr(why));
    EXPECT_EQ(values_of_all(saved), before) << why;
    EXPECT_EQ(saved.step(), 1u) << why;
    EXPECT_EQ(saved.hyper_parameter("learning_rate"), 0.2) << why;
  };
  const TensorType type = saved.variable("out.weight").type();
  refused("there is no variable 'nope'", [&] { saved.variable("nope"); });
  refused("there is no variable 'nope'", [&] { saved.copies("nope"); });
  refused("there is no variable 'nope'", [&] { saved.set_variable("nope", HostTensor(type)); });
  refused("variable 'out.weight' has no copy -1", [&] { saved.variable("out.weight", -1); });
  refused("variable 'out.weight' has", [&] { saved.variable("out.weight", 2); });
  refused("'out.weight'", [&] { saved.set_variable("out.weight", HostTensor(TensorType{f32, {7}})); });
  refused("'out.weight'", [&] { saved.set_variable("out.weight", HostTensor(TensorType{f64, type.shape})); });
  refused("'out.weight'", [&] { saved.set_variable("out.weight", HostTensor()); });
  refused("no hyper-parameter 'rate'", [&] { saved.hyper_parameter("rate"); });
  refused("no hyper-parameter 'rate'", [&] { saved.set_hyper_parameter("rate", 1); });
  refused("'learning_rate'", [&] { saved.set_hyper_parameter("learning_rate", -1); });
  refused("the program has no function 'predict'", [&] { saved.predict(samples(0)); });
  refused("missing", [&] { saved.load(path("missing")); });
  refused("program", [&] { saved.load(path("program")); });  // a program is not a checkpoint
  Graph other(1);
  other.minimize(mean(other.variable("w", f32, {3}, Initializer::uniform(1, 2))), Sgd{});
  compile(other, {.devices = "reference:0"}).save(path("other"));
  refused("'w'", [&] { saved.load(path("other")); });
  refused("cutset.", [&] { saved.save(path("never"), {{"cutset.step", "1"}}); });
}

// A device sim:0 reads CUTSET_SIMULATED_FAULTS when it is opened (backends/simulated/faults.h).
TEST_F(SavedTraining, AFailureEndsTheProgramUntilACheckpointIsLoaded) {
  SavedProgram whole = load_program(saved_for({"sim:0", {}}));
  for (int64_t step = 0; step < 3; ++step) whole.train(samples(step));
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=3,resume=1", 1);
  SavedProgram saved = load_program(path("program"));
  for (int64_t step = 0; step < 2; ++step) saved.train(samples(step));
  saved.save(path("checkpoint"));
  const std::string error = error_of([&] { saved.train(samples(2)); });
  EXPECT_THAT(error, HasSubstr("enqueue fails on request (call 3)"));
  EXPECT_EQ(error_of([&] { saved.train(samples(2)); }), error) << "the program runs nothing more";
  unsetenv("CUTSET_SIMULATED_FAULTS");
  // A file without some of the variables does not replace the lost values.
  compile(small_network(), {.devices = "reference:0"}).save(path("whole"));
  EXPECT_THAT(error_of([&] { saved.load(path("whole"), {.except = {"out.weight"}}); }),
              HasSubstr("a checkpoint must give values to every variable"));
  EXPECT_EQ(error_of([&] { saved.train(samples(2)); }), error);
  EXPECT_TRUE(saved.load(path("checkpoint")).complete());
  saved.train(samples(2));
  EXPECT_EQ(values_of_all(saved), values_of_all(whole));
  EXPECT_EQ(saved.step(), 3u);
}

TEST_F(SavedTraining, ASecondThreadIsRefused) {
  SavedProgram saved = load_program(saved_for({"reference:0", {}}));
  const HostTensor weight = saved.variable("out.weight");
  saved.save(path("checkpoint"));
  const std::pair<const char*, std::function<void()>> uses[] = {
      {"set_variable", [&] { saved.set_variable("out.weight", weight); }},
      {"copies", [&] { saved.copies("out.weight"); }},
      {"load", [&] { saved.load(path("checkpoint")); }},
      {"train", [&] { saved.train(samples(0)); }},
  };
  for (const auto& [name, use] : uses) {
    std::atomic<bool> stop = false;
    std::string error;
    std::thread other([&] {
      while (!stop) error_of([&] { saved.train(samples(0)); });
    });
    for (int i = 0; i < 100'000 && error.empty(); ++i) {
      const std::string text = error_of(use);
      if (text != "no error") error = text;
    }
    stop = true;
    other.join();
    EXPECT_THAT(error, HasSubstr("this cutset::SavedProgram is in use by another thread")) << name;
  }
}

}  // namespace
}  // namespace cutset::testing

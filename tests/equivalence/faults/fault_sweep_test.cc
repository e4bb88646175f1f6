// SPDX-License-Identifier: Apache-2.0
// Makes every function of a device fail, at each of its first 200 calls.
// - Each failure must be an error that names the device.
// - The variables must have the values from before the step.
// - No memory may leak, which AddressSanitizer checks.
// - The next step of the same session must give the bits of a run without the failure, unless the failure
//   interrupted an update or the device is dead.
// - A wrong result without an error must never happen.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/execute/executable.h"
#include "runtime/program/order/expand.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int kSteps = 3;
using Values = std::map<std::string, HostTensor>;

struct Trained {
  std::string error;           // the error of the first call that failed; empty: no call failed
  bool in_step = false;        // it failed in a step, and not while the program was loaded
  bool dead = false;           // the session can run no further step
  size_t committed = 0;        // the number of steps before the first call that failed
  Values at_failure;           // the variables after the first step that failed, as far as they can be read
  size_t epochs = 0;           // the number of epochs that have begun
  bool torn = false;           // the variables were declared unusable
  std::vector<double> losses;  // the losses of the steps without an error
  std::vector<Values> states;  // the variables before each step, if they were asked for
  Values after;                // the variables after the last step, as far as they can be read
};

struct Swept {
  const char *name, *devices, *strategy;
};
class FaultSweep : public ::testing::TestWithParam<Swept> {
 protected:
  FaultSweep() : devices_(GetParam().devices) {
    Graph g(3);
    Tensor x = g.input("x", f32, {8, 6}), y = g.input("y", i32, {8});
    g.minimize(mean(softmax_cross_entropy(nn::dense("b", tanh(nn::dense("a", x, 5)), 3), y)), {0.1, 0.9});
    const CompileConfig config = check(configure({.devices = devices_, .strategy = GetParam().strategy}));
    program_ = check(g.state()->builder->snapshot()->compile(config)).program;
    for (int64_t i = 0; i < 48; ++i) x_.as<float>()[i] = static_cast<float>(i * i % 7) / 7;
    for (int64_t i = 0; i < 8; ++i) y_.as<int32_t>()[i] = static_cast<int32_t>(i % 3);
  }
  ~FaultSweep() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }

  // Returns the variables that can be read. The first error is kept in `r`.
  static Values values_of(Executor& executor, Trained& r) {
    Values values;
    for (const std::string& name : executor.variables().names()) {
      auto value = executor.variables().read(name);
      if (value)
        values.emplace(name, std::move(*value));
      else if (r.error.empty())
        r.error = value.error().text();
    }
    return values;
  }

  // Opens the devices, loads the program, and trains for kSteps steps. A step that fails is tried once more.
  Trained run(const std::string& faults, bool with_states = false) {
    setenv("CUTSET_SIMULATED_FAULTS", faults.c_str(), 1);
    Trained r;
    auto failed = [&](const Failure& e) { r.error = e.text(); };
    auto described = describe_devices({.devices = devices_});
    if (!described) {
      failed(described.error());
      return r;
    }
    auto executor = Executor::open(*described);
    if (!executor) {
      failed(executor.error());
      return r;
    }
    auto executable = Executable::load(**executor, program_);
    if (!executable) {
      failed(executable.error());
      return r;
    }
    for (size_t v = 0; v < program_.variables.size(); ++v) {
      HostTensor value(program_.variables[v].type);
      for (int64_t i = 0; i < value.type().elements(); ++i)
        value.as<float>()[i] =
            program_.variables[v].state_of.empty() ? static_cast<float>(i % 5) / 10 - 0.2f : 0.f;
      if (Status s = (*executor)->variables().write(program_.variables[v].name, value); !s.ok()) {
        failed(s.error());
        return r;
      }
    }
    for (int step = 0; step < kSteps; ++step) {
      if (with_states) r.states.push_back(values_of(**executor, r));
      const HostTensor* inputs[] = {&x_, &y_};
      const auto run = [&] {
        return (*executable)->run("train", inputs, {.step = static_cast<uint64_t>(step) + 1});
      };
      auto results = run();
      if (!results && r.error.empty()) {
        r.in_step = true;
        r.torn = (*executor)->health().torn().has_value();
        r.committed = r.losses.size();
        failed(results.error());
        r.at_failure = values_of(**executor, r);
        results = run();
        r.dead = (*executor)->health().failed();
        if (r.dead) EXPECT_EQ(results.ok() ? "" : results.error().text(), r.error);
      }
      if (!results) break;
      r.losses.push_back(results->front().at(0));
    }
    r.epochs = (*executor)->health().epoch();
    unsetenv("CUTSET_SIMULATED_FAULTS");
    r.after = values_of(**executor, r);
    return r;
  }

  // Expects that the steps of a run with faults are right up to the failure. `at` names the device that
  // fails.
  void expect_honest(const std::string& faults, const Trained& right) {
    SCOPED_TRACE(faults);
    const Trained r = run(faults);
    if (r.error.empty()) {
      EXPECT_EQ(r.losses, right.losses) << "a wrong loss without an error";
      for (const auto& [name, value] : right.after) {
        ASSERT_TRUE(r.after.contains(name)) << name << " cannot be read, without an error";
        EXPECT_TRUE(r.after.at(name) == value) << name << " is wrong without an error";
      }
      return;
    }
    ++errors_;
    EXPECT_THAT(r.error, AnyOf(HasSubstr("sim:0"), HasSubstr("is not committed: result 'loss' is nan")));
    // The error also names the op: "'tanh' of a: sim:0: enqueue fails on request (call 3)".
    if (faults.starts_with("enqueue") && faults.ends_with(":fail"))
      EXPECT_THAT(r.error, ContainsRegex("'[a-z_0-9]+'.*: sim:0: enqueue fails on request"));
    for (size_t i = 0; i < r.losses.size(); ++i) EXPECT_EQ(r.losses[i], right.losses[i]);
    // The step after an update finds the NaN that the update has written. Its error says so.
    const bool of_earlier_step = r.error.find("itself is nan") != std::string::npos;
    if (!r.in_step || r.torn || of_earlier_step) return;
    // The variables of a dead device cannot be read.
    for (const auto& [name, value] : r.at_failure)
      EXPECT_TRUE(value == right.states[r.committed].at(name))
          << "a step that failed has changed a variable: " << r.error;
    if (r.dead) return;
    EXPECT_EQ(r.at_failure.size(), program_.variables.size()) << r.error;
    EXPECT_EQ(r.losses, right.losses) << "the session does not go on after: " << r.error;
    EXPECT_TRUE(r.after == right.after) << "the steps after a failure compute something else: " << r.error;
    const bool refused = r.error.find("is not committed") != std::string::npos;
    EXPECT_EQ(r.epochs, refused ? 1u : 2u) << r.error;
    ++continued_;
  }

  // Sweeps over the calls of one function until a call number is never reached. Returns the number of calls.
  int sweep(const std::string& function, const std::string& action) {
    const Trained right = run("", true);
    EXPECT_EQ(right.error, "");
    EXPECT_EQ(right.losses.size(), size_t{kSteps});
    int last = 0;  // the last call that was an error
    for (int call = 1; call <= 200; ++call) {
      const int before = errors_;
      expect_honest(function + "@0=" + std::to_string(call) + action, right);
      if (HasFailure()) return last;
      if (errors_ > before) {
        EXPECT_EQ(last, call - 1) << "an earlier failure was swallowed";
        last = call;
      } else if (call > last + 5) {
        break;  // the function is called less often
      }
    }
    // The next session on the same device works.
    EXPECT_EQ(run("").losses, right.losses);
    return last;
  }

  const std::string devices_;
  Program program_;
  HostTensor x_{TensorType{f32, {8, 6}}}, y_{TensorType{i32, {8}}};
  int errors_ = 0;
  int continued_ = 0;  // the number of sessions that went on after a failure
};
INSTANTIATE_TEST_SUITE_P(All, FaultSweep,
                         ::testing::Values(Swept{"one", "sim:0", ""},
                                           Swept{"two", "sim:0,reference:0", "data(2)"},
                                           Swept{"pipeline", "sim:0,sim:1", "pipeline(2, micro_batches=2)"}),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(FaultSweep, EveryCallThatFailsIsAnError) {
  std::vector<const char*> functions = {"describe", "available", "open",    "allocate", "queue",
                                        "event",    "prepare",   "enqueue", "signal",   "wait",
                                        "write",    "read",      "finish"};
  if (devices_.find(',') != std::string::npos)
    functions.push_back("allocate_host");  // messages between devices use it
  for (const char* function : functions) {
    const int calls = sweep(function, ":fail");
    EXPECT_GT(calls, 0) << function << " is never called";
    RecordProperty(function, calls);
    if (HasFailure()) return;
  }
  EXPECT_GT(continued_, 50);
}

// A lost device stays lost, and no session goes on with it.
TEST_P(FaultSweep, ADeadDeviceStaysDead) {
  const Trained right = run("", true);
  int dead = 0;
  for (const char* function : {"enqueue", "signal", "write", "read", "finish"})
    for (int call = 1; call <= 200; call += 3) {
      const std::string faults = std::string(function) + "@0=" + std::to_string(call) + ":dead";
      expect_honest(faults, right);
      if (HasFailure()) return;
      const Trained r = run(faults);
      if (!r.in_step || r.torn) continue;
      ++dead;
      EXPECT_TRUE(r.dead) << faults;
      EXPECT_THAT(
          r.error,
          HasSubstr("This session runs no further step, because sim:0: the device is lost on request"));
    }
  EXPECT_GT(dead, 10);
}

// A step fails, and the device then fails to resume.
TEST_P(FaultSweep, ADeviceThatDoesNotResumeEndsTheSession) {
  const Trained r = run("enqueue@0=4:fail,resume@0=1:fail");
  EXPECT_TRUE(r.dead);
  EXPECT_THAT(r.error,
              AllOf(HasSubstr("enqueue fails on request (call 4)"),
                    HasSubstr("This session runs no further step, because sim:0: resume fails on request"),
                    HasSubstr("No variable has changed")));
  EXPECT_EQ(r.at_failure.size(), program_.variables.size()) << "the variables cannot be read";
}

TEST_P(FaultSweep, EveryCommandThatIsLostIsAnError) {
  for (const char* function : {"enqueue", "write", "read"}) {
    sweep(function, ":lost");
    if (HasFailure()) return;
  }
  EXPECT_GT(errors_, 50);
}

// A kernel of the last step may write NaN into a variable, which only the next step finds. The sweep
// therefore ends before the last step.
TEST_P(FaultSweep, NanNeverBecomesAWrongResult) {
  const Trained right = run("", true);
  int kernels = 0;
  const Function train = expand(*program_.find("train"));
  for (const DevicePlan& d : train.devices)
    if (d.device == "sim:0")
      for (const Sequence& s : d.queues)
        for (const auto* list : {&s.compute, &s.apply})
          for (const Instruction& i : *list) kernels += i.is<RunKernel>();
  ASSERT_GT(kernels, 5);
  for (int call = 1; call <= kernels * (kSteps - 1); ++call) {
    expect_honest("enqueue@0=" + std::to_string(call) + ":nan", right);
    if (HasFailure()) return;
  }
  EXPECT_GT(errors_, kernels);
}

// Only the receiver of the message has pinned memory. The message must use this memory.
TEST(PinnedMemory, OfTheReceiverIsUsedWhereTheSenderHasNone) {
  const std::string devices = "reference:0,sim:0";
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 3}), h;
  {
    DeviceScope device(g, "reference:0");
    h = exp(x);
  }
  DeviceScope device(g, "sim:0");
  g.output("y", tanh(h));
  const CompileConfig config = check(configure({.devices = devices, .strategy = "model"}));
  const Program program = check(g.state()->builder->snapshot()->compile(config)).program;
  ASSERT_EQ(program.find("evaluate")->channels.size(), 1u);
  setenv("CUTSET_SIMULATED_FAULTS", "allocate_host=1", 1);
  auto executor = check(Executor::open(check(describe_devices({.devices = devices}))));
  unsetenv("CUTSET_SIMULATED_FAULTS");
  auto executable = Executable::load(*executor, program);
  ASSERT_FALSE(executable.ok());
  EXPECT_THAT(executable.error().text(), HasSubstr("sim:0: allocate_host fails on request"));
}

// A kernel that never returns is reported with its name, and the session can be given up.
TEST(FaultHang, AKernelThatNeverReturnsIsReportedWithItsName) {
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 3});
  g.output("y", exp(tanh(sigmoid(x))));
  const CompileConfig config = check(configure({.devices = "sim:0"}));
  const Program program = check(g.state()->builder->snapshot()->compile(config)).program;
  for (const char* op : {"sigmoid", "tanh", "exp"}) {
    setenv("CUTSET_SIMULATED_FAULTS", (std::string("enqueue/") + op + "=2:hang").c_str(), 1);
    auto executor = check(Executor::open(check(describe_devices({.devices = "sim:0"}))));
    unsetenv("CUTSET_SIMULATED_FAULTS");
    auto executable = check(Executable::load(*executor, program));
    const HostTensor value(TensorType{f32, {4, 3}});
    const HostTensor* inputs[] = {&value};
    ASSERT_TRUE(executable->run("evaluate", inputs).ok());
    std::string said;
    executor->steps().report_stalls(std::chrono::milliseconds(50), [&](const std::string& text) {
      if (said.empty()) said = text;
      executor->health().fail(execution_failed("given up"));
    });
    auto results = executable->run("evaluate", inputs);
    ASSERT_FALSE(results.ok());
    EXPECT_THAT(results.error().what, HasSubstr("given up"));
    EXPECT_THAT(said, HasSubstr("sim:0's compute queue is at instruction"));
    EXPECT_THAT(said, HasSubstr("'" + std::string(op) + "'")) << "the report names another op";
  }
}

}  // namespace
}  // namespace cutset::testing

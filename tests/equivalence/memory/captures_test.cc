// SPDX-License-Identifier: Apache-2.0
// Tests that a device that asks for captures runs consecutive kernels as one command, with the same results
// as without captures. A device that cannot record runs the kernels one by one.
#include <cutset/cutset.h>
#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>

#include "tests/equivalence/support/runs.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

class Captures : public Folder {
 protected:
  void SetUp() override {
    std::ofstream(path("devices.json"))
        << R"({"sim:0": {"captures": 1}, "sim:1": {"captures": 1}, "sim:2": {"captures": 1}, "sim:3": {"captures": 1}})";
  }
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }

  // Trains a small network on batches of two sizes, so that its programs are bound several times. Returns the
  // losses and the weights.
  std::vector<HostTensor> train(const std::string& devices, const std::string& strategy, bool captures,
                                uint64_t seed) {
    Graph g;
    const Tensor image = g.input("image", f32, {8, 6}), label = g.input("label", i32, {8});
    const Tensor x = tanh(nn::dense("fc1", image, 12));
    g.minimize(mean(softmax_cross_entropy(nn::dense("fc2", x, 4), label)),
               Sgd{.learning_rate = 0.1, .momentum = 0.9});
    Session session = compile(g, {.devices = devices,
                                  .strategy = strategy,
                                  .simulation_seed = seed,
                                  .device_file = captures ? path("devices.json") : ""});
    std::vector<HostTensor> seen;
    for (int step = 0; step < 8; ++step) {
      const int64_t rows = step % 3 == 2 ? 5 : 8;
      HostTensor pixels({f32, {rows, 6}}), classes({i32, {rows}});
      for (int64_t i = 0; i < rows * 6; ++i)
        pixels.as<float>()[i] = static_cast<float>((i * 7 + step) % 11) * 0.1f;
      for (int64_t i = 0; i < rows; ++i) classes.as<int32_t>()[i] = static_cast<int32_t>((i + step) % 4);
      Batch batch;
      batch.emplace("image", std::move(pixels));
      batch.emplace("label", std::move(classes));
      seen.push_back(session.train(batch).at("loss"));
    }
    for (const std::string& name : session.variables()) seen.push_back(session.variable(name));
    return seen;
  }
};

TEST_F(Captures, GiveTheBitsOfEagerKernels) {
  for (const auto& [devices, strategy] : std::vector<std::pair<std::string, std::string>>{
           {"sim:0", "one_device"},
           {"sim:0,sim:1", "data(2)"},
           {"sim:0,sim:1", "pipeline(2, micro_batches=1)"},
           {"reference:0,sim:0", "pipeline(2, micro_batches=1)"}})
    for (uint64_t seed : {0, 1, 2})
      EXPECT_EQ(train(devices, strategy, true, seed), train(devices, strategy, false, seed))
          << devices << " " << strategy;
}

TEST_F(Captures, AreLaunched) {
  setenv("CUTSET_SIMULATED_FAULTS", "launch=3", 1);
  EXPECT_NO_THROW(train("sim:0", "one_device", false, 0));
  try {
    train("sim:0", "one_device", true, 0);
    FAIL() << "no capture was launched";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("launch fails on request"));
    EXPECT_THAT(e.what(), HasSubstr("captures_test.cc:"));  // the line of the first op
  }
}

// Later steps do not enqueue the kernels of a captured segment again.
TEST_F(Captures, SaveTheEnqueueingOfKernels) {
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=5",
         1);  // two programs, one per batch size; each runs and records
  EXPECT_NO_THROW(train("sim:0", "one_device", true, 0));
  EXPECT_THROW(train("sim:0", "one_device", false, 0), Error);
}

TEST_F(Captures, ThatFailAreReplacedByEagerKernels) {
  const auto want = train("sim:0", "one_device", false, 0);
  for (const char* faults : {"begin=1", "begin=1+", "end=1", "end=1+", "end=2"}) {
    setenv("CUTSET_SIMULATED_FAULTS", faults, 1);
    EXPECT_EQ(train("sim:0", "one_device", true, 0), want) << faults;
  }
}

TEST_F(Captures, OfAKernelThatFailsNameTheOp) {
  setenv("CUTSET_SIMULATED_FAULTS", "enqueue/tanh=1+", 1);
  try {
    train("sim:0", "one_device", true, 0);
    FAIL() << "the kernel did not fail";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'tanh'"));
  }
}

// Trains a network of eight layers in micro-batches.
class CapturesOfCalls : public Captures {
 protected:
  std::vector<HostTensor> train(int64_t stages, int64_t micro_batches, const std::string& schedule,
                                bool captures, bool random = false) {
    Graph g(3);
    const Tensor x = g.input("x", f32, {2 * micro_batches, 6});
    Tensor h = x;
    for (int i = 0; i < 8; ++i) h = h + 0.1 * tanh(nn::dense("layer" + std::to_string(i), h, 6));
    if (random) h = h * random_uniform(h, g.step(), {.low = 0.5, .high = 1.5, .seed = 9});
    g.minimize(mean((h - x) * (h - x)), {.learning_rate = 0.1, .momentum = 0.9});
    std::string devices = "sim:0";
    for (int64_t d = 1; d < stages; ++d) devices += ",sim:" + std::to_string(d);
    Session session = compile(g, {.devices = devices,
                                  .strategy = "pipeline(" + std::to_string(stages) + ", micro_batches=" +
                                              std::to_string(micro_batches) + ", schedule=" + schedule + ")",
                                  .device_file = captures ? path("devices.json") : ""});
    std::vector<HostTensor> seen;
    for (int step = 0; step < steps_; ++step) {
      HostTensor values({f32, {2 * micro_batches, 6}});
      for (int64_t i = 0; i < 12 * micro_batches; ++i)
        values.as<float>()[i] = static_cast<float>((i * 7 + step) % 11) * 0.1f;
      Batch batch;
      batch.emplace("x", std::move(values));
      seen.push_back(session.train(batch).at("loss"));
    }
    for (const std::string& name : session.variables()) seen.push_back(session.variable(name));
    return seen;
  }
  // Whether the training calls `function` of the device at least `times` times.
  bool calls(const std::string& function, int64_t device, int64_t times, int64_t stages,
             int64_t micro_batches) {
    setenv("CUTSET_SIMULATED_FAULTS",
           (function + "@" + std::to_string(device) + "=" + std::to_string(times) + ":dead").c_str(), 1);
    try {
      train(stages, micro_batches, "1f1b", true);
      return false;
    } catch (const Error&) {
      return true;
    }
  }
  int64_t count(const std::string& function, int64_t device, int64_t stages, int64_t micro_batches) {
    int64_t least = 0, most = 1;
    while (calls(function, device, most, stages, micro_batches)) {
      least = most;
      most *= 2;
    }
    while (most - least > 1)
      (calls(function, device, (least + most) / 2, stages, micro_batches) ? least : most) =
          (least + most) / 2;
    return least;
  }
  int steps_ = 4;
};

// The number of frames bounds the number of records. Each call of a role is launched.
TEST_F(CapturesOfCalls, ArePerFrame) {
  for (const int64_t stages : {2, 4})
    for (int64_t device = 0; device < stages; ++device) {
      const int64_t records = count("begin", device, stages, 16);
      EXPECT_GT(records, 0);
      EXPECT_TRUE(calls("begin", device, records, stages, 64)) << stages << " " << device;
      EXPECT_FALSE(calls("begin", device, records + 1, stages, 64)) << stages << " " << device;
      EXPECT_TRUE(calls("launch", device, 64 * (steps_ - 1), stages, 64)) << stages << " " << device;
    }
}

TEST_F(CapturesOfCalls, GiveTheBitsOfEagerKernels) {
  for (const std::string schedule : {"1f1b", "gpipe", "zb-h1", "interleaved"})
    for (const int64_t stages : {2, 4})
      EXPECT_EQ(train(stages, 16, schedule, true), train(stages, 16, schedule, false))
          << schedule << " " << stages;
}

// Calls of a role with a random op use the same addresses, but draw the numbers of different rows.
TEST_F(CapturesOfCalls, WithRandomOpsAreNotShared) {
  for (const int64_t stages : {1, 2})
    EXPECT_EQ(train(stages, 16, "1f1b", true, true), train(stages, 16, "1f1b", false, true)) << stages;
}

// In the first run, a library may allocate memory.
TEST_F(CapturesOfCalls, AreNotRecordedInTheFirstRun) {
  steps_ = 1;
  EXPECT_FALSE(calls("begin", 0, 1, 2, 16));
  steps_ = 2;
  EXPECT_TRUE(calls("begin", 0, 1, 2, 16));
}

// The device refuses to record some of the segments.
TEST_F(CapturesOfCalls, ThatFailAreReplacedByEagerKernels) {
  const auto want = train(2, 16, "1f1b", false);
  for (const char* faults : {"begin=1", "begin=2", "begin=1+", "end=2", "end=3+"}) {
    setenv("CUTSET_SIMULATED_FAULTS", faults, 1);
    EXPECT_EQ(train(2, 16, "1f1b", true), want) << faults;
  }
}

}  // namespace
}  // namespace cutset::testing

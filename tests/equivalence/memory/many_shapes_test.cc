// SPDX-License-Identifier: Apache-2.0
// Tests that the memory of a session stops growing when it runs many batch sizes or many steps, or when
// programs are loaded many times. A session keeps the programs of a limited number of batch sizes.
#include <cutset/cutset.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/graph/graph_state.h"
#include "frontends/cpp/session/configure.h"
#include "runtime/execute/executable.h"
#include "tests/equivalence/support/runs.h"
#include "tests/sanitized/sanitizers.h"

namespace cutset {
namespace {

Graph graph() {
  Graph g(1);
  Tensor x = g.input("x", f32, {4, 6}), h = x;
  for (int i = 0; i < 3; ++i) h = tanh(nn::dense("layer" + std::to_string(i), h, 16));
  g.minimize(mean(h * h), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

Batch rows(int64_t n) {
  HostTensor x({f32, {n, 6}});
  for (int64_t i = 0; i < n * 6; ++i) x.as<float>()[i] = static_cast<float>(i % 7) * 0.1f;
  Batch batch;
  batch.emplace("x", x);
  return batch;
}

int64_t resident_bytes() {
  long pages = 0, resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  const bool read = file && std::fscanf(file, "%ld %ld", &pages, &resident) == 2;
  if (file) std::fclose(file);
  return read ? resident * sysconf(_SC_PAGESIZE) : 0;
}

// A sanitizer keeps freed memory for a while, so the tests of resident memory are skipped.
const bool kSanitized = testing::has_address_sanitizer() || testing::has_thread_sanitizer();

constexpr size_t kMost = 4;

TEST(ManyShapes, TheProgramUsedLeastRecentlyMakesRoom) {
  Session session = compile(graph(), {.devices = "reference:0", .max_specialisations = kMost});
  const auto other = [](size_t n) { return static_cast<int64_t>(n) + 5; };  // the graph was built with 4 rows
  auto loss_of = [&](int64_t n) { return session.evaluate(rows(n))["loss"].item<double>(); };
  std::vector<double> losses;
  for (size_t n = 0; n < kMost; ++n) losses.push_back(loss_of(other(n)));
  const auto full = static_cast<int64_t>(kMost) + 1;
  EXPECT_EQ(session.compilations(), full);
  EXPECT_EQ(loss_of(other(0)), losses[0]);  // now the program of other(1) is the least recently used program
  EXPECT_EQ(session.compilations(), full);
  loss_of(other(kMost));
  EXPECT_EQ(session.compilations(), full + 1);
  EXPECT_EQ(loss_of(other(0)), losses[0]);
  EXPECT_EQ(session.compilations(), full + 1);
  EXPECT_EQ(loss_of(other(1)), losses[1]);
  EXPECT_EQ(session.compilations(), full + 2);
  loss_of(4);  // the program for the shapes of the graph is never released
  EXPECT_EQ(session.compilations(), full + 2);
}

TEST(ManyShapes, ResidentMemoryIsFlat) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps memory that is freed";
  for (const char* device : {"reference:0", "cpu:0"}) {
    if (!testing::have(device)) continue;
    Session session = compile(graph(), {.devices = device});
    int64_t before = 0;
    for (int64_t n = 1; n <= 200; ++n) {
      session.train(rows(n));
      if (n == 80) before = resident_bytes();
    }
    EXPECT_LT(resident_bytes() - before, int64_t{24} << 20) << device;
  }
}

TEST(ManySteps, ResidentMemoryIsFlat) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps memory that is freed";
  Session session = compile(graph(), {.devices = "reference:0,reference:1", .strategy = "data(2)"});
  const Batch batch = rows(4);
  for (int i = 0; i < 2'000; ++i) session.train(batch);
  const int64_t before = resident_bytes();
  for (int i = 0; i < 10'000; ++i) session.train(batch);
  EXPECT_LT(resident_bytes() - before, int64_t{1} << 20);
}

// On each backend, a program that is unloaded leaves no handle on a device and no memory. The variables stay.
TEST(ManyLoads, AThousandLoadsLeaveNothingBehind) {
  const std::pair<const char*, int> cases[] = {
      {"cpu:0", 1000}, {"sim:0", 1000}, {"reference:0", 200}, {"opencl:0", 200}, {"cpu:0,sim:0", 200}};
  for (const auto& [devices, loads] : cases) {
    if (!testing::have(devices)) continue;
    SCOPED_TRACE(devices);
    const bool two = std::string(devices).find(',') != std::string::npos;
    const CompileConfig config = check(configure({.devices = devices, .strategy = two ? "data(2)" : ""}));
    const Program program = check(graph().state()->builder->snapshot()->compile(config)).program;
    auto executor = check(Executor::open(check(describe_devices({.devices = devices}))));
    const HostTensor x = rows(4).at("x");
    auto load_and_run = [&] {
      auto executable = check(Executable::load(*executor, program));
      for (const Variable& v : program.variables)
        ASSERT_TRUE(executor->variables().write(v.name, HostTensor(v.type)).ok());
      const HostTensor* inputs[] = {&x};
      auto results = executable->run("train", inputs, {.step = 1});
      ASSERT_TRUE(results.ok()) << results.error().text();
    };
    auto held = [&] {
      std::vector<uint64_t> counts;
      for (size_t d = 0; d < executor->devices().size(); ++d)
        counts.insert(counts.end(), {executor->devices().device(d).live_handles(),
                                     executor->devices().device(d).allocated_bytes()});
      return counts;
    };
    int64_t before = 0;
    load_and_run();
    const std::vector<uint64_t> first = held();
    for (int n = 1; n < loads; ++n) {
      load_and_run();
      ASSERT_EQ(held(), first) << "after load " << n + 1;
      if (n == loads / 3) before = resident_bytes();
    }
    if (!kSanitized) EXPECT_LT(resident_bytes() - before, int64_t{8} << 20);
  }
}

}  // namespace
}  // namespace cutset

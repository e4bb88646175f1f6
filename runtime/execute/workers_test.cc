// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/workers.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>

namespace cutset {
namespace {

struct Call final : Task {
  std::function<void(size_t)> function;
  explicit Call(std::function<void(size_t)> f) : function(std::move(f)) {}
  void run(size_t worker) noexcept override { function(worker); }
};

TEST(Workers, RunTheTasksOfAFifoInTheirOrder) {
  constexpr size_t kTasks = 5 * Workers::kDepth;
  std::vector<size_t> order[2];  // by worker; each is written by one thread
  std::vector<std::unique_ptr<Call>> tasks;
  for (size_t t = 0; t < kTasks; ++t)
    tasks.push_back(std::make_unique<Call>([&order, t](size_t worker) { order[worker].push_back(t); }));
  {
    auto workers = Workers::start(2);
    ASSERT_TRUE(workers.ok());
    for (auto& task : tasks)
      for (size_t w = 0; w < 2; ++w) (*workers)->push(w, *task);
  }  // all tasks have run
  for (const auto& of_worker : order) {
    ASSERT_EQ(of_worker.size(), kTasks);
    for (size_t t = 0; t < kTasks; ++t) EXPECT_EQ(of_worker[t], t);
  }
}

TEST(Workers, AWorkerThatWaitsHoldsNeitherTheCallerNorAnotherWorkerUp) {
  std::promise<void> first_may_end, second_ran;
  Call waits([&](size_t) { first_may_end.get_future().wait(); }), fills([](size_t) {});
  Call runs([&](size_t) { second_ran.set_value(); });
  auto workers = Workers::start(2);
  ASSERT_TRUE(workers.ok());
  (*workers)->push(0, waits);
  for (uint32_t t = 0; t + 1 < Workers::kDepth; ++t) (*workers)->push(0, fills);
  (*workers)->push(1, runs);
  second_ran.get_future().wait();
  first_may_end.set_value();
}

TEST(Workers, AFullFifoHoldsTheCallerUpUntilATaskBegins) {
  std::promise<void> may_end;
  std::atomic<uint32_t> ran = 0;
  Call waits([&](size_t) { may_end.get_future().wait(); }), counts([&](size_t) { ++ran; });
  auto workers = Workers::start(1);
  ASSERT_TRUE(workers.ok());
  (*workers)->push(0, waits);
  std::atomic<uint32_t> pushed = 0;
  auto pushing = std::async(std::launch::async, [&] {
    for (uint32_t t = 0; t < 3 * Workers::kDepth; ++t) {
      (*workers)->push(0, counts);
      ++pushed;
    }
  });
  while (pushed < Workers::kDepth - 1) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // a caller that is not held up would push more
  EXPECT_LE(pushed, Workers::kDepth);
  EXPECT_EQ(ran, 0u);
  may_end.set_value();
  pushing.get();
  workers->reset();
  EXPECT_EQ(ran, 3 * Workers::kDepth);
}

}  // namespace
}  // namespace cutset

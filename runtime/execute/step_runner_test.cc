// SPDX-License-Identifier: Apache-2.0
#include "runtime/execute/step_runner.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "runtime/execute/executor.h"
#include "tests/virtual_clock.h"

namespace cutset {
namespace {

// Two devices, each with a number in its memory. The device `sim:0` runs its commands later than they are
// enqueued.
class Steps : public ::testing::Test {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.devices = "reference:0,sim:0";
    auto described = describe_devices(options);
    ASSERT_TRUE(described.ok());
    auto opened = Executor::open(*described, clock_);
    ASSERT_TRUE(opened.ok());
    executor_ = std::move(*opened);
    compute_.resize(executor_->devices().queues());
    apply_.resize(executor_->devices().queues());
    for (size_t d = 0; d < 2; ++d) {
      auto buffer = executor_->devices().device(d).own().allocate(sizeof(int));
      ASSERT_TRUE(buffer.ok());
      slices_[d] = {*buffer, 0, sizeof(int)};
    }
  }
  size_t queue(size_t device, Queue q) const { return device * kQueues + static_cast<size_t>(q); }
  // Appends a command that copies the number at `from` to a device, and a command that reads it into `to`.
  void set(StepRunner::Lists& lists, size_t device, const int** from, int* to) {
    auto& list = lists[queue(device, Queue::kCompute)];
    list.push_back({.command = bound::ReadInput{reinterpret_cast<const void**>(from), {}, slices_[device]}});
    list.push_back({.command = bound::WriteOutput{&outputs_.emplace_back(to), {}, slices_[device]}});
  }

  testing::VirtualClock clock_;
  std::unique_ptr<Executor> executor_;
  StepRunner::Lists compute_, apply_;
  cutset_slice slices_[2];
  const int given_ = 7;
  const int* input_ = &given_;
  std::deque<void*> outputs_;  // commands point to the elements
};

TEST_F(Steps, TheVoteSeesWhatAllQueuesHaveComputedAndPrecedesAllUpdates) {
  int computed[2] = {0, 0}, updated[2] = {0, 0};
  for (size_t d = 0; d < 2; ++d) {
    set(compute_, d, &input_, &computed[d]);
    set(apply_, d, &input_, &updated[d]);
  }
  for (uint64_t step = 1; step <= 200; ++step) {
    for (int* n : {computed, updated}) n[0] = n[1] = 0;
    const bool commits = step % 2 == 0;
    int votes = 0;
    const auto outcome = executor_->steps().run(compute_, apply_, step, [&] {
      ++votes;
      EXPECT_EQ(computed[0] + computed[1], 14);
      EXPECT_EQ(updated[0] + updated[1], 0);
      return commits;
    });
    ASSERT_TRUE(outcome.status.ok());
    ASSERT_EQ(votes, 1);
    ASSERT_EQ(outcome.committed, commits);
    ASSERT_EQ(updated[0] + updated[1], commits ? 14 : 0) << "step " << step;
  }
}

TEST_F(Steps, AFailedComputationIsNotVotedOn) {
  int updated = 0;
  set(apply_, 0, &input_, &updated);
  auto event = executor_->devices().device(1).own().event();
  ASSERT_TRUE(event.ok());
  compute_[queue(1, Queue::kCompute)].push_back({.command = bound::AwaitEvent{*event}});
  std::string said;
  executor_->steps().report_stalls(std::chrono::seconds(60), [&](const std::string& text) {
    said = text;
    executor_->health().fail(execution_failed("given up"));
  });
  std::thread time([&] {
    clock_.await_waiters(1);
    clock_.advance(std::chrono::seconds(59));
    clock_.await_waiters(1);
    EXPECT_EQ(said, "");
    clock_.advance(std::chrono::seconds(1));
  });
  const auto outcome = executor_->steps().run(compute_, apply_, 1, [&] {
    ADD_FAILURE() << "a failed step was voted on";
    return true;
  });
  time.join();
  EXPECT_EQ(said.find("step 1 has not ended in the last 60 s: "), 0u) << said;
  ASSERT_FALSE(outcome.status.ok());
  EXPECT_EQ(outcome.status.error().what, "given up");
  EXPECT_FALSE(outcome.committed);
  EXPECT_EQ(updated, 0);
}

// Two devices wait for messages that nobody sends. The step fails at the deadline of the first wait.
TEST_F(Steps, ATransferThatWaitsTooLongFailsWithItsOpAndItsDevices) {
  char memory[2][8];
  const auto link = executor_->transport().link({{memory[0], "channel 0 (h, from sim:0 to reference:0)"},
                                                 {memory[1], "channel 1 (g, from reference:0 to sim:0)"}});
  const Instruction source = {.command = Receive{ChannelId(0), BufferId(0)},
                              .names = named("recv", "", "user.cc:7")};
  for (size_t d = 0; d < 2; ++d)
    compute_[queue(d, Queue::kIn)].push_back(
        {.command = bound::Receive{link.get(), d, {}, slices_[d]}, .source = &source});
  executor_->steps().set_peer_timeout(std::chrono::seconds(90));
  std::vector<std::string> said;
  executor_->steps().report_stalls(std::chrono::seconds(60),
                                   [&](const std::string& text) { said.push_back(text); });
  std::thread time([&] {
    clock_.await_waiters(3);  // two queues, and the caller
    clock_.advance(std::chrono::seconds(89));
    clock_.await_waiters(3);
    clock_.advance(std::chrono::seconds(1));
  });
  const auto outcome = executor_->steps().run(compute_, apply_, 5, {});
  time.join();
  ASSERT_FALSE(outcome.status.ok());
  const std::string
      first =
          "'recv': reference:0: the message of channel 0 (h, from sim:0 to reference:0), step 5, has not "
          "come within 90.0 s",
      second =
          "'recv': sim:0: the message of channel 1 (g, from reference:0 to sim:0), step 5, has not "
          "come within 90.0 s";
  EXPECT_TRUE(outcome.status.error().what == first || outcome.status.error().what == second)
      << outcome.status.error().what;
  EXPECT_EQ(outcome.status.error().source, "user.cc:7");
  EXPECT_EQ(said.size(), 1u) << "a stall is reported before the deadline";
}

TEST_F(Steps, AStepWithoutCommandsEnds) {
  const auto outcome = executor_->steps().run(compute_, apply_, 1, {});
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_TRUE(outcome.committed);
}

}  // namespace
}  // namespace cutset

#include "runtime/execute/step_runner.h"

#include <gtest/gtest.h>

#include "runtime/execute/executor.h"

namespace cutset {
namespace {

// Two devices, each with a number in its memory. The device `sim:0` runs its commands later than they are enqueued.
class Steps : public ::testing::Test {
 protected:
  void SetUp() override {
    DeviceOptions options;
    options.devices = "reference:0,sim:0";
    auto described = describe_devices(options);
    ASSERT_TRUE(described.ok());
    auto opened = Executor::open(*described);
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
  // Appends a command that sets the number of a device to that of `from`, and one that reads it into `to`.
  void set(StepRunner::Lists& lists, size_t device, const int** from, int* to) {
    auto& list = lists[queue(device, Queue::kCompute)];
    list.push_back({.command = bound::ReadInput{reinterpret_cast<const void**>(from), {}, slices_[device]}});
    list.push_back({.command = bound::WriteOutput{to, {}, slices_[device]}});
  }

  std::unique_ptr<Executor> executor_;
  StepRunner::Lists compute_, apply_;
  cutset_slice slices_[2];
  const int given_ = 7;
  const int* input_ = &given_;
};

TEST_F(Steps, TheVoteSeesWhatAllQueuesHaveComputedAndPrecedesAllUpdates) {
  int computed[2] = {0, 0}, updated[2] = {0, 0};
  for (size_t d = 0; d < 2; ++d) set(compute_, d, &input_, &computed[d]), set(apply_, d, &input_, &updated[d]);
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
  executor_->steps().report_stalls(0.02,
                                   [&](const std::string&) { executor_->health().fail(execution_failed("given up")); });
  const auto outcome = executor_->steps().run(compute_, apply_, 1, [&] {
    ADD_FAILURE() << "a failed step was voted on";
    return true;
  });
  ASSERT_FALSE(outcome.status.ok());
  EXPECT_EQ(outcome.status.error().what, "given up");
  EXPECT_FALSE(outcome.committed);
  EXPECT_EQ(updated, 0);
}

TEST_F(Steps, AStepWithoutCommandsEnds) {
  const auto outcome = executor_->steps().run(compute_, apply_, 1, {});
  EXPECT_TRUE(outcome.status.ok());
  EXPECT_TRUE(outcome.committed);
}

}  // namespace
}  // namespace cutset

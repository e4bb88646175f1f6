// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/shared_link.h"

#include <gtest/gtest.h>

#include <future>
#include <new>
#include <thread>
#include <vector>

#include "tests/virtual_clock.h"

namespace cutset {
namespace {

// A link with two slots, and their memory.
struct WithMemory {
  float memory[2][4] = {};
  SharedMemory transport;
  std::unique_ptr<Link> link;
  explicit WithMemory(Clock& clock = Clock::real())
      : transport(clock),
        link(transport.link(
            {{memory[0], "channel 3 (h, from cpu:0 to sim:0)"}, {memory[1], "channel 4 (g)"}})) {}
  Link* operator->() { return link.get(); }
};
MessageHeader header(uint64_t step, uint64_t epoch = 1) { return {1, epoch, step, 3, 0, 16}; }
constexpr Clock::Time kNever = Clock::kNever;
const std::function<Status()> arrive = [] { return Status(); };

TEST(SharedLink, AWrongMessageIsAnErrorThatNamesBothHeaders) {
  WithMemory link;
  const MessageHeader sent = header(7);
  for (auto change : {+[](MessageHeader& h) { h.program++; }, +[](MessageHeader& h) { h.epoch++; },
                      +[](MessageHeader& h) { h.step++; }, +[](MessageHeader& h) { h.channel++; },
                      +[](MessageHeader& h) { h.dtype++; }, +[](MessageHeader& h) { h.bytes++; }}) {
    MessageHeader expected = sent;
    change(expected);
    link->post(0, sent);
    Status s = link->take(0, expected, kNever, arrive);
    ASSERT_FALSE(s.ok());
    EXPECT_NE(s.error().what.find("step 7"), std::string::npos);
  }
  link->post(0, sent);
  EXPECT_TRUE(link->take(0, sent, kNever, arrive).ok());
}

// The receiver takes the messages in another order than the order in which they were sent.
TEST(SharedLink, AMessageWaitsForNoReceiverOfAnotherSlot) {
  WithMemory link;
  link->post(0, header(1));
  link->post(1, header(1));
  EXPECT_TRUE(link->take(1, header(1), kNever, arrive).ok());
  link->post(1, header(2));
  EXPECT_TRUE(link->take(0, header(1), kNever, arrive).ok());
  EXPECT_TRUE(link->take(1, header(2), kNever, arrive).ok());
}

TEST(SharedLink, TheEndOfAnEpochEndsAWaitAndNamesTheFailure) {
  WithMemory link;
  const std::string why = "sim:1 is lost";
  Status status;
  std::thread waiting([&] { status = link->take(0, header(1), kNever, arrive); });
  link.transport.end_epoch(why);
  waiting.join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what,
            "abandoned: the message of channel 3 (h, from cpu:0 to sim:0), step 1, has not come, because the "
            "step has failed: sim:1 is lost");
}

TEST(SharedLink, AMessageOfAnEndedEpochIsNeverTaken) {
  testing::VirtualClock clock;
  WithMemory link(clock);
  const std::string why = "a failure";
  link->post(0, header(1));
  link.transport.end_epoch(why);
  link->post(1, header(1));  // a device that has not noticed the failure
  link.transport.begin_epoch();
  ASSERT_EQ(link.transport.epoch(), 2u);
  link->post(0, header(1));  // a device that has not noticed the new epoch
  for (size_t slot : {0, 1}) {
    const Status status = link->take(slot, header(2, 2), clock.now(), arrive);
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().what.find("has not come"), std::string::npos) << status.error().what;
  }
  link->post(0, header(2, 2));
  EXPECT_TRUE(link->take(0, header(2, 2), kNever, arrive).ok());
}

// Runs take() with `arrived` in another thread. Calls `act` when that thread is blocked, and returns the
// status of take().
template <class Act>
Status taken_by_a_blocked_thread(testing::VirtualClock& clock, WithMemory& link,
                                 const std::function<Status()>& arrived, Act&& act) {
  Status status;
  std::thread waiting(
      [&] { status = link->take(0, header(1), clock.after(std::chrono::seconds(2)), arrived); });
  clock.await_waiters(1);
  act();
  waiting.join();
  return status;
}

TEST(SharedLink, TheSenderActsForABlockedReceiver) {
  testing::VirtualClock clock;
  WithMemory link(clock);
  std::thread::id caller;
  const auto arrived = [&]() -> Status {
    caller = std::this_thread::get_id();
    return execution_failed("the device is lost");
  };
  const Status status = taken_by_a_blocked_thread(clock, link, arrived, [&] { link->post(0, header(1)); });
  EXPECT_EQ(caller, std::this_thread::get_id());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what, "the device is lost");
  link->post(0, header(2));
  EXPECT_TRUE(link->take(0, header(2), kNever, arrive).ok());
}

// The receiver returns only when the sender has acted for it, although its deadline has passed and the epoch
// has ended.
TEST(SharedLink, TheEndOfAnEpochDoesNotWaitForASenderThatActs) {
  testing::VirtualClock clock;
  WithMemory link(clock);
  const std::string why = "sim:1 is lost";
  std::promise<void> called, go_on;
  const auto arrived = [&]() -> Status {
    called.set_value();
    go_on.get_future().wait();
    return {};
  };
  const Status status = taken_by_a_blocked_thread(clock, link, arrived, [&] {
    std::thread sending([&] { link->post(0, header(1)); });
    called.get_future().wait();
    link.transport.end_epoch(why);
    clock.advance(std::chrono::seconds(3));
    go_on.set_value();
    sending.join();
  });
  EXPECT_TRUE(status.ok()) << status.error().what;
}

TEST(SharedLink, AReceiverRepeatsWhatTheSenderHadNoMemoryFor) {
  testing::VirtualClock clock;
  WithMemory link(clock);
  std::vector<std::thread::id> callers;
  const auto arrived = [&]() -> Status {
    callers.push_back(std::this_thread::get_id());
    if (callers.size() == 1) throw std::bad_alloc();
    return {};
  };
  EXPECT_TRUE(taken_by_a_blocked_thread(clock, link, arrived, [&] { link->post(0, header(1)); }).ok());
  ASSERT_EQ(callers.size(), 2u);
  EXPECT_EQ(callers[0], std::this_thread::get_id());
  EXPECT_NE(callers[1], std::this_thread::get_id());
}

TEST(SharedLink, ADeadlineNamesTheMessageThatHasNotCome) {
  testing::VirtualClock clock;
  WithMemory link(clock);
  Status status;
  std::thread waiting(
      [&] { status = link->take(0, header(6), clock.after(std::chrono::seconds(2)), arrive); });
  clock.await_waiters(1);
  clock.advance(std::chrono::seconds(2));
  waiting.join();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().what,
            "the message of channel 3 (h, from cpu:0 to sim:0), step 6, has not come within 2.0 s");
}

}  // namespace
}  // namespace cutset

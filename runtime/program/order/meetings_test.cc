// SPDX-License-Identifier: Apache-2.0
// A wait comes after all instructions that give its happening, and queues that nothing unblocks stay blocked.
#include "runtime/program/order/meetings.h"

#include <gtest/gtest.h>

#include <map>

namespace cutset {
namespace {

constexpr size_t kIn = 0, kCompute = 1, kOut = 2;

// Checks that no wait comes before one of its givers, and that the instructions of a queue are in order.
void expect_order(const Meetings::Run& run, const std::map<uint32_t, size_t>& givers) {
  std::map<uint32_t, size_t> given;
  std::map<uint32_t, size_t> last;
  for (const Meeting& m : run.meetings) {
    if (m.gives)
      ++given[m.happening];
    else
      EXPECT_EQ(given[m.happening], givers.at(m.happening)) << "happening " << m.happening;
    if (last.contains(m.queue)) {
      EXPECT_LT(last[m.queue], m.index);
    }
    last[m.queue] = m.index;
  }
}

// Returns a function with the given number of devices and one event on each.
Function with_devices(size_t count) {
  Function f;
  f.devices.resize(count);
  for (DevicePlan& d : f.devices) d.events = 1;
  return f;
}

TEST(Meetings, FollowEventsMessagesAndSums) {
  Function f = with_devices(2);
  f.channels.emplace_back();
  f.collectives.emplace_back().partials.resize(2);
  const EventId event(0);
  const ChannelId channel(0);
  const CollectiveId sum(0);
  // Device 0 waits for the message of device 1, and gives its partial sum only then.
  f.devices[0].queues[kIn].compute = {{.command = Receive{channel}}, {.command = SignalEvent{event}}};
  f.devices[0].queues[kOut].compute = {{.command = AwaitEvent{event}}, {.command = StartAllReduce{sum}}};
  f.devices[1].queues[kIn].compute = {{.command = AwaitAllReduce{sum}}};
  f.devices[1].queues[kOut].compute = {{.command = Send{channel}}, {.command = StartAllReduce{sum}}};
  Meetings meetings(f);
  EXPECT_EQ(meetings.happenings(), 4u);
  const Meetings::Run run = meetings.run(false);
  EXPECT_EQ(run.meetings.size(), 7u);
  EXPECT_EQ(run.next, (std::vector<size_t>{2, 0, 2, 1, 0, 2}));
  const size_t first = 0;
  expect_order(run, {{meetings.happening_of({.command = AwaitEvent{event}}, first), 1},
                     {meetings.happening_of({.command = Receive{channel}}, first), 1},
                     {meetings.happening_of({.command = AwaitAllReduce{sum}}, first), 2}});
}

TEST(Meetings, LeaveQueuesThatWaitForEachOther) {
  Function f = with_devices(1);
  f.devices[0].events = 2;
  const EventId a(0), b(1);
  f.devices[0].queues[kIn].compute = {{}, {.command = AwaitEvent{b}}, {.command = SignalEvent{a}}};
  f.devices[0].queues[kCompute].compute = {{.command = AwaitEvent{a}}, {.command = SignalEvent{b}}};
  f.devices[0].queues[kOut].compute = {{}};
  const Meetings::Run run = Meetings(f).run(false);
  EXPECT_TRUE(run.meetings.empty());
  EXPECT_EQ(run.next, (std::vector<size_t>{1, 0, 1}));
}

TEST(Meetings, KeepWhatHappenedInCompute) {
  Function f = with_devices(1);
  f.devices[0].queues[kIn].compute = {{.command = SignalEvent{EventId(0)}}};
  f.devices[0].queues[kCompute].apply = {{.command = AwaitEvent{EventId(0)}}};
  Meetings meetings(f);
  EXPECT_EQ(meetings.run(false).meetings.size(), 1u);
  EXPECT_EQ(meetings.run(true).next, (std::vector<size_t>{0, 1, 0}));
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Waits that others imply are removed, and no others.
#include "runtime/program/order/implied_waits.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

// Reads a list of instructions: "s0" signals event 0, "w0" waits for it, and "k" is a kernel.
std::vector<Instruction> read(const std::string& text) {
  std::vector<Instruction> list;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ') continue;
    Instruction& i = list.emplace_back();
    if (text[at] == 'k') continue;
    const char what = text[at];
    const EventId event(text[++at] - '0');
    if (what == 's')
      i.command = SignalEvent{event};
    else
      i.command = AwaitEvent{event};
  }
  return list;
}
std::string write(const std::vector<Instruction>& list) {
  std::string text;
  for (const Instruction& i : list) {
    text += text.empty() ? "" : " ";
    if (const auto* c = i.as<SignalEvent>())
      text += "s" + std::to_string(c->event.value);
    else if (const auto* c = i.as<AwaitEvent>())
      text += "w" + std::to_string(c->event.value);
    else
      text += "k";
  }
  return text;
}

struct Lists {
  std::string in, compute, out, apply = "";
  bool operator==(const Lists&) const = default;
};
void PrintTo(const Lists& l, std::ostream* to) {
  *to << "in: " << l.in << "; compute: " << l.compute << "; out: " << l.out << "; apply: " << l.apply;
}
Lists reduced(const Lists& lists, int32_t events, int32_t left) {
  Function f;
  DevicePlan& plan = f.devices.emplace_back();
  plan.events = events;
  plan.queues[0].compute = read(lists.in);
  plan.queues[1].compute = read(lists.compute);
  plan.queues[2].compute = read(lists.out);
  plan.queues[1].apply = read(lists.apply);
  drop_implied_waits(f);
  EXPECT_EQ(plan.events, left);
  return {write(plan.queues[0].compute), write(plan.queues[1].compute), write(plan.queues[2].compute),
          write(plan.queues[1].apply)};
}

TEST(ImpliedWaits, ANecessaryWaitStays) {
  EXPECT_EQ(reduced({"k s0", "w0 k s1", "w1 k"}, 2, 2), (Lists{"k s0", "w0 k s1", "w1 k"}));
}

TEST(ImpliedWaits, AnEarlierSignalOfTheSameQueueIsImplied) {
  EXPECT_EQ(reduced({"k s0 k s1", "w1 k w0 k", ""}, 2, 1), (Lists{"k k s0", "w0 k k", ""}));
  EXPECT_EQ(reduced({"k s0 k s1", "w0 k w1 k", ""}, 2, 2), (Lists{"k s0 k s1", "w0 k w1 k", ""}))
      << "a wait for a later signal is needed";
}

TEST(ImpliedWaits, OfConsecutiveWaitsOnlyTheLatestIsNeeded) {
  EXPECT_EQ(reduced({"k s0 k s1", "w0 w1 k", ""}, 2, 1), (Lists{"k k s0", "w0 k", ""}));
  EXPECT_EQ(reduced({"k s0", "w0 w0 k", ""}, 1, 1), (Lists{"k s0", "w0 k", ""}));
}

TEST(ImpliedWaits, AWaitThatAnotherQueueHasMadeIsImplied) {
  EXPECT_EQ(reduced({"k s0", "w0 k s1", "w1 k w0 k"}, 2, 2), (Lists{"k s0", "w0 k s1", "w1 k k"}));
  EXPECT_EQ(reduced({"k s0", "w0 k s1", "w0 w1 k"}, 2, 2), (Lists{"k s0", "w0 k s1", "w1 k"}));
  EXPECT_EQ(reduced({"k s0", "k s1 w0", "w1 w0 k"}, 2, 2), (Lists{"k s0", "k s1 w0", "w1 w0 k"}))
      << "the signal was given before the other queue has waited";
}

TEST(ImpliedWaits, AWaitForALaterQueueIsFollowed) {
  EXPECT_EQ(reduced({"w0 k w0 k", "", "k s0"}, 1, 1), (Lists{"w0 k k", "", "k s0"}));
  EXPECT_EQ(reduced({"w1 w2 k w1 k", "k s1 w0 k", "k s0 k s2"}, 3, 3),
            (Lists{"w1 w2 k k", "k s1 w0 k", "k s0 k s2"}));
}

TEST(ImpliedWaits, AQueueNeedNotWaitForItself) {
  EXPECT_EQ(reduced({"", "k s0 k w0 k", ""}, 1, 0), (Lists{"", "k k k", ""}));
}

TEST(ImpliedWaits, UpdatesBeginWhenAllQueuesAreDone) {
  EXPECT_EQ(reduced({"k s0", "k", "", "w0 k"}, 1, 0), (Lists{"k", "k", "", "k"}));
}

TEST(ImpliedWaits, ASignalWithoutAWaitIsRemoved) {
  EXPECT_EQ(reduced({"k s0 k s1 k s2", "w1 k", ""}, 3, 1), (Lists{"k k s0 k", "w0 k", ""}));
}

}  // namespace
}  // namespace cutset

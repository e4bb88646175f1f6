// SPDX-License-Identifier: Apache-2.0
// Queues are ordered where they access the same bytes, and nowhere else.
#include "runtime/program/order/order_queues.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

constexpr Queue kIn = Queue::kIn, kCompute = Queue::kCompute, kOut = Queue::kOut;

// A function with one device, whose instructions are added in the order of the schedule.
class Schedule {
 public:
  Schedule() { f_.devices.resize(1); }

  BufferId buffer(uint64_t offset, int64_t bytes) {
    f_.buffers.push_back({.offset = offset, .type = {DType::u8, {bytes}}});
    return BufferId(f_.buffers.size() - 1);
  }
  Function& function() { return f_; }
  void add(Queue queue, Command command) {
    f_.devices[0].queues[static_cast<int>(queue)].compute.push_back({.command = std::move(command)});
    schedule_.push_back(queue);
  }
  void receive(BufferId to) { add(kIn, ReadInput{.to = to}); }
  void send(BufferId from) { add(kOut, WriteOutput{.from = from}); }
  void run(std::vector<BufferId> operands, std::vector<BufferId> results) {
    add(kCompute, RunKernel{.operands = std::move(operands), .results = std::move(results)});
  }

  // Returns the lists with their events: "x" is an instruction, "s0" signals event 0, and "w0" waits for it.
  std::string ordered() {
    order_queues(f_, 0, schedule_);
    std::string text;
    for (const char* name : {"in:", "compute:", "out:"}) {
      text += (text.empty() ? "" : " ") + std::string(name);
      for (const Instruction& i : f_.devices[0].queues[next_++].compute)
        if (const auto* signal = i.as<SignalEvent>())
          text += " s" + std::to_string(signal->event.value);
        else if (const auto* wait = i.as<AwaitEvent>())
          text += " w" + std::to_string(wait->event.value);
        else
          text += " x";
    }
    return text;
  }

 private:
  Function f_;
  std::vector<Queue> schedule_;
  size_t next_ = 0;
};

TEST(OrderQueues, AReadWaitsForTheWriteOfAnotherQueue) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(16, 16);
  s.receive(a);
  s.run({a}, {b});
  s.send(b);
  EXPECT_EQ(s.ordered(), "in: x s0 compute: w0 x s1 out: w1 x");
}

TEST(OrderQueues, ReadsDoNotWaitForEachOther) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(16, 16);
  s.receive(a);
  s.send(a);
  s.run({a}, {b});
  EXPECT_EQ(s.ordered(), "in: x s0 compute: w0 x out: w0 x");
}

TEST(OrderQueues, AWriteWaitsForAllReadsOfTheBytes) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(16, 16), again = s.buffer(8, 8);
  s.receive(a);
  s.run({a}, {b});
  s.send(a);
  s.receive(again);
  EXPECT_EQ(s.ordered(), "in: x s0 w1 w2 x compute: w0 x s1 out: w0 x s2");
}

// The bytes keep one stretch, whose accesses are replaced.
TEST(OrderQueues, AWriteOfTheSameBytesWaitsForAllReadsAndIsWaitedFor) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(16, 16), c = s.buffer(32, 16);
  s.receive(a);
  s.run({a}, {b});
  s.send(a);
  s.receive(a);
  s.run({a}, {c});
  EXPECT_EQ(s.ordered(), "in: x s0 w1 w2 x s3 compute: w0 x s1 w3 x out: w0 x s2");
}

TEST(OrderQueues, OtherBytesNeedNoWait) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(16, 16), c = s.buffer(32, 16);
  s.receive(a);
  s.run({}, {b});
  s.send(c);
  EXPECT_EQ(s.ordered(), "in: x compute: x out: x");
}

// The bytes of the first piece are free when the first kernel has read them.
TEST(OrderQueues, PiecesOfABucketAreAccessedOneByOne) {
  Schedule s;
  const BufferId whole = s.buffer(0, 32), first = s.buffer(0, 16), second = s.buffer(16, 16),
                 r = s.buffer(64, 16);
  const BufferId again = s.buffer(0, 8);
  s.add(kIn, AwaitAllReduce{CollectiveId(0), whole, {first, second}});
  s.run({first}, {r});
  s.run({second}, {r});
  s.receive(again);
  EXPECT_EQ(s.ordered(), "in: x s0 w1 x compute: w0 x s1 x out:");
}

// Nothing reads the bytes between the tensors of a bucket, but they are used while the bucket is sent.
TEST(OrderQueues, TheGapsOfABucketBelongToIt) {
  Schedule s;
  const BufferId whole = s.buffer(0, 48), first = s.buffer(0, 16), second = s.buffer(32, 16);
  s.run({}, {first});
  s.run({}, {second});
  s.add(kOut, StartAllReduce{CollectiveId(0), 0, whole, {second, first}});
  s.receive(s.buffer(20, 4));
  EXPECT_EQ(s.ordered(), "in: w1 x compute: x x s0 out: w0 x s1");
}

TEST(OrderQueues, VariablesAndConstantsNeedNoWait) {
  Schedule s;
  const BufferId a = s.buffer(0, 16), b = s.buffer(0, 16);
  s.function().buffers[a].storage = Storage::kVariable;
  s.function().buffers[b].storage = Storage::kConstant;
  s.run({a, b}, {});
  s.send(a);
  s.receive(s.buffer(0, 16));
  EXPECT_EQ(s.ordered(), "in: x compute: x out: x");
}

// A call reads and writes what the instructions of the role do, and the memory inside the role.
TEST(OrderQueues, CallsAccessWhatTheirRolesAccess) {
  const auto called = [](uint64_t free) {  // the in queue writes 8 bytes at `free` after two calls
    Schedule s;
    Role role;
    for (const uint64_t inside : {64, 96})
      role.buffers.push_back({.offset = inside, .type = {DType::u8, {16}}});
    for (int p = 0; p < 3; ++p) {
      role.parameters.push_back({BufferId(role.buffers.size())});
      role.buffers.push_back({.storage = Storage::kParameter, .type = {DType::u8, {16}}});
    }
    Buffer view = role.buffers[role.parameters[0][0]];
    view.view_of = role.parameters[0][0];
    role.buffers.push_back(view);
    role.body = {{.command = RunKernel{.operands = {BufferId(5)}, .results = {BufferId(0)}}},
                 {.command = CopyBuffer{BufferId(0), BufferId(1)}},
                 {.command = CopyBuffer{BufferId(1), BufferId(3)}}};
    s.function().roles.push_back(role);
    const BufferId read = s.buffer(0, 16), written = s.buffer(16, 16), unused = s.buffer(32, 16);
    s.receive(read);
    s.receive(unused);
    for (BufferId b : {read, written, unused}) s.function().frames.push_back({{b}});
    for (int call = 0; call < 2; ++call)
      s.add(kCompute, CallRole{RoleId(0), {FrameId(0), FrameId(1), FrameId(2)}});
    s.send(written);
    s.receive(s.buffer(free, 8));
    return s.ordered();
  };
  EXPECT_EQ(called(48), "in: x s0 x x compute: w0 x x s1 out: w1 x") << "nothing uses these bytes";
  EXPECT_EQ(called(32), "in: x s0 x x compute: w0 x x s1 out: w1 x") << "the role does not use this argument";
  EXPECT_EQ(called(80), "in: x s0 x x compute: w0 x x s1 out: w1 x") << "between the buffers of the role";
  EXPECT_EQ(called(0), "in: x s0 x w1 x compute: w0 x x s1 out: w1 x");
  EXPECT_EQ(called(16), "in: x s0 x w1 w2 x compute: w0 x x s1 out: w1 x s2");
  EXPECT_EQ(called(72), "in: x s0 x w1 x compute: w0 x x s1 out: w1 x");
  EXPECT_EQ(called(104), "in: x s0 x w1 x compute: w0 x x s1 out: w1 x");
}

}  // namespace
}  // namespace cutset

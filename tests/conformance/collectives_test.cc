// SPDX-License-Identifier: Apache-2.0
// Tests the table `collectives` of the device ABI of every backend that has it. The tests are skipped if the
// machine has too few devices, or if the library that the devices need to form a group is missing.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstring>
#include <thread>

#include "frontends/cpp/checks/failure.h"
#include "runtime/device/backend_library.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

using Floats = std::vector<float>;

class DeviceCollectives : public ::testing::TestWithParam<std::string> {
 protected:
  DeviceCollectives() : api_(*check(load_backend(GetParam()))) {}
  ~DeviceCollectives() override {
    if (group_) api_.collectives->release(group_);
  }

  // Forms a group of devices 0 to count - 1, each with a queue. Returns false if that is not possible on this
  // machine.
  bool form(size_t count) {
    std::vector<cutset_device> handles;
    for (size_t m = 0; m < count; ++m) {
      auto described = describe_devices({.devices = GetParam() + ":" + std::to_string(m)});
      if (!described.ok()) return false;
      auto opened = OpenDevice::open((*described)[0]);
      if (!opened.ok()) return false;
      handles.push_back(devices_.emplace_back(std::move(*opened))->handle());
      queues_.push_back(check(devices_.back()->queue()));
    }
    const cutset_error* e = api_.collectives->create(handles.data(), count, &group_);
    if (e && e->code == CUTSET_UNSUPPORTED) why_ = e->message;
    if (e && e->code != CUTSET_UNSUPPORTED) ADD_FAILURE() << e->message;
    return e == nullptr;
  }
  cutset_slice slice(size_t member, uint64_t bytes) {
    return {check(devices_[member]->own().allocate(bytes)), 0, bytes};
  }
  template <class T>
  cutset_slice holding(size_t member, const std::vector<T>& values) {
    const cutset_slice made = slice(member, values.size() * sizeof(T));
    check(devices_[member]->write_now(queues_[member], made, values.data()));
    return made;
  }
  template <class T = float>
  std::vector<T> read(size_t member, const cutset_slice& from) {
    std::vector<T> values(from.bytes / sizeof(T));
    check(devices_[member]->read_now(queues_[member], from, values.data()));
    return values;
  }
  void all_reduce(size_t member, const cutset_slice& from, const cutset_slice& to,
                  int32_t dtype = CUTSET_F32) {
    ok(api_.collectives->all_reduce(queues_[member], group_, member, &from, &to, dtype));
  }
  void ok(const cutset_error* e) { EXPECT_EQ(e, nullptr) << e->message; }
  // Returns the code of an error, or 0.
  static int32_t code(const cutset_error* e) { return e ? e->code : 0; }

  // Sums {1, 2, ...}, {2, 4, ...}, ... of type T in place.
  template <class T>
  void sum_in_place(int32_t dtype) {
    constexpr size_t kCount = 33;
    std::vector<cutset_slice> slices;
    std::vector<T> want(kCount);
    for (size_t m = 0; m < devices_.size(); ++m) {
      std::vector<T> mine(kCount);
      for (size_t i = 0; i < kCount; ++i) {
        mine[i] = static_cast<T>((m + 1) * (i + 1));
        want[i] = static_cast<T>(want[i] + mine[i]);
      }
      slices.push_back(holding(m, mine));
    }
    for (size_t m = 0; m < devices_.size(); ++m) all_reduce(m, slices[m], slices[m], dtype);
    for (size_t m = 0; m < devices_.size(); ++m) EXPECT_EQ(read<T>(m, slices[m]), want) << dtype;
  }

  const cutset_backend& api_;
  std::vector<std::unique_ptr<OpenDevice>> devices_;
  std::vector<cutset_queue> queues_;
  cutset_group group_ = nullptr;
  std::string why_ = "too few devices";
};
std::vector<std::string> kinds_with_collectives() {
  std::vector<std::string> kinds;
  for (const std::string& kind : kinds_here())
    if (check(load_backend(kind))->collectives) kinds.push_back(kind);
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(All, DeviceCollectives, ::testing::ValuesIn(kinds_with_collectives()),
                         [](const auto& info) { return info.param; });
#define FORM(count) \
  if (!form(count)) GTEST_SKIP() << why_

// Three members sum 30 vectors, and pass a message around. Each member has its own thread and is up to three
// sums ahead of the others. The order of the additions must be the same for all members and in all rounds.
// The sums show the order: in f32, (1e8 + 1) - 1e8 is 0, and 1e8 - 1e8 + 1 is 1.
TEST_P(DeviceCollectives, SumsAndMessagesInParallel) {
  constexpr size_t kMembers = 3, kRounds = 30, kCount = 257;
  FORM(kMembers);
  std::array<std::vector<Floats>, kMembers> sums;
  std::vector<std::thread> threads;
  for (size_t m = 0; m < kMembers; ++m)
    threads.emplace_back([&, m] {
      const cutset_queue q = queues_[m];
      const cutset_slice data = slice(m, kCount * 4);
      constexpr float kPartials[] = {1e8f, 1, -1e8f};
      const Floats mine(kCount, kPartials[m]);
      sums[m].assign(kRounds, Floats(kCount, -1));
      for (size_t round = 0; round < kRounds; ++round) {
        ok(api_.write(q, &data, mine.data()));
        all_reduce(m, data, data);
        ok(api_.read(q, &data, sums[m][round].data()));
        if (round % 3 == 2) ok(api_.finish(q));
      }
      ok(api_.finish(q));
      check(devices_[m]->write_now(q, data, Floats(kCount, static_cast<float>(m)).data()));
      ok(api_.collectives->send(q, group_, m, (m + 1) % kMembers, &data));
      ok(api_.collectives->receive(q, group_, m, (m + 2) % kMembers, &data));
      EXPECT_EQ(read(m, data), Floats(kCount, static_cast<float>((m + 2) % kMembers)));
    });
  for (std::thread& t : threads) t.join();
  for (const float v : sums[0][0]) EXPECT_TRUE(v == 0 || v == 1) << v;
  for (const auto& of_member : sums)
    for (const Floats& sum : of_member) EXPECT_EQ(sum, sums[0][0]);
}

// One thread enqueues all commands of a member, and then all commands of the next member, including commands
// between and after the sums.
TEST_P(DeviceCollectives, OneThreadEnqueuesOneMemberAfterTheOther) {
  for (const size_t members : {2, 3}) {
    constexpr size_t kRounds = 4, kCount = 100;
    FORM(members);
    std::vector<std::vector<Floats>> got(members, std::vector<Floats>(kRounds, Floats(kCount)));
    std::vector<Floats> first(members);
    for (size_t m = 0; m < members; ++m) {
      const cutset_queue q = queues_[m];
      const cutset_slice from = slice(m, kCount * 4), to = slice(m, kCount * 4), kept = slice(m, kCount * 4);
      first[m].assign(kCount, static_cast<float>(m + 1));
      ok(api_.write(q, &from, first[m].data()));
      for (size_t round = 0; round < kRounds; ++round) {
        all_reduce(m, from, to);
        ok(api_.copy(q, &to, &kept));
        ok(api_.copy(q, &kept, &from));  // the next sum is larger
        ok(api_.read(q, &kept, got[m][round].data()));
      }
    }
    for (cutset_queue q : queues_) ok(api_.finish(q));
    auto sum = static_cast<float>(members * (members + 1) / 2);
    for (size_t round = 0; round < kRounds; ++round, sum *= static_cast<float>(members))
      for (size_t m = 0; m < members; ++m) EXPECT_EQ(got[m][round], Floats(kCount, sum)) << "member " << m;
    api_.collectives->release(group_);
    group_ = nullptr;
    queues_.clear();
    devices_.clear();
  }
}

// A signal after a sum is given when the sum is done, and a second queue of the same device sees it.
TEST_P(DeviceCollectives, EventsFollowSums) {
  FORM(2);
  const cutset_slice a = holding(0, Floats{1, 2}), b = holding(1, Floats{10, 20});
  const cutset_queue other = check(devices_[0]->queue());
  const cutset_event done = check(devices_[0]->own().event());
  all_reduce(0, a, a);
  ok(api_.signal(queues_[0], done, 1));
  Floats seen(2);
  std::thread second([&] {
    ok(api_.wait(other, done, 1));
    ok(api_.read(other, &a, seen.data()));
    ok(api_.finish(other));
  });
  all_reduce(1, b, b);
  second.join();
  EXPECT_EQ(seen, (Floats{11, 22}));
  ok(api_.finish(queues_[0]));
  ok(api_.finish(queues_[1]));
}

TEST_P(DeviceCollectives, SumsOfOtherTypes) {
  FORM(2);
  sum_in_place<double>(CUTSET_F64);
  sum_in_place<int32_t>(CUTSET_I32);
  sum_in_place<int64_t>(CUTSET_I64);
  sum_in_place<uint8_t>(CUTSET_U8);
  sum_in_place<_Float16>(CUTSET_F16);  // the sums are whole numbers below 2048, so they are exact
}

// Every backend refuses an element type that does not exist. A backend either adds i1 or refuses it.
TEST_P(DeviceCollectives, TypesThatCannotBeAdded) {
  FORM(2);
  int refused = 0;
  for (const int32_t dtype : {int32_t{CUTSET_I1}, int32_t{42}})
    for (size_t m = 0; m < 2; ++m) {
      const cutset_slice a = slice(m, 8);
      const cutset_error* e = api_.collectives->all_reduce(queues_[m], group_, m, &a, &a, dtype);
      EXPECT_TRUE(!e || e->code == CUTSET_UNSUPPORTED) << e->message;
      refused += e != nullptr;
    }
  EXPECT_GE(refused, 2);
  for (cutset_queue q : queues_) ok(api_.finish(q));
}

TEST_P(DeviceCollectives, EmptySumsAndMessages) {
  FORM(2);
  const cutset_slice a = slice(0, 0), b = slice(1, 0), c = holding(0, Floats{3}), d = holding(1, Floats{4});
  ok(api_.collectives->send(queues_[0], group_, 0, 1, &a));
  all_reduce(0, a, a);
  all_reduce(0, c, c);
  ok(api_.collectives->receive(queues_[1], group_, 1, 0, &b));
  all_reduce(1, b, b);
  all_reduce(1, d, d);
  EXPECT_EQ(read(0, c), Floats{7});
  EXPECT_EQ(read(1, d), Floats{7});
}

// One thread enqueues five messages of each member to the other member, and overwrites the slice after each
// message.
TEST_P(DeviceCollectives, MessagesInBothDirections) {
  constexpr size_t kMessages = 5;
  FORM(2);
  std::array<std::vector<cutset_slice>, 2> arrived;
  const Floats zero(100);
  std::array<std::vector<Floats>, 2> sent;
  for (size_t m = 0; m < 2; ++m) {
    const cutset_queue q = queues_[m];
    const cutset_slice whole = slice(m, 400);
    for (size_t i = 0; i < kMessages; ++i) {
      const cutset_slice out = {whole.buffer, 0, (10 * i + 4) * 4};
      const Floats& values = sent[m].emplace_back(10 * i + 4, static_cast<float>(100 * m + i));
      ok(api_.write(q, &out, values.data()));
      ok(api_.finish(q));
      ok(api_.collectives->send(q, group_, m, 1 - m, &out));
      ok(api_.write(q, &whole, zero.data()));
    }
    for (size_t i = 0; i < kMessages; ++i) {
      arrived[m].push_back(slice(m, (10 * i + 4) * 4));
      ok(api_.collectives->receive(q, group_, m, 1 - m, &arrived[m].back()));
    }
  }
  for (size_t m = 0; m < 2; ++m)
    for (size_t i = 0; i < kMessages; ++i) EXPECT_EQ(read(m, arrived[m][i]), sent[1 - m][i]) << m << " " << i;
}

// Every receiver waits before its message is sent, and the next message is sent before the previous message
// has arrived.
TEST_P(DeviceCollectives, MessagesFollowEachOtherWithoutAWaitOfTheHost) {
  constexpr size_t kMessages = 8;
  FORM(2);
  std::vector<cutset_slice> sent, arrived;
  for (size_t i = 0; i < kMessages; ++i) {
    sent.push_back(holding(0, Floats(50, static_cast<float>(i + 1))));
    arrived.push_back(holding(1, Floats(50)));
  }
  for (size_t i = 0; i < kMessages; ++i) {
    ok(api_.collectives->receive(queues_[1], group_, 1, 0, &arrived[i]));
    ok(api_.collectives->send(queues_[0], group_, 0, 1, &sent[i]));
  }
  for (cutset_queue q : queues_) ok(api_.finish(q));
  for (size_t i = 0; i < kMessages; ++i)
    EXPECT_EQ(read(1, arrived[i]), Floats(50, static_cast<float>(i + 1)));
}

TEST_P(DeviceCollectives, AGroupThatIsNotUsedIsReleased) { FORM(3); }

// One member never arrives. The other members end when they are abandoned.
TEST_P(DeviceCollectives, ASumWithoutAMemberEndsWithTheDevice) {
  FORM(2);
  const cutset_slice data = holding(0, Floats(10));
  all_reduce(0, data, data);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    devices_[0]->abandon();
  });
  EXPECT_EQ(code(api_.finish(queues_[0])), CUTSET_ABANDONED);
  end.join();
}

// Two of three members wait for a sum, and the third member waits for a message. All are abandoned, and their
// memory can be read.
TEST_P(DeviceCollectives, AllMembersAreAbandonedWhileTheyWait) {
  FORM(3);
  std::vector<cutset_slice> slices;
  for (size_t m = 0; m < 3; ++m) slices.push_back(holding(m, Floats(10, static_cast<float>(m))));
  std::vector<std::thread> threads;
  for (size_t m = 0; m < 3; ++m)
    threads.emplace_back([&, m] {
      const cutset_slice other = slice(m, 40);
      const cutset_error* e =
          m == 2 ? api_.collectives->receive(queues_[m], group_, m, 0, &other)
                 : api_.collectives->all_reduce(queues_[m], group_, m, &slices[m], &other, CUTSET_F32);
      if (!e) e = api_.copy(queues_[m], &other, &slices[m]);  // is dropped
      if (!e) e = api_.finish(queues_[m]);
      EXPECT_EQ(code(e), CUTSET_ABANDONED);
    });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (auto& device : devices_) device->abandon();
  for (std::thread& t : threads) t.join();
  for (cutset_queue q : queues_) (void)api_.finish(q);
  for (size_t m = 0; m < 3; ++m) EXPECT_EQ(read(m, slices[m]), Floats(10, static_cast<float>(m)));
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/shared_group.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>

#include "ir/core/half.h"
#include "tests/virtual_clock.h"

namespace cutset {
namespace {

std::vector<Collective::Partial> partials(std::vector<std::pair<int, int>> ranges) {
  std::vector<Collective::Partial> list;
  for (auto [first, last] : ranges) list.push_back({0, first, last});
  return list;
}

constexpr Clock::Time kNever = Clock::kNever;
MessageHeader header(uint64_t step, uint64_t bytes = 4, uint64_t epoch = 1) {
  return {7, epoch, step, ~0, 0, bytes};
}

// A group with partial sums of at most 16 bytes, and their memory.
struct WithMemory {
  alignas(16) unsigned char memory[4][16] = {};
  SharedMemory transport;
  Result<std::unique_ptr<Group>> made;
  explicit WithMemory(const Collective& c, Clock& clock = Clock::real())
      : transport(clock), made(transport.group(c, "all_reduce 0 (x)", [&] {
          std::vector<Transport::Partial> list;
          for (size_t i = 0; i < c.partials.size(); ++i)
            list.push_back({memory[i], "sim:" + std::to_string(i)});
          return list;
        }())) {}
  Group* operator->() { return made->get(); }
};

template <class T>
T sum_of(DType type, T a, T b) {
  WithMemory sum({{type, {1}}, partials({{0, 1}, {1, 2}}), "x"});
  std::memcpy(sum->staging(0), &a, sizeof a);
  std::memcpy(sum->staging(1), &b, sizeof b);
  for (size_t partial : {0, 1}) sum->start(partial, header(1));
  EXPECT_TRUE(sum->wait(header(1), kNever).ok());
  std::memcpy(&a, sum->sum(), sizeof a);
  return a;
}

TEST(SharedGroup, EveryElementTypeIsAdded) {
  EXPECT_EQ(sum_of(DType::f32, 1.5f, 2.25f), 3.75f);
  EXPECT_EQ(sum_of(DType::f64, 1.5, 0x1p-40), 1.5 + 0x1p-40);
  EXPECT_EQ(sum_of(DType::i32, INT32_MAX, 2), INT32_MIN + 1);
  EXPECT_EQ(sum_of(DType::i64, int64_t{1} << 40, int64_t{3}), (int64_t{1} << 40) + 3);
  EXPECT_EQ(sum_of<uint8_t>(DType::u8, 200, 100), 44);
  EXPECT_EQ(sum_of<int8_t>(DType::i8, INT8_MAX, 2), INT8_MIN + 1);
  EXPECT_EQ(sum_of<int16_t>(DType::i16, INT16_MAX, 2), INT16_MIN + 1);
  EXPECT_EQ(sum_of<uint16_t>(DType::u16, 65000, 1000), 464);
  EXPECT_EQ(sum_of(DType::u32, UINT32_MAX, uint32_t{3}), 2);
  EXPECT_EQ(sum_of(DType::u64, UINT64_MAX, uint64_t{5}), 4);
  EXPECT_EQ(sum_of<uint8_t>(DType::i1, 0, 7), 1);
  for (DType type : {DType::f16, DType::bf16}) {
    const auto sum = [&](double a, double b) {
      return from_half(sum_of(type, to_half(a, type), to_half(b, type)), type);
    };
    EXPECT_EQ(sum(1.5, 2.25), 3.75f);
    EXPECT_EQ(sum(2048, 1), 2048);  // a tie, whose even neighbour is 2048
    EXPECT_EQ(sum(256, 3), type == DType::f16 ? 259 : 260);
    EXPECT_EQ(sum(65504, 16), type == DType::f16 ? INFINITY : 65536);
    EXPECT_TRUE(std::isnan(sum(INFINITY, -INFINITY)));
  }
}

TEST(SharedGroup, GivesTheSameBitsInAnyOrderOfArrival) {
  const Collective c{{DType::f32, {3}}, partials({{0, 1}, {1, 2}, {2, 3}}), "x"};
  const float values[3][3] = {{1e8f, 1, 2}, {1, -1e8f, 3}, {-1e8f, 1e8f, 0.1f}};
  std::vector<unsigned char> first;
  WithMemory sum(c);
  for (uint64_t step = 1; step <= 6; ++step) {
    std::vector<std::thread> posters;
    for (size_t p = 0; p < 3; ++p)
      posters.emplace_back([&, partial = (p + step) % 3] {
        std::memcpy(sum->staging(partial), values[partial], 12);
        sum->start(partial, header(step, 12));
      });
    EXPECT_TRUE(sum->wait(header(step, 12), kNever).ok());
    for (std::thread& t : posters) t.join();
    const auto* bytes = static_cast<const unsigned char*>(sum->sum());
    if (first.empty()) first.assign(bytes, bytes + 12);
    EXPECT_EQ(std::vector<unsigned char>(bytes, bytes + 12), first);
  }
}

// The sum has several slices, and the last one is not full. Each thread sees the whole sum in each step.
TEST(SharedGroup, SharesTheSlicesOfALargeSum) {
  constexpr size_t kElements = 100'003, kPartials = 8;  // more threads than most machines have cores
  constexpr uint64_t kSteps = 40;
  Collective c{{DType::f32, {kElements}}, {}, "x"};
  for (int p = 0; p < static_cast<int>(kPartials); ++p) c.partials.push_back({0, p, p + 1});
  std::vector<std::vector<float>> staging(kPartials, std::vector<float>(kElements));
  std::vector<Transport::Partial> memory;
  for (auto& s : staging) memory.push_back({s.data(), "cpu:0"});
  SharedMemory transport;
  auto made = transport.group(c, "x", memory);
  ASSERT_TRUE(made.ok());
  // Numbers whose sum depends on the order of the additions.
  auto value = [](size_t partial, size_t i, uint64_t step) {
    return (partial % 3 == 1 ? 1e7f : 0.1f) * static_cast<float>((i * 7 + partial * 3 + step) % 11);
  };
  auto pair = [&](size_t first, size_t i, uint64_t step) {
    return value(first, i, step) + value(first + 1, i, step);
  };
  std::atomic<int> wrong = 0;
  std::barrier all(static_cast<ptrdiff_t>(kPartials));
  std::vector<std::thread> threads;
  for (size_t p = 0; p < kPartials; ++p)
    threads.emplace_back([&, p] {
      for (uint64_t step = 1; step <= kSteps; ++step) {
        const MessageHeader of_step = header(step, kElements * sizeof(float));
        for (size_t i = 0; i < kElements; ++i) staging[p][i] = value(p, i, step);
        (*made)->start(p, of_step);
        wrong += !(*made)->wait(of_step, kNever).ok();
        const auto* sum = static_cast<const float*>((*made)->sum());
        for (size_t i = kElements; i-- > 0;)  // the slices that are added last are read first
          wrong += !(sum[i] == (pair(0, i, step) + pair(2, i, step)) + (pair(4, i, step) + pair(6, i, step)));
        all.arrive_and_wait();  // the next step begins when all have read the sum
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SharedGroup, APartialSumOfAnotherStepIsAnError) {
  WithMemory sum({{DType::f32, {1}}, partials({{0, 1}, {1, 2}}), "x"});
  sum->start(0, header(3));
  sum->start(1, header(4));
  const Status status = sum->wait(header(4), kNever);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("step 3"), std::string::npos) << status.error().what;
}

TEST(SharedGroup, TheEndOfAnEpochEndsTheWait) {
  WithMemory sum({{DType::f32, {1}}, partials({{0, 1}, {1, 2}}), "x"});
  const std::string why = "sim:1 is lost";
  std::thread later([&] { sum.transport.end_epoch(why); });
  const Status status = sum->wait(header(1), kNever);
  later.join();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find(why), std::string::npos) << status.error().what;
}

// A failed step leaves one of two partial sums, and the other partial sum arrives late. The step of the next
// epoch adds neither of them.
TEST(SharedGroup, APartialSumOfAnEndedEpochIsNeverAdded) {
  WithMemory sum({{DType::f32, {1}}, partials({{0, 1}, {1, 2}}), "x"});
  const std::string why = "a failure";
  auto start = [&](size_t partial, float value, const MessageHeader& h) {
    std::memcpy(sum->staging(partial), &value, sizeof value);
    sum->start(partial, h);
  };
  start(0, 100, header(1));
  sum.transport.end_epoch(why);
  start(1, 200, header(1));
  EXPECT_FALSE(sum->wait(header(1), kNever).ok());
  sum.transport.begin_epoch();
  start(1, 400, header(1));  // a device that has not noticed the new epoch
  start(1, 3, header(2, 4, 2));
  std::thread other([&] { start(0, 2, header(2, 4, 2)); });
  EXPECT_TRUE(sum->wait(header(2, 4, 2), kNever).ok());
  other.join();
  float value = 0;
  std::memcpy(&value, sum->sum(), sizeof value);
  EXPECT_EQ(value, 5);
}

TEST(SharedGroup, ADeadlineNamesTheDevicesThatHaveNotCome) {
  testing::VirtualClock clock;
  WithMemory sum({{DType::f32, {1}}, partials({{0, 1}, {1, 2}, {2, 3}, {3, 4}}), "x"}, clock);
  sum->start(1, header(1));
  Status status;
  std::thread waiting([&] { status = sum->wait(header(1), clock.after(std::chrono::seconds(5))); });
  clock.await_waiters(1);
  clock.advance(std::chrono::milliseconds(4999));
  clock.await_waiters(1);
  clock.advance(std::chrono::milliseconds(1));
  waiting.join();
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find(
                "the partial sum of sim:0, sim:2, sim:3 in all_reduce 0 (x), step 1, has not come "
                "within 5.0 s"),
            std::string::npos)
      << status.error().what;
}

}  // namespace
}  // namespace cutset

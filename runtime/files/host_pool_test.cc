// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/host_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include "runtime/files/uninitialized.h"
#include "tests/errors.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

// The memory that a source has given. It outlives the source.
struct Given {
  std::mutex mutex;
  std::map<void*, size_t> live;
  size_t allocations = 0, bytes = 0, most = size_t{1} << 40;
  bool destroyed = false;
};
// Gives at most `most` bytes at the same time.
class Counted final : public HostPool::Source {
 public:
  explicit Counted(Given& given) : given_(given) {}
  ~Counted() override {
    EXPECT_TRUE(given_.live.empty());
    given_.destroyed = true;
  }
  void* allocate(size_t bytes) noexcept override {
    const std::lock_guard lock(given_.mutex);
    if (given_.bytes + bytes > given_.most) return nullptr;
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    ++given_.allocations;
    given_.bytes += bytes;
    given_.live[memory] = bytes;
    std::memset(memory, 0xa5, bytes);
    return memory;
  }
  void free(void* memory) noexcept override {
    const std::lock_guard lock(given_.mutex);
    const auto found = given_.live.find(memory);
    ASSERT_NE(found, given_.live.end()) << "it is freed twice";
    given_.bytes -= found->second;
    given_.live.erase(found);
    std::free(memory);
  }

 private:
  Given& given_;
};
std::unique_ptr<HostPool::Source> counted(Given& given) { return std::make_unique<Counted>(given); }

TEST(HostPool, MemoryThatComesBackIsUsedAgain) {
  Given given;
  {
    HostPool pool(1 << 20, counted(given));
    for (int i = 0; i < 10; ++i) {
      HostStorage a = pool.take(1000), b = pool.take(1000);
      EXPECT_NE(a.data(), b.data());
      EXPECT_EQ(a.size(), 1000u);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data()) % 64, 0u);
      std::memset(a.writable(), i, 1000);
    }
    EXPECT_EQ(given.allocations, 2u);
    EXPECT_EQ(pool.kept_blocks(), 2u);
    EXPECT_EQ(pool.kept_bytes(), 2000u);
  }
  EXPECT_TRUE(given.destroyed);
  HostPool plain;
  for (const size_t bytes : {HostPool::kLeastBytes, HostPool::kLeastBytes * 100}) {
    const unsigned char* at = nullptr;
    for (int i = 0; i < 5; ++i) {
      HostStorage s = plain.take(bytes);
      if (i) EXPECT_EQ(s.data(), at);
      at = s.data();
      EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % kTensorAlignment, 0u);
    }
  }
  plain.take(HostPool::kLeastBytes - 1);
  plain.take(0);
  EXPECT_EQ(plain.kept_blocks(), 2u) << "malloc() keeps small blocks";
}

TEST(HostPool, ABlockServesTensorsOfAtLeastHalfItsSize) {
  Given given;
  HostPool pool(1 << 20, counted(given));
  struct Row {
    size_t bytes, allocations;
  };
  // The block of 1000 bytes is kept first, and then the block of 600 bytes.
  for (const Row& r :
       {Row{1000, 1}, {1000, 1}, {501, 1}, {500, 1}, {499, 2}, {1001, 3}, {249, 3}, {248, 4}}) {
    pool.take(r.bytes);
    EXPECT_EQ(given.allocations, r.allocations) << r.bytes;
  }
  pool.take(1000);  // the block of 1001 bytes has now been free for longer
  const HostStorage best = pool.take(500), next = pool.take(520);
  EXPECT_EQ(given.live.at(const_cast<unsigned char*>(best.data())), 1000u) << "the smallest block that fits";
  EXPECT_EQ(given.live.at(const_cast<unsigned char*>(next.data())), 1001u);
  EXPECT_EQ(given.allocations, 4u);
}

TEST(HostPool, KeepsAtMostItsBytesAndBlocks) {
  Given given;
  HostPool pool(10'000, counted(given));
  const auto hold = [&](size_t count, size_t bytes) {
    std::vector<HostStorage> held;
    for (size_t i = 0; i < count; ++i) held.push_back(pool.take(bytes));
  };
  hold(8, 3000);
  EXPECT_EQ(pool.kept_bytes(), 9000u);
  EXPECT_EQ(given.bytes, 9000u);
  hold(1, 10'001);
  EXPECT_EQ(given.bytes, 9000u) << "a block that is larger than all that is kept does not replace it";
  hold(100, 10);
  EXPECT_EQ(pool.kept_blocks(), HostPool::kMostBlocks);
  EXPECT_EQ(pool.kept_bytes(), HostPool::kMostBlocks * 10) << "the blocks that came back first are freed";
  EXPECT_EQ(given.bytes, pool.kept_bytes());
  HostPool nothing(0);
  nothing.take(HostPool::kLeastBytes);
  EXPECT_EQ(nothing.kept_blocks(), 0u);
}

TEST(HostPool, TensorsOutliveIt) {
  Given given;
  std::optional<HostTensor> first, last;
  {
    HostPool pool(1 << 20, counted(given));
    const HostPool::Use use(pool);
    first = uninitialized({f32, {100}});
    last = uninitialized({f32, {100}});
    for (float& v : last->as<float>()) v = 7;
  }
  EXPECT_EQ(given.live.size(), 2u);
  first.reset();
  EXPECT_EQ(given.live.size(), 1u) << "nobody would use it again";
  EXPECT_EQ(last->at(99), 7);
  EXPECT_FALSE(given.destroyed);
  last.reset();
  EXPECT_TRUE(given.destroyed);
}

TEST(HostPool, OrdinaryMemoryReplacesThatOfASourceThatHasNone) {
  Given given;
  given.most = 2500;
  HostPool pool(1 << 20, counted(given));
  {
    HostStorage a = pool.take(1000), b = pool.take(1000), c = pool.take(1000);
    std::memset(c.writable(), 1, 1000);
    EXPECT_EQ(given.allocations, 2u);
  }
  EXPECT_EQ(pool.kept_blocks(), 2u) << "ordinary memory does not return to the pool";
  const HostStorage large = pool.take(2200);
  EXPECT_EQ(given.live.size(), 1u) << "the free blocks are freed for it";
  EXPECT_EQ(given.bytes, 2200u);
}

TEST(HostPool, NoMemoryIsAnError) {
  HostPool pool;
  pool.take(HostPool::kLeastBytes);
  EXPECT_EQ(pool.kept_blocks(), 1u);
  EXPECT_THROW(pool.take(size_t{1} << 47), std::bad_alloc);
  EXPECT_EQ(pool.kept_blocks(), 0u);
  const HostPool::Use use(pool);
  EXPECT_THAT(error_of([] { uninitialized({u8, {int64_t{1} << 47}}); }), HasSubstr("not enough memory"));
  EXPECT_THAT(error_of([] { uninitialized({f32, {-1}}); }), HasSubstr("negative"));
}

TEST(HostPool, IsUsedByTheTensorsOfAThread) {
  HostPool outer, inner;
  const TensorType type{f32, {1 << 15}};
  EXPECT_EQ(HostPool::current(), nullptr);
  EXPECT_FALSE(outer.holds(uninitialized(type)));
  {
    const HostPool::Use use(outer);
    {
      const HostPool::Use nested(inner);
      EXPECT_TRUE(inner.holds(uninitialized(type)));
      std::thread([&] { EXPECT_EQ(HostPool::current(), nullptr); }).join();
    }
    EXPECT_EQ(HostPool::current(), &outer);
    const HostTensor pooled = uninitialized(type), copy = copied(pooled);
    EXPECT_TRUE(outer.holds(pooled) && outer.holds(copy) && !inner.holds(pooled));
    EXPECT_FALSE(outer.holds(HostTensor(type))) << "only what is made to be overwritten";
    EXPECT_FALSE(outer.holds(HostTensor(pooled)));
    EXPECT_FALSE(outer.holds(HostTensor()));
  }
  EXPECT_EQ(HostPool::current(), nullptr);
}

// Each thread writes its number into tensors that other threads destroy.
TEST(HostPool, ManyThreadsUseIt) {
  Given given;
  {
    HostPool pool(3000, counted(given));
    std::mutex mutex;
    std::vector<HostStorage> shared;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 300; ++i) {
          HostStorage mine = pool.take(size_t{500} + static_cast<size_t>(i % 7) * 100);
          std::memset(mine.writable(), t, mine.size());
          std::this_thread::yield();
          for (size_t b = 0; b < mine.size(); ++b) ASSERT_EQ(mine.data()[b], t);
          const std::lock_guard lock(mutex);
          if (shared.size() > 5) shared.erase(shared.begin());
          shared.push_back(std::move(mine));
        }
      });
    for (auto& thread : threads) thread.join();
    EXPECT_LE(pool.kept_bytes(), 3000u);
  }
  EXPECT_TRUE(given.destroyed);
}

// Threads return more blocks at once than the pool may keep. The pool never exceeds its limit meanwhile.
TEST(HostPool, KeepsAtMostItsBlocksWhileManyComeBack) {
  Given given;
  HostPool pool(uint64_t{1} << 40, counted(given));
  std::vector<std::vector<HostStorage>> held(4);
  for (int i = 0; i < 400; ++i) held[static_cast<size_t>(i % 4)].push_back(pool.take(64));
  std::atomic<int> busy = 4;
  std::vector<std::thread> threads;
  for (auto& mine : held)
    threads.emplace_back([&] {
      mine.clear();
      --busy;
    });
  size_t most = 0;
  while (busy) most = std::max(most, pool.kept_blocks());
  for (auto& thread : threads) thread.join();
  EXPECT_LE(most, HostPool::kMostBlocks);
  EXPECT_EQ(pool.kept_blocks(), HostPool::kMostBlocks);
}

}  // namespace
}  // namespace cutset

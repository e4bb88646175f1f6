// SPDX-License-Identifier: Apache-2.0
// Tests the memory of tensors of the host:
// - Results of a session and batches of a data set use the memory of earlier results and batches again.
// - Borrowed memory is returned once and not too early.
// - Pinned memory outlives its session.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "ir/core/result.h"
#include "runtime/device/device.h"
#include "runtime/files/host_pool.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 64, kColumns = 512;  // 128 KiB of f32: a pool keeps it

// Returns a graph whose function "evaluate" returns 2 x, and whose function "train" returns a loss.
Graph doubled() {
  Graph g(3);
  Tensor x = g.input("x", f32, {kRows, kColumns});
  g.output("y", x + x);
  g.minimize(mean(nn::dense("fc", x, 1)), {.learning_rate = 0.125});
  return g;
}
float element(int64_t i, int turn) { return static_cast<float>((i + 31 * turn) % 509) - 200; }
std::vector<float> elements(int turn, int64_t count = kRows * kColumns) {
  std::vector<float> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size(); ++i) all[i] = element(static_cast<int64_t>(i), turn);
  return all;
}
void expect_doubled(const HostTensor& y, int turn) {
  ASSERT_EQ(y.type(), (TensorType{f32, {kRows, kColumns}}));
  const auto got = y.as<float>();
  for (size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], 2 * element(static_cast<int64_t>(i), turn)) << "element " << i << " of turn " << turn;
}
Batch batch(int turn) {
  Batch made;
  made.emplace("x", HostTensor({kRows, kColumns}, elements(turn)));
  return made;
}

// Returns a simulated device, a device that shares the memory of the host, and a GPU if there is one.
std::vector<std::string> devices_here() {
  std::vector<std::string> all{"sim:0", "cpu:0"};
  if (describe_devices({.devices = "cuda:0"}).ok()) all.push_back("cuda:0");
  return all;
}

class HostMemory : public Folder {
 protected:
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
};

TEST_F(HostMemory, ResultsUseTheMemoryOfDestroyedOnesAndOfNoOthers) {
  std::vector<CompileOptions> all{{.devices = "sim:0,reference:0", .strategy = "data(2, shares=5:3)"},
                                  {.devices = "sim:0,sim:1", .strategy = "tensor(2)"}};
  for (const std::string& devices : devices_here()) all.push_back({.devices = devices});
  for (const CompileOptions& options : all) {
    SCOPED_TRACE(options.devices + " " + options.strategy.text());
    Session session = compile(doubled(), options);
    std::set<const void*> places;
    for (int turn = 0; turn < 6; ++turn) {
      HostTensor y = session.run("evaluate", batch(turn)).at("y");
      expect_doubled(y, turn);
      places.insert(std::as_const(y).data());
      std::memset(y.data(), 0x5a, y.bytes().size());  // must not be seen by the next run
    }
    EXPECT_LE(places.size(), 2u);
    std::vector<Outputs> held;
    for (int turn = 0; turn < 4; ++turn) held.push_back(session.run("evaluate", batch(turn)));
    held.push_back(session.run("evaluate", batch(4)));
    for (int turn = 0; turn < 5; ++turn) expect_doubled(held[static_cast<size_t>(turn)]["y"], turn);
    const HostTensor last = std::move(held.back())["y"];
    {
      const Session ended = std::move(session);
    }
    expect_doubled(last, 4);
  }
}

// A step that fails returns nothing, and the next step must not return results of the failed step.
TEST_F(HostMemory, ResultsOfAFailedRunAreNotSeen) {
  setenv("CUTSET_SIMULATED_FAULTS", "read@0=3:lost", 1);
  Session session = compile(doubled(), {.devices = "sim:0"});
  unsetenv("CUTSET_SIMULATED_FAULTS");
  int failed = 0;
  for (int turn = 0; turn < 6; ++turn) {
    const std::string error =
        error_of([&] { expect_doubled(session.run("evaluate", batch(turn))["y"], turn); });
    failed += error != "no error";
  }
  EXPECT_EQ(failed, 1);
}

TEST_F(HostMemory, BatchesUseTheMemoryOfDestroyedOnes) {
  constexpr int64_t kSize = 12, kBatch = 4, kRow = 16 << 10;  // 256 KiB per batch
  const HostTensor x({kSize * kBatch, kRow}, elements(0, kSize * kBatch * kRow));
  const auto row = [&](int64_t i) { return x.as<float>().subspan(static_cast<size_t>(i * kRow), kRow); };
  const auto of_rows = data::from_tensors({{"x", x}});
  const auto of_samples = data::from_function(
      kSize * kBatch, [&](int64_t i) { return Batch{{"x", HostTensor({kRow}, row(i))}}; });
  for (const data::Dataset& d : {of_rows, of_samples}) {
    std::set<const void*> places;
    std::optional<HostTensor> kept;
    int64_t at = 0;
    int pooled = 0;
    const auto look = [&](Batch b, const data::BatchPosition&) {
      pooled += HostPool::current() && HostPool::current()->holds(b.at("x"));
      return b;
    };
    for (Batch& b : d.batch(kBatch).prefetch(2).map(look)) {
      const HostTensor& got = b.at("x");
      places.insert(got.data());
      ASSERT_EQ(got.type(), (TensorType{f32, {kBatch, kRow}}));
      for (int64_t r = 0; r < kBatch; ++r, ++at)
        ASSERT_EQ(0, std::memcmp(got.data() + r * kRow * 4, row(at).data(), kRow * 4)) << at;
      if (at == kBatch)
        kept = std::move(b.at("x"));
      else
        std::memset(b.at("x").data(), 0x5a, got.bytes().size());
    }
    EXPECT_EQ(at, kSize * kBatch);
    EXPECT_EQ(pooled, kSize);
    EXPECT_LE(places.size(), 6u)
        << "two are ready, one is made, one is in the loop, and one was moved from its batch";
    EXPECT_EQ(0, std::memcmp(std::as_const(*kept).data(), row(0).data(), kBatch * kRow * 4));
  }
}

TEST_F(HostMemory, PinnedTensorsAreAsOthersAndOutliveTheSession) {
  for (const std::string& devices : devices_here()) {
    SCOPED_TRACE(devices);
    std::optional<HostTensor> pinned;
    std::optional<PinnedMemory> memory;
    {
      Session session = compile(doubled(), {.devices = devices});
      memory = session.pinned_memory();
      pinned = memory->zeros({f32, {kRows, kColumns}});
      EXPECT_EQ(*pinned, HostTensor({f32, {kRows, kColumns}}));
      std::ranges::copy(elements(3), pinned->as<float>().begin());
      const Batch b{{"x", *pinned}};
      expect_doubled(session.run("evaluate", b)["y"], 3);
      const void* at = nullptr;
      for (int i = 0; i < 4; ++i) {
        const HostTensor again = session.pinned_memory().zeros({f32, {kRows, kColumns}});
        if (i) EXPECT_EQ(again.data(), at) << "all calls share the memory";
        EXPECT_EQ(again, HostTensor({f32, {kRows, kColumns}}));
        at = again.data();
      }
      Batch moved;
      moved.emplace("x", std::move(*pinned));
      PrefetchedBatch ahead = session.prefetch("evaluate", std::move(moved));
      expect_doubled(session.run(std::move(ahead))["y"], 3);
      pinned = memory->zeros({f32, {3}});
    }
    pinned->set(1, 5);
    EXPECT_EQ(*pinned, HostTensor({3}, {0.f, 5.f, 0.f}));
    EXPECT_EQ(memory->zeros({i32, {2}}), HostTensor({2}, {0, 0})) << "also without the session";
    EXPECT_ERROR_HERE("negative", memory->zeros({f32, {-1}}));
  }
}

TEST_F(HostMemory, BatchesOfADataSetAreMadeInPinnedMemory) {
  const HostTensor x({3 * kRows, kColumns}, elements(0, 3 * kRows * kColumns));
  for (const std::string& devices : devices_here()) {
    SCOPED_TRACE(devices);
    std::optional<Session> session = compile(doubled(), {.devices = devices});
    const std::vector<float> lent{4, 5, 6};
    HostPool* pool = nullptr;
    int made_there = 0;
    const auto look = [&](Batch b, const data::BatchPosition&) {
      pool = HostPool::current();
      made_there += pool && pool->holds(b.at("x"));
      b.emplace("mine", HostTensor::scalar(7.f));
      b.emplace("lent", HostTensor::borrow({3}, lent));
      return b;
    };
    const auto plain = data::from_tensors({{"x", x}}).batch(kRows).map(look);
    const auto pinned = plain.pin(session->pinned_memory()).prefetch(2);
    std::vector<Batch> want, got;
    for (const Batch& b : plain) want.push_back(b);
    made_there = 0;
    for (Batch& b : pinned) {
      const bool copied = pool->holds(b.at("mine")) && pool->holds(b.at("lent"));
      EXPECT_EQ(copied, devices != "cpu:0");
      EXPECT_EQ(std::as_const(b.at("lent")).data() == reinterpret_cast<const unsigned char*>(lent.data()),
                !copied)
          << "ordinary memory is not copied to ordinary memory";
      EXPECT_TRUE(pool->holds(b.at("x")));
      got.push_back(std::move(b));
    }
    EXPECT_EQ(made_there, 3) << "no copy is needed";
    EXPECT_TRUE(got == want);
    session.reset();
    EXPECT_TRUE(got == want) << "they outlive the session";
    got.clear();
    for (Batch& b : pinned) got.push_back(std::move(b));
    EXPECT_TRUE(got == want) << "the data set outlives it, too";
  }
}

// The results are the same if the system has no pinned memory. It is an error if a device cannot be opened
// again.
TEST_F(HostMemory, PinnedMemoryThatCannotBeHadIsReplaced) {
  for (const size_t pinned : {0, 1}) {  // the number of blocks that the system has
    const std::string faults = "allocate_host@0=" + std::to_string(pinned + 1) + "+";
    Session session = compile(doubled(), {.devices = "sim:0"});
    setenv("CUTSET_SIMULATED_FAULTS", faults.c_str(), 1);
    const PinnedMemory memory = session.pinned_memory();
    unsetenv("CUTSET_SIMULATED_FAULTS");
    std::vector<HostTensor> held;
    for (int i = 0; i < 3; ++i) {
      held.push_back(memory.zeros({f32, {kRows, kColumns}}));
      std::ranges::copy(elements(i), held.back().as<float>().begin());
    }
    for (int i = 0; i < 3; ++i)
      expect_doubled(session.run("evaluate", Batch{{"x", held[static_cast<size_t>(i)]}})["y"], i);
    int turn = 0;
    const data::Dataset d(3, [](const std::vector<int64_t>& s) { return batch(static_cast<int>(s[0])); });
    HostPool* pool = nullptr;
    const auto look = [&](Batch b, const data::BatchPosition&) {
      pool = HostPool::current();
      return b;
    };
    for (Batch& b : d.map(look).pin(memory)) EXPECT_TRUE(b == batch(turn++));
    EXPECT_EQ(turn, 3);
    held.clear();
    ASSERT_TRUE(pool);
    EXPECT_EQ(pool->kept_blocks(), pinned) << "ordinary memory does not return to the pool";
  }
  Session session = compile(doubled(), {.devices = "sim:0"});
  setenv("CUTSET_SIMULATED_FAULTS", "open@0=1", 1);
  EXPECT_THAT(error_of([&] { session.pinned_memory(); }), HasSubstr("device 'sim:0': open fails on request"));
  unsetenv("CUTSET_SIMULATED_FAULTS");
  expect_doubled(session.run("evaluate", batch(2))["y"], 2);
  EXPECT_EQ(session.pinned_memory().zeros({f32, {}}).item<float>(), 0);
}

TEST_F(HostMemory, SavedProgramsHavePinnedMemory) {
  save_program(doubled(), {.devices = "sim:0"}, path("p"));
  std::optional<SavedProgram> program = load_program(path("p"));
  HostTensor x = program->pinned_memory().zeros({f32, {kRows, kColumns}});
  std::ranges::copy(elements(6), x.as<float>().begin());
  const Batch b{{"x", std::move(x)}};
  expect_doubled(program->run("evaluate", b)["y"], 6);
  program.reset();
  EXPECT_EQ(b.at("x"), HostTensor({kRows, kColumns}, elements(6)));
}

}  // namespace
}  // namespace cutset::testing

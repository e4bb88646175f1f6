// SPDX-License-Identifier: Apache-2.0
// Tests tensors that borrow memory of the user: they are read in place, and the memory is returned once.
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

class BorrowedMemory : public Folder {
 protected:
  void TearDown() override { unsetenv("CUTSET_SIMULATED_FAULTS"); }
};

// Elements in memory that is overwritten when the tensor releases it.
struct Lent {
  explicit Lent(int turn) : memory(elements(turn)) {}
  HostTensor tensor() {
    return HostTensor::borrow({kRows, kColumns}, memory, {memory.data(), [this](const void*) {
                                                            ++returned;
                                                            std::ranges::fill(memory, -1e6f);
                                                          }});
  }
  Batch batch() {
    Batch made;
    made.emplace("x", tensor());
    return made;
  }
  std::vector<float> memory;
  std::atomic<int> returned = 0;
};

TEST_F(BorrowedMemory, ABorrowedBatchIsReadInPlaceAndReturnedOnce) {
  Session session = compile(doubled(), {.devices = "sim:0"});
  Lent run(1), prefetched(2), dropped(3), late(4), unfit(5);
  {
    const Batch b = run.batch();
    expect_doubled(session.run("evaluate", b)["y"], 1);
    expect_doubled(session.run("evaluate", b)["y"], 1);
    EXPECT_EQ(std::as_const(b.at("x")).data(), reinterpret_cast<unsigned char*>(run.memory.data()));
    EXPECT_EQ(run.returned, 0);
  }
  EXPECT_EQ(run.returned, 1);
  PrefetchedBatch ahead = session.prefetch("evaluate", prefetched.batch());
  EXPECT_EQ(prefetched.returned, 0);
  expect_doubled(session.run(std::move(ahead))["y"], 2);
  EXPECT_EQ(prefetched.returned, 1);
  {
    const PrefetchedBatch never = session.prefetch("evaluate", dropped.batch());
  }
  EXPECT_EQ(dropped.returned, 1);
  Batch wrong = unfit.batch();
  wrong.emplace("z", HostTensor::scalar(1.f));
  EXPECT_THAT(error_of([&] { session.prefetch("evaluate", std::move(wrong)); }), HasSubstr("'z'"));
  EXPECT_EQ(unfit.returned, 1);
  std::optional<PrefetchedBatch> left = session.prefetch("evaluate", late.batch());
  {
    const Session ended = std::move(session);
  }
  EXPECT_EQ(late.returned, 0);
  left.reset();
  EXPECT_EQ(late.returned, 1);
}

TEST_F(BorrowedMemory, ABorrowedBatchWhoseRunFailsIsReturnedWhenItIsDestroyed) {
  for (const auto& [call, end] :
       {std::pair("write@0=", "+"), std::pair("enqueue/add@0=", ""), std::pair("write@0=", ":lost")}) {
    std::optional<Session> session;
    for (int nth = 1; !session && nth < 64; ++nth) {  // the writes of the variables and constants come first
      setenv("CUTSET_SIMULATED_FAULTS", (call + std::to_string(nth) + end).c_str(), 1);
      error_of([&] { session.emplace(compile(doubled(), {.devices = "sim:0"})); });
      unsetenv("CUTSET_SIMULATED_FAULTS");
    }
    SCOPED_TRACE(call + std::string(end));
    ASSERT_TRUE(session);
    Lent lent(1);
    int failures = 0;
    {
      std::optional<PrefetchedBatch> b = session->prefetch("evaluate", lent.batch());
      for (int attempt = 0; attempt < 3 && b; ++attempt) {
        if (error_of([&] { expect_doubled(session->run(std::move(*b))["y"], 1); }) == "no error") {
          b.reset();
        } else {
          ++failures;
          EXPECT_EQ(lent.returned, 0);
        }
      }
    }
    EXPECT_GT(failures, 0);
    EXPECT_EQ(lent.returned, 1);
  }
}

// Borrowed tensors travel through a data set: they are given to the loop, changed by a function, or lost with
// it.
TEST_F(BorrowedMemory, BorrowedTensorsOfADataSetAreReturnedOnce) {
  std::vector<std::unique_ptr<Lent>> lent;
  for (int i = 0; i < 9; ++i) lent.push_back(std::make_unique<Lent>(i));
  const data::Dataset::Make make = [&](const std::vector<int64_t>& s) {
    return lent[static_cast<size_t>(s[0])]->batch();
  };
  const data::Dataset three(3, [&](const std::vector<int64_t>& s) { return make({s[0]}); });
  int turn = 0;
  for (Batch& b : three) {
    const HostTensor& x = b.at("x");
    EXPECT_EQ(x.data(), reinterpret_cast<unsigned char*>(lent[static_cast<size_t>(turn)]->memory.data()));
    EXPECT_EQ(x.as<float>()[7], element(7, turn));
    ++turn;
  }
  const data::Dataset next(3, [&](const std::vector<int64_t>& s) { return make({s[0] + 3}); });
  turn = 3;
  for (Batch& b : next.map([](Batch batch, const data::BatchPosition&) {
         for (float& v : batch.at("x").as<float>()) v += 1;
         return batch;
       })) {
    EXPECT_EQ(std::as_const(b.at("x")).as<float>()[7], element(7, turn) + 1);
    EXPECT_EQ(lent[static_cast<size_t>(turn++)]->returned, 1);
  }
  const data::Dataset last(3, [&](const std::vector<int64_t>& s) { return make({s[0] + 6}); });
  const auto failing = last.map([](Batch batch, const data::BatchPosition& p) -> Batch {
    if (p.first == 1) throw Error(execution_failed("it fails on request"));
    return batch;
  });
  EXPECT_THAT(error_of([&] {
                for (Batch& b : failing) EXPECT_EQ(b.size(), 1u);
              }),
              HasSubstr("it fails on request"));
  for (int i = 0; i < 8; ++i) EXPECT_EQ(lent[static_cast<size_t>(i)]->returned, 1) << i;
  EXPECT_EQ(lent[8]->returned, 0) << "it was never made";
}

}  // namespace
}  // namespace cutset::testing

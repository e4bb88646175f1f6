// SPDX-License-Identifier: Apache-2.0
// Tests of the double of NCCL.
#include <gtest/gtest.h>

#include "backends/cuda/nccl/nccl_api.h"
#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {
namespace {

constexpr unsigned long long kSeeds = 12;
constexpr NcclStatus kOk = NcclStatus::kSuccess, kBusy = NcclStatus::kInProgress;

// Two members on devices 0 and 1, each with a stream.
class NcclDouble : public testing::Test, protected Doubles {
 protected:
  NcclDouble() {
    nccl = functions_of<NcclApi>(open_double(double_of("nccl").c_str()));
    contexts[0] = context;
    expect(driver.device(&second, 1));
    expect(driver.retain_context(&contexts[1], second));
    for (size_t m = 0; m < 2; ++m)
      in(m, [&] { expect(driver.make_stream(&streams[m], kStreamNonBlocking)); });
    const Variable named = name_driver();
    make();
  }
  ~NcclDouble() override {
    set_seed(0);
    release();
    for (size_t m = 0; m < 2; ++m) in(m, [&] { driver.release_stream(streams[m]); });
    driver.release_context(second);
  }

  // Runs `body` with the context of a member.
  template <class F>
  void in(size_t member, F body) {
    expect(driver.push_context(contexts[member]));
    body();
    expect(driver.pop_context(nullptr));
  }
  void make() {
    NcclId id;
    NcclConfig config;
    ASSERT_EQ(nccl.make_id(&id), kOk);
    ASSERT_EQ(nccl.group_start(), kOk);
    for (int m = 0; m < 2; ++m) in(m, [&] { ASSERT_EQ(nccl.init(&comms[m], 2, id, m, &config), kOk); });
    ASSERT_EQ(nccl.group_end(), kBusy);
    settle();
  }
  void release() {
    nccl.group_start();
    for (NcclComm comm : comms) nccl.destroy(comm);
    nccl.group_end();
  }
  void settle() {
    NcclStatus status = kBusy;
    for (int i = 0; status == kBusy && i < 10; ++i) ASSERT_EQ(nccl.async_error(comms[0], &status), kOk);
    ASSERT_EQ(status, kOk);
  }
  Address vector_of(size_t member, float value) {
    Address address = 0;
    in(member, [&] { address = upload(std::vector<float>(kCount, value)); });
    return address;
  }
  NcclStatus sum(size_t member, Address from, Address to, size_t count = kCount) {
    return nccl.all_reduce(reinterpret_cast<const void*>(from), reinterpret_cast<void*>(to), count,
                           NcclType::kF32, kNcclSum, comms[member], streams[member]);
  }

  static constexpr size_t kCount = 20;
  NcclApi nccl;
  DeviceId second = 0;
  Context contexts[2] = {};
  Stream streams[2] = {};
  NcclComm comms[2] = {};
};

// The streams wait for each other: the sum runs after an earlier fill and before a later copy on the same
// stream.
TEST_F(NcclDouble, SumsRunInTheOrderOfTheStreams) {
  for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
    set_seed(seed);
    const Address at[2] = {vector_of(0, 1), vector_of(1, 2)}, out[2] = {vector_of(0, 0), vector_of(1, 0)};
    in(0, [&] { expect(driver.copy_on_device(out[0], at[0], kCount * 4, streams[0])); });
    ASSERT_EQ(nccl.group_start(), kOk);
    ASSERT_EQ(sum(0, out[0], out[0]), kOk);
    ASSERT_EQ(sum(1, at[1], out[1]), kOk);
    ASSERT_EQ(nccl.group_end(), kBusy);
    settle();
    for (size_t m = 0; m < 2; ++m)
      in(m, [&] {
        std::vector<float> values(kCount);
        expect(driver.copy_to_host(values.data(), out[m], kCount * 4, streams[m]));
        expect(driver.fill_bytes(out[m], 0, kCount * 4, streams[m]));
        expect(driver.finish_stream(streams[m]));
        EXPECT_EQ(values, std::vector<float>(kCount, 3)) << "seed " << seed;
      });
  }
}

// A sum that is in progress reaches the streams only when ncclCommGetAsyncError reports success.
TEST_F(NcclDouble, ASumIsInProgressForAWhile) {
  const Address a = vector_of(0, 1), b = vector_of(1, 2);
  ASSERT_EQ(nccl.group_start(), kOk);
  ASSERT_EQ(sum(0, a, a), kOk);
  ASSERT_EQ(sum(1, b, b), kOk);
  ASSERT_EQ(nccl.group_end(), kBusy);
  in(0, [&] { EXPECT_EQ(download(a, kCount), std::vector<float>(kCount, 1)); });
  ASSERT_EQ(nccl.group_start(), kOk);
  ASSERT_EQ(sum(0, a, a), kOk);
  ASSERT_EQ(sum(1, b, b), kOk);
  EXPECT_EQ(nccl.group_end(), NcclStatus::kInvalidUsage) << "a second sum while the first one is in progress";
  settle();
  in(0, [&] {
    expect(driver.finish_stream(streams[0]));
    EXPECT_EQ(download(a, kCount), std::vector<float>(kCount, 3));
  });
}

TEST_F(NcclDouble, CallsThatWouldWaitForOtherMembersAreFound) {
  const Address a = vector_of(0, 1);
  EXPECT_EQ(sum(0, a, a), NcclStatus::kInvalidUsage);
  EXPECT_EQ(nccl.destroy(comms[0]), NcclStatus::kInvalidUsage);
  EXPECT_EQ(nccl.group_end(), NcclStatus::kInvalidUsage);
  NcclId id;
  NcclConfig config;
  ASSERT_EQ(nccl.make_id(&id), kOk);
  NcclComm alone = nullptr;
  EXPECT_EQ(nccl.init(&alone, 2, id, 0, &config), NcclStatus::kInvalidUsage);
  ASSERT_EQ(nccl.group_start(), kOk);
  EXPECT_EQ(nccl.abort(alone), kOk);
  EXPECT_EQ(nccl.group_end(), kOk);
}

TEST_F(NcclDouble, WrongArgumentsAreRefused) {
  const Address a = vector_of(0, 1), b = vector_of(1, 2);
  const auto refuses = [&](auto call) {
    ASSERT_EQ(nccl.group_start(), kOk);
    EXPECT_EQ(call(), NcclStatus::kInvalidArgument);
    EXPECT_EQ(nccl.group_end(), NcclStatus::kInvalidArgument);
  };
  refuses([&] { return sum(0, b, b); });              // memory of another GPU
  refuses([&] { return sum(0, a, a, kCount + 1); });  // more than the allocation
  refuses([&] { return sum(0, a, a + 4, kCount - 1); });
  ASSERT_EQ(nccl.group_start(), kOk);
  EXPECT_EQ(sum(0, a, a, 4), kOk);
  EXPECT_EQ(sum(1, b, b, 5), kOk);
  EXPECT_EQ(nccl.group_end(), NcclStatus::kInvalidUsage);
}

TEST_F(NcclDouble, AReleasedCommunicatorIsRefused) {
  const NcclComm before = comms[0];
  release();
  NcclStatus status = kOk;
  EXPECT_EQ(nccl.async_error(before, &status), NcclStatus::kInvalidArgument);
  EXPECT_EQ(nccl.destroy(before), NcclStatus::kInvalidArgument);
  make();
}

TEST_F(NcclDouble, TheSameGpuTwiceIsRefused) {
  NcclId id;
  NcclConfig config;
  NcclComm same_gpu[2] = {};
  ASSERT_EQ(nccl.make_id(&id), kOk);
  ASSERT_EQ(nccl.group_start(), kOk);
  for (int m = 0; m < 2; ++m) ASSERT_EQ(nccl.init(&same_gpu[m], 2, id, m, &config), kOk);
  ASSERT_EQ(nccl.group_end(), kBusy);
  NcclStatus status = kBusy;
  for (int i = 0; status == kBusy && i < 10; ++i) ASSERT_EQ(nccl.async_error(same_gpu[0], &status), kOk);
  EXPECT_EQ(status, NcclStatus::kInvalidUsage);
  ASSERT_EQ(nccl.group_start(), kOk);
  for (NcclComm comm : same_gpu) EXPECT_EQ(nccl.abort(comm), kOk);
  EXPECT_EQ(nccl.group_end(), kOk);
}

// A sum that has not run when it is aborted writes nothing.
TEST_F(NcclDouble, AnAbortedSumDoesNotRun) {
  set_seed(1);  // commands run as late as possible
  const Address a = vector_of(0, 1), b = vector_of(1, 2);
  ASSERT_EQ(nccl.group_start(), kOk);
  ASSERT_EQ(sum(0, a, a), kOk);
  ASSERT_EQ(sum(1, b, b), kOk);
  ASSERT_EQ(nccl.group_end(), kBusy);
  settle();
  ASSERT_EQ(nccl.group_start(), kOk);
  for (NcclComm comm : comms) ASSERT_EQ(nccl.abort(comm), kOk);
  ASSERT_EQ(nccl.group_end(), kOk);
  in(0, [&] {
    expect(driver.finish_stream(streams[0]));
    EXPECT_EQ(download(a, kCount), std::vector<float>(kCount, 1));
  });
  make();
}

TEST_F(NcclDouble, HasATextForEveryStatus) {
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(*nccl.status_text(static_cast<NcclStatus>(i)));
}

}  // namespace
}  // namespace cutset::cuda::doubles

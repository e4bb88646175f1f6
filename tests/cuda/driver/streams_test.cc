// SPDX-License-Identifier: Apache-2.0
// Tests of the driver double: the order of streams, pinned memory, captures and graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {
namespace {

constexpr unsigned long long kSeeds = 12;
constexpr int kCount = 64;

class StreamOrder : public testing::Test, protected Doubles {
 protected:
  StreamOrder() {
    add = kernel("KERNEL(k)(const float* x, float* y, float c) { y[threadIdx.x] = x[threadIdx.x] + c; }");
    for (Stream* s : {&first, &second}) expect(driver.make_stream(s, kStreamNonBlocking));
    for (DriverEvent* e : {&event, &join}) expect(driver.make_event(e, kEventDisableTiming));
    x = upload(std::vector<float>(kCount, 1.f));
    y = allocate(kCount * sizeof(float));
    z = allocate(kCount * sizeof(float));
    void* memory = nullptr;
    expect(driver.allocate_host(&memory, kCount * sizeof(float), 0));
    pinned = static_cast<float*>(memory);
  }
  ~StreamOrder() override {
    set_seed(0);
    driver.free_host(pinned);
    for (DriverEvent e : {event, join}) driver.release_event(e);
    for (Stream s : {first, second}) driver.release_stream(s);
  }
  void enqueue(Address from, Address to, float c, Stream stream) {
    expect(launch(add, 1, kCount, stream, from, to, c));
  }
  bool holds(const std::vector<float>& values, float expected) {
    return std::all_of(values.begin(), values.end(), [&](float v) { return v == expected; });
  }
  // Computes y = x + 1 on the first stream, and z = y + 1 on the second stream.
  void fork(bool with_wait) {
    enqueue(x, y, 1, first);
    expect(driver.record_event(event, first));
    if (with_wait) expect(driver.wait_for_event(second, event, 0));
    enqueue(y, z, 1, second);
  }
  // Returns the number of seeds with a wrong result of fork().
  int wrong_seeds(bool with_wait) {
    int wrong = 0;
    for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
      set_seed(seed);
      expect(driver.fill_bytes(y, 0, kCount * sizeof(float), second));
      expect(driver.finish_stream(second));
      fork(with_wait);
      expect(driver.finish_stream(second));
      expect(driver.finish_stream(first));
      wrong += !holds(download(z, kCount), 3.f);
    }
    return wrong;
  }

  Function add = nullptr;
  Stream first = nullptr, second = nullptr;
  DriverEvent event = nullptr, join = nullptr;
  Address x = 0, y = 0, z = 0;
  float* pinned = nullptr;
};

TEST_F(StreamOrder, AMissingWaitShows) {
  EXPECT_EQ(wrong_seeds(true), 0);
  if (kReportsRaces) return;
  EXPECT_GT(wrong_seeds(false), 0);
}

TEST_F(StreamOrder, APinnedBufferThatIsOverwrittenEarlyShows) {
  if (kReportsRaces) GTEST_SKIP() << "ThreadSanitizer reports the race";
  for (bool waits : {true, false}) {
    int wrong = 0;
    for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
      set_seed(seed);
      std::fill_n(pinned, kCount, 5.f);
      expect(driver.copy_to_device(y, pinned, kCount * sizeof(float), first));
      if (waits) expect(driver.finish_stream(first));
      std::fill_n(pinned, kCount, 6.f);
      expect(driver.copy_to_host(pinned, y, kCount * sizeof(float), first));
      expect(driver.finish_stream(first));
      wrong += pinned[0] != 5.f;
    }
    EXPECT_EQ(wrong > 0, !waits);
  }
}

TEST_F(StreamOrder, ParametersAreCopiedAtTheLaunch) {
  set_seed(1);
  enqueue(x, y, 4, first);  // the parameters die with the call
  expect(driver.finish_stream(first));
  EXPECT_TRUE(holds(download(y, kCount), 5.f));
}

TEST_F(StreamOrder, MemoryThatIsFreedBeforeItsUseIsAFault) {
  set_seed(1);
  Address freed = 0;
  expect(driver.allocate(&freed, kCount * sizeof(float)));
  expect(driver.copy_on_device(freed, x, kCount * sizeof(float), first));
  expect(driver.free(freed));
  EXPECT_EQ(driver.finish_stream(first), kLaunchFailed);
}

TEST_F(StreamOrder, EventsMeasureTime) {
  DriverEvent from = nullptr, to = nullptr;
  for (DriverEvent* e : {&from, &to}) expect(driver.make_event(e, 0));
  float milliseconds = -1;
  EXPECT_EQ(driver.elapsed(&milliseconds, from, to), kInvalidHandle);
  set_seed(1);
  expect(driver.record_event(from, first));
  expect(driver.record_event(to, first));
  EXPECT_EQ(driver.elapsed(&milliseconds, from, to), kNotReady);
  expect(driver.finish_event(to));
  expect(driver.elapsed(&milliseconds, from, to));
  EXPECT_GE(milliseconds, 0.f);
  EXPECT_EQ(driver.elapsed(&milliseconds, event, to), kInvalidHandle);  // the event was made without timing
  for (DriverEvent e : {from, to}) expect(driver.release_event(e));
}

TEST_F(StreamOrder, ACapturedGraphKeepsTheOrderOfItsStreams) {
  int wrong_without_wait = 0;
  for (unsigned long long seed = 0; seed < kSeeds; ++seed)
    for (bool with_wait : {true, false}) {
      if (!with_wait && kReportsRaces) continue;
      set_seed(seed);
      expect(driver.begin_capture(first, kCaptureThreadLocal));
      expect(driver.record_event(join, first));
      expect(driver.wait_for_event(second, join, 0));
      fork(with_wait);
      expect(driver.record_event(join, second));
      expect(driver.wait_for_event(first, join, 0));
      Graph graph = nullptr;
      expect(driver.end_capture(first, &graph));
      GraphRun run = nullptr;
      expect(driver.instantiate(&run, graph, 0));
      expect(driver.release_graph(graph));
      for (int launches = 0; launches < 3; ++launches) {
        expect(driver.fill_bytes(y, 0, kCount * sizeof(float), first));
        expect(driver.launch_graph(run, first));
        expect(driver.finish_stream(first));
        const bool right = holds(download(z, kCount), 3.f);
        EXPECT_TRUE(right || !with_wait);
        wrong_without_wait += !right;
      }
      expect(driver.release_graph_run(run));
    }
  EXPECT_EQ(wrong_without_wait > 0, !kReportsRaces);
}

TEST_F(StreamOrder, CallsThatACaptureForbids) {
  Address address = 0;
  Graph graph = nullptr;
  const auto begin = [&] { expect(driver.begin_capture(first, kCaptureThreadLocal)); };
  const auto invalidated = [&] { EXPECT_EQ(driver.end_capture(first, &graph), kCaptureInvalidated); };

  begin();
  EXPECT_EQ(driver.allocate(&address, 4), kCaptureUnsupported);
  EXPECT_EQ(launch(add, 1, 1, first, x, y, 1.f), kCaptureInvalidated);
  invalidated();
  begin();
  EXPECT_EQ(driver.finish_stream(first), kCaptureUnsupported);
  invalidated();
  begin();
  float pageable[kCount];
  EXPECT_EQ(driver.copy_to_host(pageable, x, sizeof pageable, first), kCaptureUnsupported);
  invalidated();

  expect(driver.record_event(event, second));
  begin();  // an event from outside of the capture
  EXPECT_EQ(driver.wait_for_event(first, event, 0), kCaptureIsolation);
  invalidated();
  begin();  // a stream that is never joined
  fork(true);
  EXPECT_EQ(driver.end_capture(first, &graph), kCaptureUnjoined);
  EXPECT_EQ(driver.finish_event(event), 907);
  begin();
  EXPECT_EQ(driver.end_capture(second, &graph), 401);
  expect(driver.end_capture(first, &graph));
  expect(driver.release_graph(graph));

  Stream blocking = nullptr;
  expect(driver.make_stream(&blocking, 0));
  expect(driver.begin_capture(blocking, kCaptureThreadLocal));
  EXPECT_EQ(driver.fill_bytes(y, 0, 4, nullptr), kCaptureImplicit);
  EXPECT_EQ(driver.end_capture(blocking, &graph), kCaptureInvalidated);
  expect(driver.release_stream(blocking));
}

TEST_F(StreamOrder, PeersCopyBetweenDevices) {
  DeviceId other = 0;
  int can = 0;
  expect(driver.device(&other, 1));
  expect(driver.can_access_peer(&can, device, other));
  EXPECT_EQ(can, 1);
  Context peer = nullptr, popped = nullptr;
  expect(driver.retain_context(&peer, other));
  expect(driver.push_context(peer));
  Address there = 0;
  expect(driver.allocate(&there, kCount * sizeof(float)));
  expect(driver.pop_context(&popped));
  for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
    set_seed(seed);
    expect(driver.copy_peer(there, peer, x, context, kCount * sizeof(float), first));
    expect(driver.copy_peer(z, context, there, peer, kCount * sizeof(float), first));
    expect(driver.finish_stream(first));
    EXPECT_TRUE(holds(download(z, kCount), 1.f));
  }
  expect(launch(add, 1, kCount, first, x, there, 1.f));  // peer access is not enabled
  EXPECT_EQ(driver.finish_stream(first), kLaunchFailed);
  set_seed(0);
  expect(driver.push_context(peer));
  expect(driver.free(there));
  expect(driver.pop_context(&popped));
  expect(driver.release_context(other));
}

}  // namespace
}  // namespace cutset::cuda::doubles

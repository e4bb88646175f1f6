// SPDX-License-Identifier: Apache-2.0
// Tests the results of the double of libcutset_cuda_cudnn.so.
#include <algorithm>
#include <cmath>

#include "tests/cuda/libraries/cudnn_fixture.h"

namespace cutset::cuda::doubles {
namespace {

TEST_F(CudnnDouble, ComputesAllDirectionsAndFillsTheWorkspace) {
  EXPECT_EQ(api->size, sizeof(PlanApi));
  EXPECT_EQ(api->version(), 92601u);
  for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
    set_seed(seed);
    reset(seed);
    const auto check = [&](const Convolution& c, Address result, const std::vector<float>& elements) {
      Plan* const plan = make(c);
      const uint64_t bytes = api->workspace(plan);
      if (bytes > 0) expect(driver.fill_bytes(memory.workspace, 0, bytes, stream));
      EXPECT_EQ(execute(plan, memory), "");
      expect(driver.finish_stream(stream));
      EXPECT_EQ(download(result, elements.size()), elements);
      const std::vector<float> left =
          bytes > 0 ? download(memory.workspace, bytes / sizeof(float)) : std::vector<float>();
      EXPECT_TRUE(std::all_of(left.begin(), left.end(), [](float v) { return std::isnan(v); }));
    };
    memory.y = allocate(kResult.size() * sizeof(float));
    check(kForward, memory.y, kResult);
    memory.y = upload(kGradient);
    check(backward(Direction::kBackwardFilter), memory.filter, kOfFilter);
    memory.filter = upload(kFilter);
    check(backward(Direction::kBackwardInput), memory.x, kOfX);
    memory.x = upload(kX);
  }
}

TEST_F(CudnnDouble, ComputesGroupsWithDilation) {
  const Convolution c = {.direction = Direction::kForward,
                         .n = 1,
                         .c = 2,
                         .o = 2,
                         .cg = 1,
                         .groups = 2,
                         .axes = {{{}, {.stride = 2}, {.in = 4, .out = 2, .kernel = 2, .dilation = 2}}},
                         .bias = false};
  EXPECT_EQ(execute(make(c), memory),
            "");  // channels (1, 2, 3, 4) and (5, 6, 7, 8), filters (1, 2) and (3, 4)
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(memory.y, 4), (std::vector<float>{7, 10, 43, 50}));
}

TEST_F(CudnnDouble, ComputesThreeAxesWithPaddingOfOneSide) {
  const Convolution c = {.direction = Direction::kForward,
                         .n = 1,
                         .c = 1,
                         .o = 1,
                         .cg = 1,
                         .groups = 1,
                         .axes = {{{.in = 2, .out = 2, .kernel = 2, .after = 1},
                                   {.in = 1, .kernel = 1},
                                   {.in = 2, .out = 2, .kernel = 2, .before = 1}}},
                         .bias = false};
  EXPECT_EQ(execute(make(c), memory), "");  // layers (1, 2) and (3, 4), filter layers (1, 2) and (3, 4)
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(memory.y, 4), (std::vector<float>{2 + 12, 1 + 4 + 9 + 16, 6, 3 + 8}));
}

TEST_F(CudnnDouble, TheSeedChoosesWorkspaces) {
  std::vector<uint64_t> sizes[2];
  for (auto& of_run : sizes)
    for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
      reset(seed);
      of_run.push_back(api->workspace(make(kForward)));
      EXPECT_LE(api->workspace(make(kForward, 100)), 100u);
    }
  EXPECT_EQ(sizes[0], sizes[1]);
  EXPECT_EQ(std::count(sizes[0].begin(), sizes[0].end(), 0) > 0, true);
  EXPECT_EQ(*std::max_element(sizes[0].begin(), sizes[0].end()), kMostWorkspace);
}

TEST_F(CudnnDouble, AMissingWaitShows) {
  if (kReportsRaces) GTEST_SKIP() << "ThreadSanitizer reports the race";
  Plan* const plan = make(kForward);
  const size_t bytes = sizeof(float) * kX.size();
  ConvolutionMemory late = memory;
  late.x = allocate(bytes);
  Stream other = nullptr;
  DriverEvent copied = nullptr;
  expect(driver.make_stream(&other, kStreamNonBlocking));
  expect(driver.make_event(&copied, kEventDisableTiming));
  for (bool waits : {true, false}) {
    int wrong = 0;
    for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
      set_seed(seed);
      expect(driver.fill_bytes(late.x, 0, bytes, other));
      expect(driver.finish_stream(other));
      expect(driver.copy_on_device(late.x, memory.x, bytes, other));
      expect(driver.record_event(copied, other));
      if (waits) expect(driver.wait_for_event(stream, copied, 0));
      EXPECT_EQ(execute(plan, late), "");
      expect(driver.finish_stream(stream));
      expect(driver.finish_stream(other));
      wrong += download(late.y, kResult.size()) != kResult;
    }
    EXPECT_EQ(wrong > 0, !waits);
  }
  expect(driver.release_event(copied));
  expect(driver.release_stream(other));
}

TEST_F(CudnnDouble, AGraphExecutesAgain) {
  Plan* const plan = make(kForward);
  expect(driver.begin_capture(stream, kCaptureThreadLocal));
  EXPECT_EQ(execute(plan, memory), "");
  Graph graph = nullptr;
  expect(driver.end_capture(stream, &graph));
  EXPECT_EQ(download(memory.y, kGradient.size()), kGradient);  // the capture has run nothing
  GraphRun run = nullptr;
  expect(driver.instantiate(&run, graph, 0));
  expect(driver.release_graph(graph));
  for (int launches = 0; launches < 3; ++launches) {
    expect(driver.fill_bytes(memory.y, 0, sizeof(float) * kResult.size(), stream));
    expect(driver.launch_graph(run, stream));
    expect(driver.finish_stream(stream));
    EXPECT_EQ(download(memory.y, kResult.size()), kResult);
  }
  expect(driver.release_graph_run(run));
}

TEST_F(CudnnDouble, FailsOnRequest) {
  const Variable faults("CUTSET_CUDA_DOUBLE_FAULTS", "make_plan:2:3000,execute:1:5000");
  reset(0);
  Plan* const plan = make(kForward);
  Plan* none = nullptr;
  EXPECT_STREQ(api->make_plan(opened, &kForward, 0, &none), "make_plan fails on request with status 3000");
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(execute(plan, memory), "execute fails on request with status 5000");
  EXPECT_EQ(execute(plan, memory), "");
  expect(driver.finish_stream(stream));
  EXPECT_EQ(download(memory.y, kResult.size()), kResult);
}

}  // namespace
}  // namespace cutset::cuda::doubles

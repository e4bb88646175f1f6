// SPDX-License-Identifier: Apache-2.0
// Tests of the double of libcutset_cuda_cudnn.so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "backends/cuda/cudnn/plans.h"
#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {
namespace {

using testing::HasSubstr;

constexpr unsigned long long kSeeds = 12;
constexpr uint64_t kMostWorkspace = 1 << 20;

// An image of 3 rows and 3 columns, and a filter of 2 rows and 2 columns with stride 2 and padding 1.
constexpr WindowAxis kAxis = {
    .in = 3, .out = 2, .kernel = 2, .stride = 2, .before = 1, .after = 1, .dilation = 1};
constexpr Convolution kForward = {.direction = Direction::kForward,
                                  .n = 1,
                                  .c = 1,
                                  .o = 1,
                                  .cg = 1,
                                  .groups = 1,
                                  .axes = {{{}, kAxis, kAxis}},
                                  .bias = true};
constexpr Convolution backward(Direction direction) {
  Convolution c = kForward;
  c.direction = direction;
  c.bias = false;
  return c;
}
const std::vector<float> kX = {1, 2, 3, 4, 5, 6, 7, 8, 9}, kFilter = {1, 2, 3, 4}, kBias = {10};
const std::vector<float> kResult = {14, 28, 46, 87};             // of kForward
const std::vector<float> kGradient = {1, 2, 3, 4};               // of y
const std::vector<float> kOfX = {4, 6, 8, 6, 4, 8, 12, 12, 16};  // the gradient of x
const std::vector<float> kOfFilter = {20, 36, 36, 64};           // the gradient of the filter

class CudnnDouble : public testing::Test, protected Doubles {
 protected:
  CudnnDouble() {
    void* const library = open_double(double_of("cudnn").c_str());
    succeed(reinterpret_cast<OpenPlans>(dlsym(library, kOpenPlans))(&api));
    reset = reinterpret_cast<decltype(reset)>(dlsym(library, "cutset_cudnn_double_reset"));
    violations = reinterpret_cast<decltype(violations)>(dlsym(library, "cutset_cudnn_double_violations"));
    reset(1);
    before = violations();
    const Variable named = name_driver();
    succeed(api->open_device(90, &opened));
    expect(driver.make_stream(&stream, kStreamNonBlocking));
    memory = {.x = upload(kX),
              .filter = upload(kFilter),
              .y = upload(kGradient),
              .bias = upload(kBias),
              .workspace = 0};
  }
  ~CudnnDouble() override {
    set_seed(0);
    driver.release_stream(stream);
    for (Plan* plan : plans) api->release_plan(plan);
    api->close_device(opened);
    EXPECT_EQ(violations(), before);
  }

  static void succeed(const char* why) {
    if (why) throw std::runtime_error(why);
  }
  // Makes a plan, and gives it a workspace.
  Plan* make(const Convolution& c, uint64_t most_workspace = kMostWorkspace) {
    Plan* plan = nullptr;
    succeed(api->make_plan(opened, &c, most_workspace, &plan));
    plans.push_back(plan);
    const uint64_t bytes = api->workspace(plan);
    memory.workspace = bytes > 0 ? allocate(bytes) : 0;
    return plan;
  }
  // Makes a plan that needs a workspace.
  Plan* make_with_workspace() {
    Plan* plan = nullptr;
    do plan = make(kForward);
    while (api->workspace(plan) == 0);
    return plan;
  }
  void release(Plan* plan) {
    api->release_plan(plan);
    std::erase(plans, plan);
  }
  std::string execute(Plan* plan, const ConvolutionMemory& at) {
    const char* const why = api->execute(plan, stream, &at);
    return why ? why : "";
  }
  // Whether exactly one violation was found since the last call or the start of the test.
  bool is_violation() { return violations() == ++before; }
  // Expects that the execution of a plan with this memory is a violation whose rule contains `says`.
  void refuse(Plan* plan, const ConvolutionMemory& at, const char* says) {
    EXPECT_THAT(execute(plan, at), HasSubstr(says));
    EXPECT_TRUE(is_violation()) << says;
  }

  const PlanApi* api = nullptr;
  void (*reset)(unsigned long long) = nullptr;
  size_t (*violations)() = nullptr;
  size_t before = 0;
  PlanDevice* opened = nullptr;
  Stream stream = nullptr;
  ConvolutionMemory memory;
  std::vector<Plan*> plans;
};

TEST_F(CudnnDouble, ComputesAllDirectionsAndFillsTheWorkspace) {
  EXPECT_EQ(api->size, sizeof(PlanApi));
  EXPECT_EQ(api->version(), 92601u);
  for (unsigned long long seed = 0; seed < kSeeds; ++seed) {
    set_seed(seed);
    reset(seed);
    const auto check = [&](const Convolution& c, Address result, const std::vector<float>& wanted) {
      Plan* const plan = make(c);
      const uint64_t bytes = api->workspace(plan);
      if (bytes > 0) expect(driver.fill_bytes(memory.workspace, 0, bytes, stream));
      EXPECT_EQ(execute(plan, memory), "");
      expect(driver.finish_stream(stream));
      EXPECT_EQ(download(result, wanted.size()), wanted);
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

TEST_F(CudnnDouble, FindsIllegalMemory) {
  Plan* const plan = make_with_workspace();
  const auto with = [&](uint64_t ConvolutionMemory::* member, uint64_t address) {
    ConvolutionMemory changed = memory;
    changed.*member = address;
    return changed;
  };
  refuse(plan, with(&ConvolutionMemory::x, 0), "the address of x is null");
  refuse(plan, with(&ConvolutionMemory::bias, 0), "the address of the bias is null");
  refuse(plan, with(&ConvolutionMemory::workspace, 0), "the address of the workspace is null");
  refuse(plan, with(&ConvolutionMemory::y, memory.y + 4), "the address of y is not a multiple of 16");
  refuse(plan, with(&ConvolutionMemory::x, memory.filter),
         "x does not lie in allocated memory with 36 bytes");
  refuse(plan, with(&ConvolutionMemory::workspace, memory.filter),
         "the workspace does not lie in allocated memory");
  refuse(plan, with(&ConvolutionMemory::y, memory.filter), "y overlaps the filter");
  const Address freed = allocate(64);
  expect(driver.free(freed));
  allocated.pop_back();
  refuse(plan, with(&ConvolutionMemory::filter, freed), "the filter does not lie in allocated memory");
  EXPECT_EQ(execute(plan, memory), "");
  expect(driver.finish_stream(stream));
}

TEST_F(CudnnDouble, FindsCallsInTheWrongContext) {
  Plan* const plan = make(kForward);
  DeviceId second = 0;
  Context other = nullptr, popped = nullptr;
  expect(driver.device(&second, 1));
  expect(driver.retain_context(&other, second));
  expect(driver.push_context(other));
  const Address remote = allocate(64);
  allocated.pop_back();
  refuse(plan, memory, "without its context");
  Plan* none = nullptr;
  EXPECT_THAT(api->make_plan(opened, &kForward, 0, &none), HasSubstr("without its context"));
  EXPECT_TRUE(is_violation());
  api->release_plan(plan);
  EXPECT_TRUE(is_violation());
  expect(driver.pop_context(&popped));
  ConvolutionMemory elsewhere = memory;
  elsewhere.filter = remote;
  refuse(plan, elsewhere, "the filter lies in the memory of another GPU");
  expect(driver.push_context(other));
  expect(driver.free(remote));
  expect(driver.pop_context(&popped));
  driver.release_context(second);

  expect(driver.pop_context(&popped));
  PlanDevice* unopened = nullptr;
  EXPECT_THAT(api->open_device(90, &unopened), HasSubstr("without a current context"));
  EXPECT_TRUE(is_violation());
  expect(driver.push_context(popped));
  EXPECT_EQ(unopened, nullptr);
  EXPECT_EQ(none, nullptr);
}

TEST_F(CudnnDouble, FindsAWrongCapability) {
  PlanDevice* unopened = nullptr;
  EXPECT_THAT(api->open_device(80, &unopened), HasSubstr("the compute capability 80 for a GPU of 90"));
  EXPECT_TRUE(is_violation());
  EXPECT_EQ(unopened, nullptr);
}

TEST_F(CudnnDouble, FindsObjectsThatAreUsedAfterTheirRelease) {
  Plan* const plan = make(kForward);
  api->close_device(opened);
  EXPECT_TRUE(is_violation());  // the device has a plan
  release(plan);
  refuse(plan, memory, "a plan is used that does not exist or was released");
  api->release_plan(plan);
  EXPECT_TRUE(is_violation());
  EXPECT_EQ(api->workspace(plan), 0u);
  EXPECT_TRUE(is_violation());
  api->close_device(nullptr);
  EXPECT_TRUE(is_violation());
}

TEST_F(CudnnDouble, RefusesSizesThatAreNotThoseOfAConvolution) {
  Convolution c = kForward;
  c.axes[1].kernel = 6;
  Plan* plan = nullptr;
  EXPECT_THAT(api->make_plan(opened, &c, 0, &plan), HasSubstr("the filter is larger than the padded image"));
  c = kForward;
  c.axes[2].out = 3;
  EXPECT_THAT(api->make_plan(opened, &c, 0, &plan), HasSubstr("the result has 3 elements along an axis"));
  c = backward(Direction::kBackwardInput);
  c.bias = true;
  EXPECT_THAT(api->make_plan(opened, &c, 0, &plan), HasSubstr("only a forward convolution has a bias"));
  EXPECT_EQ(plan, nullptr);
}

TEST_F(CudnnDouble, FindsTheExecutionOfAPlanForADescription) {
  PlanDevice* described = nullptr;
  Plan* plan = nullptr;
  succeed(api->open_description(90, "{}", &described));
  succeed(api->make_plan(described, &kForward, 0, &plan));
  refuse(plan, memory, "a plan for the description of a GPU is executed");
  api->release_plan(plan);
  api->close_device(described);
}

// The context cannot be used afterwards.
TEST_F(CudnnDouble, FindsAPlanThatIsReleasedBeforeItsExecutionRuns) {
  Plan* const plan = make(kForward);
  set_seed(1);
  EXPECT_EQ(execute(plan, memory), "");
  release(plan);
  EXPECT_EQ(driver.finish_stream(stream), kLaunchFailed);
  EXPECT_TRUE(is_violation());
}
TEST_F(CudnnDouble, FindsMemoryThatIsFreedBeforeAnExecutionRuns) {
  Plan* const plan = make(kForward);
  set_seed(1);
  EXPECT_EQ(execute(plan, memory), "");
  expect(driver.free(memory.filter));
  EXPECT_EQ(driver.finish_stream(stream), kLaunchFailed);
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

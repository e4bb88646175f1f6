// SPDX-License-Identifier: Apache-2.0
// A small convolution with results that were computed by hand, and a fixture, for the tests of the double of
// libcutset_cuda_cudnn.so.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/cuda/cudnn/plans.h"
#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {

inline constexpr unsigned long long kSeeds = 12;
inline constexpr uint64_t kMostWorkspace = 1 << 20;

// An image of 3 rows and 3 columns, and a filter of 2 rows and 2 columns with stride 2 and padding 1.
inline constexpr WindowAxis kAxis = {
    .in = 3, .out = 2, .kernel = 2, .stride = 2, .before = 1, .after = 1, .dilation = 1};
inline constexpr Convolution kForward = {.direction = Direction::kForward,
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
inline const std::vector<float> kX = {1, 2, 3, 4, 5, 6, 7, 8, 9}, kFilter = {1, 2, 3, 4}, kBias = {10};
inline const std::vector<float> kResult = {14, 28, 46, 87};             // the result of kForward
inline const std::vector<float> kGradient = {1, 2, 3, 4};               // the gradient of y
inline const std::vector<float> kOfX = {4, 6, 8, 6, 4, 8, 12, 12, 16};  // the gradient of x
inline const std::vector<float> kOfFilter = {20, 36, 36, 64};           // the gradient of the filter

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
    memory = {.x = upload(kX), .filter = upload(kFilter), .y = upload(kGradient), .bias = upload(kBias)};
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
  // Makes a plan and allocates its workspace.
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
    EXPECT_THAT(execute(plan, at), testing::HasSubstr(says));
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

}  // namespace cutset::cuda::doubles

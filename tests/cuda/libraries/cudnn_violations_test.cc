// SPDX-License-Identifier: Apache-2.0
// Tests that the double of libcutset_cuda_cudnn.so finds violations of the contract of plans.h.
#include "tests/cuda/libraries/cudnn_fixture.h"

namespace cutset::cuda::doubles {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace cutset::cuda::doubles

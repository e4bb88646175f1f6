// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "runtime/abi/error.h"

namespace cutset::opencl {
namespace {

using ::testing::HasSubstr;

cl_program program_of(const Kernel& kernel) {
  cl_program program = nullptr;
  EXPECT_EQ(
      clGetKernelInfo(kernel.get(), CL_KERNEL_PROGRAM, sizeof program, static_cast<void*>(&program), nullptr),
      0);
  return program;
}
// Returns the source of a kernel `fill` that writes `number`.
std::string source(int number) {
  return "__kernel void fill(__global int* to) { *to = " + std::to_string(number) + "; }";
}
// Runs the kernel and returns the number that it writes.
int run(const Context& context, const Kernel& kernel) {
  cl_int code = CL_SUCCESS;
  cl_command_queue queue = clCreateCommandQueue(context.handle(), context.device(), 0, &code);
  cl_mem buffer = clCreateBuffer(context.handle(), CL_MEM_READ_WRITE, sizeof(cl_int), nullptr, &code);
  const size_t one = 1;
  cl_int result = 0;
  EXPECT_EQ(clSetKernelArg(kernel.get(), 0, sizeof buffer, static_cast<const void*>(&buffer)), 0);
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel.get(), 1, nullptr, &one, &one, 0, nullptr, nullptr), 0);
  EXPECT_EQ(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, nullptr, nullptr), 0);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return result;
}

class OpenclContext : public ::testing::Test {
 protected:
  void SetUp() override {
    if (all_devices().empty()) GTEST_SKIP() << "no OpenCL device is available";
    device = all_devices()[0];
  }
  cl_device_id device = nullptr;
};

TEST_F(OpenclContext, IsSharedByAllThreads) {
  std::vector<std::shared_ptr<Context>> contexts(4);
  std::vector<std::thread> threads;
  for (auto& c : contexts) threads.emplace_back([&] { c = Context::of(device); });
  for (std::thread& t : threads) t.join();
  for (const auto& c : contexts) EXPECT_EQ(c, contexts[0]);
  EXPECT_EQ(Context::of(device), contexts[0]);
}

TEST_F(OpenclContext, OutlivesItsUsers) {
  const Kernel first =
      Context::of(device)->kernel(source(1), "fill");  // keeps its program, so a new one has another address
  EXPECT_EQ(program_of(Context::of(device)->kernel(source(1), "fill")), program_of(first));
}

TEST_F(OpenclContext, IsReplacedAfterAFailureAndStillServesItsUsers) {
  const auto context = Context::of(device);
  const Kernel kernel = context->kernel(source(2), "fill");
  EXPECT_THROW(context->kernel(source(2), "no_such_kernel"), abi::Exception);
  const auto next = Context::of(device);
  EXPECT_NE(next, context);
  EXPECT_EQ(Context::of(device), next);
  EXPECT_EQ(run(*context, kernel), 2);
  EXPECT_EQ(run(*next, next->kernel(source(2), "fill")), 2);
}

TEST_F(OpenclContext, StaysIfAnAllocationIsTooLarge) {
  const auto context = Context::of(device);
  for (const cl_int code : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE})
    EXPECT_THROW(check_allocation(code, "clCreateBuffer"), abi::Exception);
  EXPECT_EQ(Context::of(device), context);
  EXPECT_THROW(check_allocation(CL_INVALID_CONTEXT, "clCreateBuffer"), abi::Exception);
  const auto next = Context::of(device);
  EXPECT_NE(next, context);
  EXPECT_THROW(check(CL_MEM_OBJECT_ALLOCATION_FAILURE, "clEnqueueNDRangeKernel"), abi::Exception);
  EXPECT_NE(Context::of(device), next);
}

TEST_F(OpenclContext, ASourceThatDoesNotCompileIsReportedEachTime) {
  Context context(device);
  for (int i = 0; i < 2; ++i) try {
      context.kernel("__kernel void fill(", "fill");
      FAIL() << "no error";
    } catch (const abi::Exception& e) {
      EXPECT_THAT(e.what(), HasSubstr("does not compile"));
    }
}

TEST_F(OpenclContext, ReleasesTheProgramThatWasUsedLeastRecently) {
  Context context(device, 2);
  const Kernel one = context.kernel(source(1), "fill"), two = context.kernel(source(2), "fill");
  EXPECT_EQ(program_of(context.kernel(source(1), "fill")), program_of(one));
  const Kernel three = context.kernel(source(3), "fill");  // releases the program of `two`
  EXPECT_EQ(program_of(context.kernel(source(1), "fill")), program_of(one));
  const Kernel again =
      context.kernel(source(2), "fill");  // `two` keeps the old program, so this has another address
  EXPECT_NE(program_of(again), program_of(two));
  for (const auto& [kernel, number] : {std::pair(&one, 1), {&two, 2}, {&three, 3}, {&again, 2}})
    EXPECT_EQ(run(context, *kernel), number);
}

}  // namespace
}  // namespace cutset::opencl

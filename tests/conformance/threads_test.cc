// SPDX-License-Identifier: Apache-2.0
// Tests that the scratch memory and the execution of a kernel depend on the number of threads of its device.
// They do not depend on the number of OpenMP threads that the calling thread has set, and a kernel does not
// change this number.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

uint64_t scratch_of(const std::string& op, const Case& c, int threads) {
  auto devices = describe_devices({.devices = "cpu:0", .threads = threads});
  const OpInfo& info = *find_op(op);
  auto flat = FlatAttrs::pack(info.schema, c.attributes);
  Types in;
  for (const Operand& o : c.operands) in.push_back(o.type);
  auto out = info.infer(flat->data(), in);
  auto choice = (*devices)[0]->choose(info, flat->data(), in, *out);
  return *(*devices)[0]->scratch(choice->kernel, info, flat->data(), in, *out);
}

TEST(Threads, ScratchMemoryDependsOnTheThreadsOfTheDevice) {
  const auto kinds = kinds_here();
  if (std::find(kinds.begin(), kinds.end(), "cpu") == kinds.end()) GTEST_SKIP() << "cpu:0 is not available";
  const std::string op = "conv_backward_filter";
  // The processor decides for which problems the scratch memory depends on the number of threads.
  Case big;
  uint64_t alone[2] = {};
  for (const auto& [images, channels, out, size, kernel] :
       std::vector<std::array<int64_t, 5>>{{64, 20, 50, 12, 5},
                                           {64, 1, 20, 28, 5},
                                           {8, 64, 64, 28, 3},
                                           {2, 3, 8, 64, 3},
                                           {32, 16, 16, 16, 3},
                                           {1, 128, 128, 14, 3},
                                           {16, 256, 64, 14, 1}}) {
    const int64_t pixels = size - kernel + 1;
    big = {"weights",
           {},
           {{{f32, {images, out, pixels, pixels}}},
            {{f32, {images, channels, size, size}}},
            {{f32, {out, channels, kernel, kernel}}}}};
    for (int i : {0, 1}) std::thread([&] { alone[i] = scratch_of(op, big, i ? 7 : 1); }).join();
    if (alone[0] != alone[1]) break;
  }
  EXPECT_NE(alone[0], alone[1])
      << "the test needs a problem whose scratch memory depends on the number of threads";
  std::thread([&] {
    EXPECT_EQ(scratch_of(op, big, 1), alone[0]);
    EXPECT_EQ(scratch_of(op, big, 7), alone[1]);
    EXPECT_EQ(scratch_of(op, big, 1), alone[0]);
  }).join();
}

// The user's program may use the same OpenMP runtime as the backend.
TEST(Threads, TheUsersNumberOfThreadsIsKept) {
  const auto kinds = kinds_here();
  if (std::find(kinds.begin(), kinds.end(), "cpu") == kinds.end()) GTEST_SKIP() << "cpu:0 is not available";
  auto device = open_device("cpu");
  void* openmp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(openmp, nullptr) << "the backend has not loaded libgomp.so.1";
  auto set = reinterpret_cast<void (*)(int)>(dlsym(openmp, "omp_set_num_threads"));
  auto get = reinterpret_cast<int (*)()>(dlsym(openmp, "omp_get_max_threads"));
  const OpInfo& op = *find_op("matmul");
  const Case c = op.cases().fixed[0];
  const auto in = draw(c, 1);
  std::string kernel;
  for (int mine : {5, 3, 9}) {
    set(mine);
    auto first = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(first.ok()) << first.error().text();
    EXPECT_EQ(get(), mine) << kernel;
    EXPECT_EQ(scratch_of("matmul", c, 2), scratch_of("matmul", c, 2));
    EXPECT_EQ(get(), mine);
  }
  const Case big{
      "weights", {}, {{{f32, {64, 50, 8, 8}}}, {{f32, {64, 20, 12, 12}}}, {{f32, {50, 20, 5, 5}}}}};
  set(2);
  const uint64_t planned = scratch_of("conv_backward_filter", big, 2);
  set(7);
  EXPECT_EQ(scratch_of("conv_backward_filter", big, 2), planned)
      << "the scratch memory must not depend on the user's number of threads";
}

}  // namespace
}  // namespace cutset::testing

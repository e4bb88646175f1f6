// SPDX-License-Identifier: Apache-2.0
// Tests of the driver double and the compiler double: kernels, the order of streams, and errors.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "tests/cuda/testing.h"

namespace cutset::cuda::doubles {
namespace {

constexpr int kSeeds = 12;

// Sets CUTSET_CUDA_DOUBLE_FAULTS until the end of the test.
struct Faults {
  explicit Faults(const char* requests) { setenv("CUTSET_CUDA_DOUBLE_FAULTS", requests, 1); }
  ~Faults() { unsetenv("CUTSET_CUDA_DOUBLE_FAULTS"); }
};

const char* const kAdd = R"(
KERNEL(k)(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
})";

const char* const kSum = R"(
__device__ float join(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}
KERNEL(k)(const float* x, float* y, int rounds) {
  __shared__ float of_warp[8];
  for (int r = 0; r < rounds; ++r) {
    float v = join(x[r * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = v;
    __syncthreads();  // 1
    v = threadIdx.x < 8 ? of_warp[threadIdx.x] : 0.f;
    v = join(v);
    if (threadIdx.x == 0) y[r] = v;
    __syncthreads();  // 2
  }
})";

const char* const kTranspose = R"(
KERNEL(k)(const float* x, float* y) {
  __shared__ float tile[16][17];
  int column = threadIdx.x % 16, row = threadIdx.x / 16;
  tile[row][column] = x[row * 16 + column];
  __syncthreads();  // 1
  y[row * 16 + column] = tile[column][row];
})";

const char* const kScan = R"(
KERNEL(k)(const float* x, float* y) {
  __shared__ float s[128];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();  // 1
  for (int d = 1; d < 128; d *= 2) {
    float before = t >= d ? s[t - d] : 0.f;
    __syncthreads();  // 2
    s[t] += before;
    __syncthreads();  // 3
  }
  y[t] = s[t];
})";

std::vector<float> count_up(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.f);
  return values;
}

class Kernels : public testing::Test, protected Doubles {
 protected:
  // Returns the number of seeds for which the kernel gives a wrong result. The kernel has one output per
  // thread or per round.
  template <class... P>
  int wrong_seeds(const std::string& source, unsigned threads, const std::vector<float>& input,
                  const std::vector<float>& expected, P... parameters) {
    const Function function = kernel(source);
    const Address x = upload(input), y = allocate(expected.size() * sizeof(float));
    int wrong = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      set_seed(static_cast<unsigned long long>(seed));
      expect(driver.fill_bytes(y, 0, expected.size() * sizeof(float), nullptr));
      expect(launch(function, 1, threads, nullptr, x, y, parameters...));
      wrong += download(y, expected.size()) != expected;
    }
    return wrong;
  }
};

TEST_F(Kernels, AddVectors) {
  const Address a = upload(count_up(1000)), b = upload(count_up(1000)), c = allocate(4000);
  const Function add = kernel(kAdd);
  for (int seed = 0; seed < kSeeds; ++seed) {
    set_seed(static_cast<unsigned long long>(seed));
    expect(launch(add, 4, 256, nullptr, a, b, c, 1000));
    const std::vector<float> sum = download(c, 1000);
    for (size_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], 2.f * static_cast<float>(i + 1));
  }
}

TEST_F(Kernels, AMissingBarrierOfAReductionShows) {
  const std::vector<float> input = count_up(4 * 256);
  std::vector<float> sums;
  for (int r = 0; r < 4; ++r)
    sums.push_back(std::accumulate(input.begin() + r * 256, input.begin() + (r + 1) * 256, 0.f));
  EXPECT_EQ(wrong_seeds(kSum, 256, input, sums, 4), 0);
  if (kReportsRaces) return;
  for (const char* barrier : {"__syncthreads();  // 1", "__syncthreads();  // 2"})
    EXPECT_GT(wrong_seeds(without(kSum, barrier), 256, input, sums, 4), 0) << barrier;
}

TEST_F(Kernels, AMissingBarrierOfATransposeShows) {
  const std::vector<float> input = count_up(256);
  std::vector<float> expected(256);
  for (size_t i = 0; i < 256; ++i) expected[i] = input[i % 16 * 16 + i / 16];
  EXPECT_EQ(wrong_seeds(kTranspose, 256, input, expected), 0);
  if (kReportsRaces) return;
  EXPECT_GT(wrong_seeds(without(kTranspose, "__syncthreads();  // 1"), 256, input, expected), 0);
}

TEST_F(Kernels, AMissingBarrierOfAScanShows) {
  const std::vector<float> input = count_up(128);
  std::vector<float> expected(128);
  std::partial_sum(input.begin(), input.end(), expected.begin());
  EXPECT_EQ(wrong_seeds(kScan, 128, input, expected), 0);
  if (kReportsRaces) return;
  for (const char* barrier : {"__syncthreads();  // 1", "__syncthreads();  // 2", "__syncthreads();  // 3"})
    EXPECT_GT(wrong_seeds(without(kScan, barrier), 128, input, expected), 0) << barrier;
}

TEST_F(Kernels, TheLanguageComputesLikeCuda) {
  const Function function = kernel(R"(
KERNEL(k)(float* y) {
  __shared__ int hits;
  unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) hits = 0;
  __syncthreads();
  atomicAdd(&hits, 1);
  __syncthreads();
  float up = __shfl_up_sync(0xffffffffu, (float)lane, 1), exchanged = __shfl_xor_sync(0xffffffffu, (float)lane, 1);
  float of_half = __shfl_sync(0xffffffffu, (float)lane, 3, 16);
  unsigned odd = __ballot_sync(0xffffffffu, lane & 1);
  double wide = __shfl_down_sync(0xffffffffu, 1.0 * lane, 2);
  if (threadIdx.x != 37) return;
  float values[] = {(float)hits, up, exchanged, of_half, (float)(odd >> 24), (float)wide, rsqrtf(16.f), (float)max(3, 7),
                    min(NAN, 2.f), (float)__umulhi(0x80000000u, 6u), (float)__any_sync(1u << 5, 1), make_float4(1, 2, 3, 4).w,
                    __int_as_float(0x40400000), (float)(sizeof(float4) + alignof(float4)), fma(2.f, 3.f, 4.f)};
  for (int i = 0; i < 15; ++i) y[i] = values[i];
})");
  const Address y = allocate(15 * sizeof(float));
  expect(launch(function, 1, 64, nullptr, y));
  const std::vector<float> values = download(y, 15),
                           expected = {64, 4, 4, 3, 170, 7, 0.25, 7, 2, 3, 1, 4, 3, 32, 10};
  EXPECT_EQ(values, expected);
}

TEST_F(Kernels, UnwrittenSharedMemoryAndForeignLanesAreNan) {
  const Function function = kernel(R"(
KERNEL(k)(float* y) {
  __shared__ float s[2];
  float outside = 0.f;
  if (threadIdx.x < 16) outside = __shfl_sync(0x0000ffffu, 1.f, 20);
  if (threadIdx.x == 0) y[0] = s[1], y[1] = outside;
})");
  const Address y = allocate(2 * sizeof(float));
  expect(launch(function, 1, 32, nullptr, y));
  for (float value : download(y, 2)) EXPECT_TRUE(std::isnan(value));
}

class KernelErrors : public testing::Test, protected Doubles {
 protected:
  void expect_fault(const std::string& source, unsigned threads, const std::string& reason) {
    set_seed(0);
    EXPECT_EQ(run(source, threads), kLaunchFailed);
    const char* text = nullptr;
    expect(driver.error_text(kLaunchFailed, &text));
    EXPECT_NE(std::string(text).find(reason), std::string::npos) << text;
    EXPECT_NE(std::string(text).find("line 2"), std::string::npos) << text;
  }
};

TEST_F(KernelErrors, DivergentBarriers) {
  expect_fault("KERNEL(k)() { if (threadIdx.x < 32) __syncthreads(); }", 64,
               "32 threads of the block have returned");
  expect_fault("KERNEL(k)() { if (threadIdx.x < 32) __syncthreads(); else\n __syncthreads(); }", 64,
               "different barriers; thread (32, 0, 0) waits at line 3");
}

TEST_F(KernelErrors, WrongMasks) {
  expect_fault("KERNEL(k)() { if (threadIdx.x < 16) __syncwarp(); }", 32, "names a thread that has returned");
  expect_fault("KERNEL(k)() { __syncwarp(1); }", 2, "does not contain the calling thread");
  expect_fault("KERNEL(k)() { __syncwarp(threadIdx.x ? 3 : 7); }", 3, "the masks of a warp disagree");
  expect_fault("KERNEL(k)() { if (threadIdx.x) __syncwarp(); else __syncthreads(); }", 32, "deadlock");
  expect_fault("KERNEL(k)() { __shfl_sync(0xffffffffu, 1, 0, 5); }", 32, "the width of a shuffle is 5");
}

TEST_F(KernelErrors, AreSticky) {
  EXPECT_EQ(run("KERNEL(k)() { __syncwarp(2); }", 1), kLaunchFailed);
  Address address = 0;
  EXPECT_EQ(driver.allocate(&address, 4), kLaunchFailed);
  EXPECT_EQ(driver.finish_stream(nullptr), kLaunchFailed);
  const char* name = nullptr;
  expect(driver.error_name(kLaunchFailed, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_LAUNCH_FAILED");
}

TEST_F(KernelErrors, AWriteOutsideAnAllocation) {
  if (kReportsBounds) GTEST_SKIP() << "AddressSanitizer ends the process";
  const Address y = allocate(8);
  expect(launch(kernel("KERNEL(k)(float* y) { y[threadIdx.x] = 1; }"), 1, 3, nullptr, y));
  EXPECT_EQ(driver.finish_stream(nullptr), kLaunchFailed);
}

TEST_F(KernelErrors, FreedMemory) {
  Address y = 0;
  expect(driver.allocate(&y, 8));
  const Function function = kernel("KERNEL(k)(float* y) { y[threadIdx.x] = 1; }");
  expect(launch(function, 1, 2, nullptr, y));
  expect(driver.finish_stream(nullptr));
  expect(driver.free(y));
  EXPECT_EQ(driver.fill_bytes(y, 0, 8, nullptr), kInvalidValue);
  expect(launch(function, 1, 2, nullptr, y));
  EXPECT_EQ(driver.finish_stream(nullptr), kLaunchFailed);
}

TEST_F(KernelErrors, LaunchLimits) {
  const Function function = kernel("KERNEL(k)() {}");
  const auto status = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz) {
    return driver.launch(function, gx, gy, gz, bx, by, bz, 0, nullptr, nullptr, nullptr);
  };
  expect(status(2, 2, 2, 32, 16, 2));
  EXPECT_EQ(status(1, 1, 1, 1025, 1, 1), kInvalidValue);
  EXPECT_EQ(status(1, 1, 1, 32, 32, 2), kInvalidValue);
  EXPECT_EQ(status(1, 1, 1, 1, 1, 65), kInvalidValue);
  EXPECT_EQ(status(0, 1, 1, 1, 1, 1), kInvalidValue);
  EXPECT_EQ(status(1, 1, 1, 0, 1, 1), kInvalidValue);
  EXPECT_EQ(status(1, 65536, 1, 1, 1, 1), kInvalidValue);
  EXPECT_EQ(status(1, 1, 65536, 1, 1, 1), kInvalidValue);
}

class Compiler : public testing::Test, protected Doubles {};

TEST_F(Compiler, ReportsErrorsWithTheLineOfTheSource) {
  std::string log;
  EXPECT_EQ(compile("\n\nthis is no kernel", log), 6);
  EXPECT_NE(log.find("test.cu:3"), std::string::npos) << log;
}
TEST_F(Compiler, KnowsTheOptionsOfNvrtc) {
  std::string code;
  EXPECT_EQ(compile("", code, {"-std=c++20", "-default-device", "-DN=3"}), 0) << code;
  EXPECT_EQ(compile("", code, {"--no-such-option"}), 5);
  EXPECT_NE(code.find("--no-such-option"), std::string::npos);
  EXPECT_EQ(compile("", code, {"--gpu-architecture=sm_42"}), 5);
}
TEST_F(Compiler, FindsNoHeaders) {
  std::string log;
  EXPECT_EQ(compile("#include <cmath>", log), 6);
}

class Driver : public testing::Test, protected Doubles {};

TEST_F(Driver, RefusesABadImage) {
  Module module = nullptr;
  EXPECT_EQ(driver.load_module(&module, "this text is not a library for any machine, and it is long enough"),
            200);
}
TEST_F(Driver, NeedsAContext) {
  Context popped = nullptr;
  expect(driver.pop_context(&popped));
  Address address = 0;
  EXPECT_EQ(driver.allocate(&address, 4), kInvalidContext);
  EXPECT_EQ(driver.finish_stream(nullptr), kInvalidContext);
  expect(driver.push_context(context));
}
TEST_F(Driver, RunsOutOfMemory) {
  Address address = 0;
  EXPECT_EQ(driver.allocate(&address, size_t{5} << 30), kOutOfMemory);
}
TEST_F(Driver, RefusesCopiesOutOfBounds) {
  const Address x = allocate(16);
  char host[32] = {};
  EXPECT_EQ(driver.copy_to_device(x, host, 17, nullptr), kInvalidValue);
  EXPECT_EQ(driver.copy_to_host(host, x + 8, 9, nullptr), kInvalidValue);
  EXPECT_EQ(driver.copy_on_device(x, x + 4, 8, nullptr), kInvalidValue);
}
TEST_F(Driver, FailsOnRequest) {
  const Faults faults("cuMemAlloc_v2:2:2,cuStreamCreate:1:719");
  set_seed(0);
  allocate(4);
  Address address = 0;
  EXPECT_EQ(driver.allocate(&address, 4), kOutOfMemory);
  Stream stream = nullptr;
  EXPECT_EQ(driver.make_stream(&stream, 0), kLaunchFailed);
  allocate(4);
}

}  // namespace
}  // namespace cutset::cuda::doubles

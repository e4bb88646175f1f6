// SPDX-License-Identifier: Apache-2.0
// Measures an all-reduce over host devices. Each of N threads copies its partial sum of 25 MB to the staging
// memory, starts the all-reduce, waits for the sum and copies the sum back, as the queues of N devices do in
// a step.
//
//   cutset_all_reduce [DEVICES...]          default: 2 4 8
//
// Prints the median time over 20 rounds, and the bytes of one partial sum divided by this time.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/communicate/shared_memory.h"

namespace cutset {
namespace {

constexpr int64_t kElements = 25'000'000 / 4;
constexpr int kRounds = 20;

// Returns the seconds of each round.
std::vector<double> measure(size_t devices) {
  Collective collective{{DType::f32, {kElements}}, {}, "x"};
  std::vector<std::vector<float>> own(devices, std::vector<float>(kElements, 1.0f)), staging = own;
  std::vector<Transport::Partial> memory;
  for (size_t d = 0; d < devices; ++d) {
    collective.partials.push_back({0, static_cast<int32_t>(d), static_cast<int32_t>(d) + 1});
    memory.push_back({staging[d].data(), "cpu:" + std::to_string(d)});
  }
  SharedMemory transport;
  auto made = transport.group(collective, "x", memory);
  if (!made) {
    std::fprintf(stderr, "%s\n", made.error().text().c_str());
    std::exit(1);
  }
  Group& sum = **made;
  const size_t bytes = kElements * sizeof(float);
  std::vector<double> seconds;
  std::barrier both(static_cast<std::ptrdiff_t>(devices));
  auto device = [&](size_t d) {
    for (int round = 0; round < kRounds; ++round) {
      const MessageHeader header{1, 1, static_cast<uint64_t>(round) + 1, ~0, 0, bytes};
      both.arrive_and_wait();
      const auto start = std::chrono::steady_clock::now();
      std::memcpy(sum.staging(d), own[d].data(), bytes);
      sum.start(d, header);
      if (!sum.wait(header, Clock::kNever).ok()) std::abort();
      std::memcpy(own[d].data(), sum.sum(), bytes);
      both.arrive_and_wait();
      if (d == 0)
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      std::fill(own[d].begin(), own[d].end(), 1.0f);
    }
  };
  std::vector<std::thread> threads;
  for (size_t d = 0; d < devices; ++d) threads.emplace_back(device, d);
  for (std::thread& t : threads) t.join();
  return seconds;
}

}  // namespace
}  // namespace cutset

int main(int argc, char** argv) {
  std::vector<size_t> counts;
  for (int i = 1; i < argc; ++i) counts.push_back(static_cast<size_t>(std::max(1, std::atoi(argv[i]))));
  if (counts.empty()) counts = {2, 4, 8};
  std::printf("%8s %10s %10s %8s\n", "devices", "median ms", "min ms", "GB/s");
  for (size_t n : counts) {
    std::vector<double> seconds = cutset::measure(n);
    std::sort(seconds.begin(), seconds.end());
    const double median = seconds[seconds.size() / 2];
    std::printf("%8zu %10.2f %10.2f %8.2f\n", n, 1e3 * median, 1e3 * seconds.front(), 0.025 / median);
  }
}

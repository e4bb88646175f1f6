// SPDX-License-Identifier: Apache-2.0
// Tests that several threads can compile and train models of their own at the same time. The threads start
// before anything else has used the library, because drivers initialise themselves in their first calls.
//
//   cutset_threads_test DEVICE      exit code 77: the device is not available
#include <cutset/cutset.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

// Returns the losses of five steps as text, or the text of the error.
std::string train(const std::string& device, unsigned seed) {
  using namespace cutset;
  try {
    Graph g;
    Tensor x = g.input("x", f32, {8, 16}), y = g.input("y", i32, {8});
    Tensor hidden = relu(nn::dense("a", x, 32));
    g.minimize(mean(softmax_cross_entropy(nn::dense("b", hidden, 4), y)), {.learning_rate = 0.1});
    Session session = compile(g, {.devices = device, .threads = 1});
    Batch batch;
    HostTensor input({f32, {8, 16}}), labels({i32, {8}});
    for (int i = 0; i < 8 * 16; ++i)
      input.as<float>()[i] = static_cast<float>((i * 37 + static_cast<int>(seed)) % 11);
    for (int i = 0; i < 8; ++i) labels.as<int32_t>()[i] = i % 4;
    batch.emplace("x", input);
    batch.emplace("y", labels);
    std::string losses;
    for (int i = 0; i < 5; ++i) losses += std::to_string(session.train(batch)["loss"].item<double>()) + " ";
    return losses;
  } catch (const std::exception& e) {
    return std::string("threw: ") + e.what();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const std::string device = argv[1];
  constexpr unsigned kThreads = 6;
  std::vector<std::string> got(kThreads);
  std::atomic<bool> go{false};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        while (!go) std::this_thread::yield();
        got[i] = train(device, i % 2);
      });
    go = true;
  }
  // A single thread computes the expected losses afterwards. If the device is not available, the errors must
  // be equal.
  const std::string want[] = {train(device, 0), train(device, 1)};
  int failures = 0;
  for (unsigned i = 0; i < kThreads; ++i)
    if (got[i] != want[i % 2]) {
      ++failures;
      std::printf("thread %u: %s\nexpected: %s\n", i, got[i].c_str(), want[i % 2].c_str());
    }
  if (failures == 0 && want[0].rfind("threw: ", 0) == 0) {
    std::printf("skipped: %s\n", want[0].c_str());
    return want[0].find("cannot load the backend") != std::string::npos ||
                   want[0].find("no backend for") != std::string::npos ||
                   want[0].find("no OpenCL platform") != std::string::npos
               ? 77
               : 1;
  }
  return failures != 0;
}

// Training runs on random images, for comparing devices and splits.
#pragma once
#include <cutset/cutset.h>

#include <string>
#include <vector>

namespace cutset::testing {

// Image-shaped noise with labels, the same for the same numbers.
Batch noise(int64_t batch, uint64_t seed, uint64_t step);

struct TrainingRun {
  std::vector<double> loss;
  std::map<std::string, HostTensor> gradients;      // of step 1
  std::map<std::string, HostTensor> before, after;  // variables
};
struct RunOptions {
  std::string model = "lenet-smooth", devices = "reference:0", strategy;
  int64_t batch = 64;
  uint64_t seed = 1, simulation_seed = 0;
  int steps = 5, threads = 0;
  bool f64 = false, gradients = false, deterministic = false;
  bool real = false;  // Fashion-MNIST in the order of the seed, instead of noise
};
TrainingRun run(const RunOptions& options);

// The largest |a - b| over max |b|.
double difference(const HostTensor& a, const HostTensor& b);
bool have(const std::string& devices);  // every kind of these is here

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Training runs on random images, and measures of the difference between two runs. Tests use them to compare
// devices and strategies.
#pragma once
#include <cutset/cutset.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace cutset::testing {

// Returns a batch of random images (28 x 28) and labels. It depends only on the arguments.
Batch noise(int64_t batch, uint64_t seed, uint64_t step);

struct TrainingRun {
  std::vector<double> loss;                         // the loss of every step
  std::map<std::string, HostTensor> gradients;      // the gradients of step 1, by variable
  std::map<std::string, HostTensor> before, after;  // the variables before and after the run
};
struct RunOptions {
  std::string model = "lenet-smooth", devices = "reference:0", strategy;
  int64_t batch = 64;
  uint64_t seed = 1, simulation_seed = 0;
  int steps = 5, threads = 0;
  bool f64 = false, gradients = false, deterministic = false;
  bool real = false;  // true: Fashion-MNIST, shuffled with the seed, instead of noise
};
// Trains a model of frontends/models.
TrainingRun run(const RunOptions& options);

// The maximum of the values that are added. It is infinite if one of the values is NaN, so that a NaN exceeds
// every bound.
class Largest {
 public:
  void add(double v) { value_ = v <= value_ ? value_ : std::isnan(v) ? HUGE_VAL : v; }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

// The three measures below are infinite if a value is NaN or missing, or if shapes differ.

// Returns max |a - b| / max |b|.
double difference(const HostTensor& a, const HostTensor& b);
// Returns the largest |got - want| / |want| of the first `steps` losses.
double loss_difference(const std::vector<double>& got, const std::vector<double>& want,
                       size_t steps = SIZE_MAX);
// Returns max |got - want| / max |want - before|: the relative error of the change of a variable.
double change_difference(const HostTensor& got, const HostTensor& want, const HostTensor& before);
// Returns true if the devices of all named kinds are available.
bool have(const std::string& devices);

}  // namespace cutset::testing

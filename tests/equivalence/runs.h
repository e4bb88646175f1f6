// Training runs on random images, for comparing devices and splits.
#pragma once
#include <cutset/cutset.h>

#include <cmath>
#include <cstdint>
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

// The largest of what is added; infinite once a NaN was, so that a NaN passes no bound.
class Largest {
 public:
  void add(double v) { value_ = v <= value_ ? value_ : std::isnan(v) ? HUGE_VAL : v; }
  double value() const { return value_; }

 private:
  double value_ = 0;
};

// All are infinite where something is NaN, is missing, or has another type.
// The largest |a - b| over max |b|.
double difference(const HostTensor& a, const HostTensor& b);
// The largest |got - want| over |want|, of the first `steps` losses.
double loss_difference(const std::vector<double>& got, const std::vector<double>& want, size_t steps = SIZE_MAX);
// The largest |got - want| over the largest |want - before|: how wrong the change of a variable is.
double change_difference(const HostTensor& got, const HostTensor& want, const HostTensor& before);
bool have(const std::string& devices);  // every kind of these is here

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Compares training on several combinations of devices and strategies with training on one device, on
// Fashion-MNIST, for batches of 64 and 61 and seeds 1 to 3:
// - lenet-smooth is compared with the same program in f64 on reference:0: the gradients of step 1 (in units
//   of their tolerance), 50 losses, and the change of every variable after 50 steps.
// - lenet is compared with reference:0 in f32: the loss of step 1, the first 20 losses, and 50 losses.
// - Other forms of losses on replicas, also with small batches, are compared with reference:0 in f64: every
//   loss, the change of every variable, and whether the copies of variables are bitwise equal.
//
//   cutset_equality [STEPS]      default: 50
//
// Prints one row per run. Exits with 1 if a bound does not hold.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "tests/equivalence/support/loss_forms.h"
#include "tests/equivalence/support/runs.h"

using namespace cutset;
using namespace cutset::testing;

namespace {

// Returns the number of terms of the longest sum in a variable's gradient: the batch times the pixels of the
// layer's output.
double longest_reduction(const std::string& variable, int64_t batch) {
  const double pixels = variable.rfind("conv1", 0) == 0   ? 24 * 24
                        : variable.rfind("conv2", 0) == 0 ? 8 * 8
                                                          : 1;
  return static_cast<double>(batch) * pixels;
}

// How many rows were compared, and how many are outside a bound.
struct Count {
  int rows = 0, failures = 0;
  void operator()(bool holds) {
    ++rows;
    failures += !holds;
  }
};

struct Setting {
  const char *devices, *strategy;
  int64_t only = 0;  // the only batch size to run; 0: both sizes are run
};

// The runs on one device with which the runs of a setting are compared, and their options.
struct Reference {
  RunOptions smooth, plain;
  TrainingRun exact, of_plain;
};

// Prints a row that compares a setting with one device, and returns whether all bounds hold.
bool compare_model(const Setting& setting, Reference& reference) {
  const auto& [devices, strategy, only] = setting;
  RunOptions &smooth = reference.smooth, &plain = reference.plain;
  const std::string name = devices + std::string(*strategy ? " " : "") + strategy;
  smooth.devices = plain.devices = devices;
  smooth.strategy = plain.strategy = strategy;
  const TrainingRun a = run(smooth), b = run(plain);
  const TrainingRun& exact = reference.exact;
  Largest gradients, changes;
  if (exact.gradients.size() != 8 || exact.after.empty()) gradients.add(HUGE_VAL);
  for (const auto& [variable, g] : exact.gradients)
    gradients.add(difference(a.gradients.at(variable), g) /
                  (1e-5 * std::sqrt(1 + longest_reduction(variable, smooth.batch) / 1000)));
  for (const auto& [variable, after] : exact.after)
    changes.add(change_difference(a.after.at(variable), after, exact.before.at(variable)));
  const double gradient = gradients.value(), change = changes.value();
  const double loss_a = loss_difference(a.loss, exact.loss),
               one = loss_difference(b.loss, reference.of_plain.loss, 1),
               twenty = loss_difference(b.loss, reference.of_plain.loss, 20),
               fifty = loss_difference(b.loss, reference.of_plain.loss);
  const bool holds = gradient <= 1 && loss_a <= 1e-5 && change <= 1e-4 && one <= 1e-6 && twenty <= 1e-3;
  std::printf("%-40s %5lld %4llu | %9.1e %9.1e %9.1e | %9.1e %9.1e %9.1e%s\n", name.c_str(),
              static_cast<long long>(smooth.batch), static_cast<unsigned long long>(smooth.seed), gradient,
              loss_a, change, one, twenty, fifty, holds ? "" : "  DOES NOT HOLD");
  std::fflush(stdout);
  return holds;
}

void compare_models(int64_t batch, uint64_t seed, int steps, Count& count) {
  RunOptions smooth{
      .batch = batch, .seed = seed, .steps = steps, .f64 = true, .gradients = true, .real = true};
  const RunOptions plain{.model = "lenet", .batch = batch, .seed = seed, .steps = steps, .real = true};
  Reference reference{smooth, plain, run(smooth), run(plain)};
  reference.smooth.f64 = false;
  for (const Setting& setting :
       {Setting{"cpu:0", ""}, Setting{"opencl:0", ""},
        Setting{"cpu:0,opencl:0", "pipeline(2, micro_batches=1)"},
        Setting{"cpu:0,sim:0", "pipeline(2, micro_batches=1)"},
        Setting{"cpu:0,opencl:0,sim:0", "pipeline(3, micro_batches=1)"}, Setting{"cpu:0,cpu:1", "data(2)"},
        Setting{"cpu:0,opencl:0", "data(2, shares=5:2)", 61}, Setting{"cpu:0,opencl:0,sim:0", "data(3)", 61},
        Setting{"cpu:0,cpu:1,sim:0,sim:1", "data(2) * pipeline(2, micro_batches=1)"}}) {
    if (setting.only && setting.only != batch) continue;
    if (!have(setting.devices)) {
      std::printf("%s %s skipped: a device is not available\n", setting.devices, setting.strategy);
      continue;
    }
    count(compare_model(setting, reference));
  }
}

// Compares models with other losses with reference:0 in f64.
void compare_forms(Count& count) {
  constexpr int kRepeat = 4;  // the number of times that the batches of a form are repeated
  std::printf("\n%-44s %4s | %9s %9s   (differences of the loss and of the change of variables)\n",
              "loss, compared with reference:0 in f64", "seed", "loss", "change");
  for (const LossForm& form : loss_forms())
    for (uint64_t seed : {1, 2, 3}) {
      if (!have(form.devices)) {
        std::printf("%-44s skipped: %s is not available\n", form.name, form.devices);
        continue;
      }
      const FormRun want = train(form, {.devices = "reference:0", .f64 = true}, seed, kRepeat);
      const FormRun got = train(form, {.devices = form.devices, .strategy = form.strategy}, seed, kRepeat);
      const FormDifference d = differences(got, want);
      const bool holds = d.holds() && got.different_copies.empty();
      count(holds);
      std::printf("%-44s %4llu | %9.1e %9.1e%s%s\n", form.name, static_cast<unsigned long long>(seed), d.loss,
                  d.change, got.different_copies.empty() ? "" : "  copies differ",
                  holds ? "" : "  DOES NOT HOLD");
      std::fflush(stdout);
    }
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 50;
  if (argc > 2 || steps < 1) {
    std::fprintf(stderr,
                 "usage: cutset_equality [STEPS]\nSTEPS is the number of training steps, 1 or more; the "
                 "default is 50\n");
    return 2;
  }
  Count count;
  std::printf("%-40s %5s %4s | %9s %9s %9s | %9s %9s %9s\n", "devices", "batch", "seed", "gradient",
              "loss f64", "change", "loss 1", "loss 20", "loss 50");
  std::printf("%-40s %5s %4s | %9s %9s %9s | %9s %9s %9s\n", "bound", "", "", "1", "1e-5", "1e-4", "1e-6",
              "1e-3", "-");
  for (const int64_t batch : {64, 61})
    for (const uint64_t seed : {1, 2, 3}) compare_models(batch, seed, steps, count);
  compare_forms(count);
  std::printf("%d of %d rows outside a bound\n", count.failures, count.rows);
  return count.failures != 0;
}

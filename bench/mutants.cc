// SPDX-License-Identifier: Apache-2.0
// Measures whether `verify`, or else the check of programs, finds mutants, names the instruction with the
// error, and accepts correct programs.
//
//   cutset_mutants [--quick] [--mutants N] [--seeds N] [--sound-seeds N]
//
//   --mutants N      mutants per class and seed; default: 10
//   --seeds N        seeds for drawing mutants; default: 3
//   --sound-seeds N  seeds for runs of the configurations without a mutation; default: 20
//   --quick          --mutants 3 --seeds 1 --sound-seeds 1
//
// Every N is from 1 to 1000. Mutants are drawn from all sites of a class in fourteen configurations. The
// results of a mutant are
// - equivalent, if its values over three batches are bitwise equal to the values of the original program;
// - named, if the first reported difference is at the mutated instruction, or at an instruction that reads
//   its result;
// - refused, if `verify` does not name it, and check_program refuses it and names the device and the op or a
//   buffer.
//
// The exit code is 1 if a mutant is not found, if a correct program has a difference, or if a class has no
// site or only equivalent mutants. The exit code is 2 for wrong arguments.
#include "tests/equivalence/support/mutants.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/equivalence/support/runs.h"

using namespace cutset;
using namespace cutset::testing;

namespace {

const std::vector<Configuration> kConfigurations = {
    {"lenet-smooth", "cpu:0", "", 6},
    {"lenet", "cpu:0,opencl:0", "pipeline(2, micro_batches=1)", 6},
    {"mlp", "cpu:0,cpu:1", "data(2)", 10},
    {"lenet-smooth", "cpu:0,opencl:0", "data(2, shares=5:2)", 7},
    {"mlp", "cpu:0,opencl:0,sim:0", "data(3)", 10},
    {"lenet", "cpu:0,cpu:1,sim:0,sim:1", "data(2, shares=1:1) * pipeline(2, micro_batches=1)", 5},
    {"mlp", "cpu:0,cpu:1", "data(2)", 16, true},
    {"mlp", "sim:0,sim:1", "pipeline(2, micro_batches=1)", 10, false, true},
    {"lenet-smooth", "cpu:0", "pipeline(1, micro_batches=3)", 7},
    {"lenet", "cpu:0,opencl:0", "pipeline(2, micro_batches=3)", 7},
    {"shared", "cpu:0,sim:0", "data(2, shares=2:1)", 9},
    {"shared", "sim:0,cpu:0", "pipeline(2, micro_batches=4)", 14},
    {"shared", "cpu:0,sim:0,reference:0", "pipeline(3, micro_batches=8, schedule=gpipe)", 17},
    {"shared", "cpu:0,sim:0", "data(2) * pipeline(1, micro_batches=2)", 9},
    {"mlp", "cpu:0,opencl:0,sim:0", "tensor(3)", 7},
    {"lenet", "cpu:0,opencl:0", "tensor(2)", 7},
    {"shared", "cpu:0,sim:0,sim:1,reference:0", "data(2, shares=5:2) * tensor(2)", 7},
};

struct Options {
  int mutants = 10, seeds = 3, sound_seeds = 20;

  bool parse(int argc, char** argv) {
    for (int a = 1; a < argc; ++a) {
      const std::string option = argv[a];
      if (option == "--quick") {
        mutants = 3;
        seeds = sound_seeds = 1;
        continue;
      }
      int* number = option == "--mutants"       ? &mutants
                    : option == "--seeds"       ? &seeds
                    : option == "--sound-seeds" ? &sound_seeds
                                                : nullptr;
      if (!number || ++a == argc) return false;
      char* end = nullptr;
      const long n = std::strtol(argv[a], &end, 10);
      if (*end || n < 1 || n > 1000) return false;
      *number = static_cast<int>(n);
    }
    return true;
  }
};

int false_alarms(int seeds) {
  int alarms = 0, runs = 0;
  for (const Configuration& c : kConfigurations) {
    if (!have(c.devices)) {
      std::printf("skipped: %s on %s: a device is not available\n", c.model.c_str(), c.devices.c_str());
      continue;
    }
    for (int seed = 1; seed <= seeds; ++seed, ++runs) {
      const auto batches = batches_of(c, static_cast<uint64_t>(seed));
      const Verification v = prepare(c, batches, static_cast<uint64_t>(seed));
      const auto r = v.run(v.program(), batches);
      if (r && r->differences.empty()) continue;
      ++alarms;
      std::printf("false alarm: %s on %s, seed %d: %s\n", c.model.c_str(), c.devices.c_str(), seed,
                  (r ? r->differences.front().text() : r.error().text()).c_str());
    }
  }
  std::printf("%d runs of unmutated programs, %d false alarms\n\n", runs, alarms);
  std::fflush(stdout);
  return alarms;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!options.parse(argc, argv)) {
    std::fprintf(stderr, "usage: %s [--quick] [--mutants N] [--seeds N] [--sound-seeds N]; N is 1 to 1000\n",
                 argv[0]);
    return 2;
  }
  int failures = false_alarms(options.sound_seeds), all_found = 0, all_named = 0, all_live = 0;
  std::printf("%-20s %6s %6s %11s %6s %6s %8s\n", "class", "sites", "drawn", "equivalent", "found", "named",
              "refused");
  MutantTrials trials(kConfigurations, 1);
  using Verdict = MutantTrials::Verdict;
  for (Mutation mutation : all_mutations()) {
    const size_t places = trials.places(mutation);
    int count[5] = {};
    for (int seed = 1; seed <= options.seeds; ++seed) {
      PhiloxSequence random(static_cast<uint64_t>(seed), 1000 + static_cast<uint64_t>(mutation));
      for (int n = 0; n < options.mutants && places > 0; ++n) {
        std::string says;
        const Verdict verdict = trials.draw(mutation, random, &says);
        ++count[static_cast<int>(verdict)];
        if (verdict == Verdict::kNamed || verdict == Verdict::kRefused) continue;
        const char* what[] = {"equivalent", "NOT FOUND", "named", "found, but another instruction was named"};
        std::printf("  %s: %s\n", what[static_cast<int>(verdict)], says.c_str());
      }
    }
    const int equivalent = count[0], missed = count[1], refused = count[4], named = count[2] + refused,
              found = named + count[3];
    failures += missed + (found + missed == 0);
    all_live += found + missed;
    all_found += found;
    all_named += named;
    std::printf("%-20s %6zu %6d %11d %6d %6d %8d\n", name_of(mutation), places, equivalent + missed + found,
                equivalent, found, named, refused);
    std::fflush(stdout);
  }
  std::printf(
      "found %d of %d mutants that are not equivalent; named the instruction of %d (%.1f %% of those "
      "found)\n",
      all_found, all_live, all_named, 100.0 * all_named / std::max(1, all_found));
  return failures != 0;
}

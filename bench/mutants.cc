// Does `verify` find programs that are wrong, name what is wrong, and stay silent where nothing is?
//
//   cutset_mutants [mutants of a class and seed] [seeds without a mutation] [seeds with]     10, 20 and 3 unless given
//
// Mutants are drawn over all places of eight configurations that a class has; those whose values equal the
// original's bit for bit over three batches are listed as equivalent. "Named" means that the first difference
// is at the mutated instruction, or at one that reads the buffer that it makes: the same device, queue, function and
// place in the list. Exits with 1 where a program that differs is not found, or a sound one is blamed.
#include "tests/equivalence/mutants.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace cutset;
using namespace cutset::testing;

namespace {

const std::vector<Configuration> kConfigurations = {
    {"lenet-smooth", "cpu:0", "", 6},
    {"lenet", "cpu:0,opencl:0", "model", 6},
    {"mlp", "cpu:0,cpu:1", "data(2)", 10},
    {"lenet-smooth", "cpu:0,opencl:0", "data(2, shares=5:2)", 7},
    {"mlp", "cpu:0,opencl:0,sim:0", "data(3)", 10},
    {"lenet", "cpu:0,cpu:1,sim:0,sim:1", "data(2, shares=1:1) * model", 5},
    {"mlp", "cpu:0,cpu:1", "data(2)", 16, true},
    {"mlp", "sim:0,sim:1", "model", 10, false, true},
};

int false_alarms(int seeds) {
  int alarms = 0, runs = 0;
  for (const Configuration& c : kConfigurations)
    for (int seed = 1; seed <= seeds; ++seed, ++runs) {
      const auto batches = batches_of(c, static_cast<uint64_t>(seed));
      const Verification v = prepare(c, batches, static_cast<uint64_t>(seed));
      const auto r = v.run(v.program(), batches);
      if (r && r->differences.empty()) continue;
      ++alarms;
      std::printf("false alarm: %s on %s, seed %d: %s\n", c.model.c_str(), c.devices.c_str(), seed,
                  (r ? r->differences.front().text() : r.error().text()).c_str());
    }
  std::printf("%d runs of unmutated programs, %d false alarms\n\n", runs, alarms);
  std::fflush(stdout);
  return alarms;
}

}  // namespace

int main(int argc, char** argv) {
  auto number = [&](int i, int unless_given) { return argc > i ? std::atoi(argv[i]) : unless_given; };
  const int each = number(1, 10), seeds = number(3, 3);
  int failures = false_alarms(number(2, 20)), all_found = 0, all_named = 0, all_live = 0;
  std::printf("%-20s %6s %6s %11s %6s %6s\n", "class", "places", "drawn", "equivalent", "found", "named");
  MutantTrials trials(kConfigurations, 1);
  using Verdict = MutantTrials::Verdict;
  for (Mutation mutation : all_mutations()) {
    const size_t places = trials.places(mutation);
    int count[4] = {};
    for (int seed = 1; seed <= seeds; ++seed) {
      PhiloxSequence random(static_cast<uint64_t>(seed), 1000 + static_cast<uint64_t>(mutation));
      for (int n = 0; n < each && places > 0; ++n) {
        std::string says;
        const Verdict verdict = trials.draw(mutation, random, &says);
        ++count[static_cast<int>(verdict)];
        if (verdict == Verdict::kNamed) continue;
        const char* what[] = {"equivalent", "NOT FOUND", "named", "named another"};
        std::printf("  %s: %s\n", what[static_cast<int>(verdict)], says.c_str());
      }
    }
    const int equivalent = count[0], missed = count[1], named = count[2], found = named + count[3];
    failures += missed + (places == 0);
    all_live += found + missed, all_found += found, all_named += named;
    std::printf("%-20s %6zu %6d %11d %6d %6d\n", name_of(mutation), places, equivalent + missed + found, equivalent,
                found, named);
    std::fflush(stdout);
  }
  std::printf("found %d of %d that differ, named %d (%.1f %%)\n", all_found, all_live, all_named,
              100.0 * all_named / std::max(1, all_found));
  return failures != 0;
}

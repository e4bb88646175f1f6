// Does `verify` find programs that are wrong, name what is wrong, and stay silent where nothing is?
//
//   cutset_mutants [mutants of a class and seed] [seeds without a mutation]      10 and 20 unless given
//
// Mutants are drawn over all places of eight configurations that a class has; those whose values equal the
// original's bit for bit over three batches are listed as equivalent. "Named" means that the first difference
// is at the mutated instruction, or at one that reads what it makes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "frontends/cpp/verification.h"
#include "frontends/models/models.h"
#include "tests/equivalence/runs.h"

namespace cutset::testing {
namespace {

struct Configuration {
  const char *model, *devices, *strategy;
  int64_t batch;
  bool deterministic = false, f64 = false;
};
const Configuration kConfigurations[] = {
    {"lenet-smooth", "cpu:0", "", 6},
    {"lenet", "cpu:0,opencl:0", "model", 6},
    {"mlp", "cpu:0,cpu:1", "data(2)", 10},
    {"lenet-smooth", "cpu:0,opencl:0", "data(2, shares=5:2)", 7},
    {"mlp", "cpu:0,opencl:0,sim:0", "data(3)", 10},
    {"lenet", "cpu:0,cpu:1,sim:0,sim:1", "data(2, shares=1:1) * model", 5},
    {"mlp", "cpu:0,cpu:1", "data(2)", 16, true},
    {"mlp", "sim:0,sim:1", "model", 10, false, true},
};
constexpr int kBatches = 3;

struct Prepared {
  Verification verification;
  std::vector<Batch> batches;
  std::string values;  // of the unmutated program
};

Prepared prepare(const Configuration& c, uint64_t seed) {
  Graph graph = models::find(c.model).build({c.batch, seed, {0.05, 0.9}});
  CompileOptions o;
  o.devices = c.devices, o.strategy = c.strategy, o.deterministic = c.deterministic, o.f64 = c.f64;
  std::vector<Batch> batches;
  for (int b = 0; b < kBatches; ++b) batches.push_back(noise(c.batch, seed, static_cast<uint64_t>(b)));
  return {check(Verification::prepare(*graph.state(), o, batches.front())), batches, ""};
}

bool named(const Mutant& m, const Difference& d) {
  if (d.op == m.op && d.device == m.device) return true;
  const std::string at = d.op + "@" + d.device;
  return std::any_of(m.consumers.begin(), m.consumers.end(),
                     [&](const std::string& c) { return c == at || c == d.op; }) ||
         (d.device.empty() && d.op.find(m.op) != std::string::npos);
}

}  // namespace
}  // namespace cutset::testing

int main(int argc, char** argv) {
  using namespace cutset;
  using namespace cutset::testing;
  const int each = argc > 1 ? std::atoi(argv[1]) : 10, quiet = argc > 2 ? std::atoi(argv[2]) : 20;
  int false_alarms = 0, runs = 0;
  for (const Configuration& c : kConfigurations)
    for (int seed = 1; seed <= quiet; ++seed, ++runs) {
      const Prepared p = prepare(c, static_cast<uint64_t>(seed));
      const VerifyReport r = check(p.verification.run(p.verification.program(), p.batches));
      if (r.differences.empty()) continue;
      ++false_alarms;
      std::printf("false alarm: %s on %s, seed %d: %s\n", c.model, c.devices, seed,
                  r.differences.front().text().c_str());
    }
  std::printf("%d runs of unmutated programs, %d false alarms\n\n", runs, false_alarms);
  std::fflush(stdout);

  int failures = false_alarms;
  int all_found = 0, all_named = 0, all_live = 0;
  std::printf("%-20s %6s %6s %11s %6s %6s\n", "class", "places", "drawn", "equivalent", "found", "named");
  std::vector<Prepared> prepared;
  for (const Configuration& c : kConfigurations) prepared.push_back(prepare(c, 1));
  for (Mutation mutation : all_mutations()) {
    std::vector<std::pair<size_t, MutationSite>> places;
    for (size_t c = 0; c < prepared.size(); ++c)
      for (const MutationSite& s :
           mutation_sites(prepared[c].verification.program(), mutation, prepared[c].verification.devices()))
        places.emplace_back(c, s);
    int drawn = 0, equivalent = 0, found = 0, named_first = 0;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      PhiloxSequence random(seed, 1000 + static_cast<uint64_t>(mutation));
      for (int n = 0; n < each && !places.empty(); ++n) {
        const auto& [c, site] = places[random.below(places.size())];
        Prepared& p = prepared[c];
        const Verification& v = p.verification;
        const Mutant mutant = mutate(v.program(), mutation, site, v.devices());
        auto report = v.run(mutant.program, p.batches);
        ++drawn;
        const bool differs = !report || !report->differences.empty();
        if (!differs) {
          if (p.values.empty()) p.values = check(v.values(v.program(), p.batches));
          auto values = v.values(mutant.program, p.batches);
          if (values && *values == p.values) {
            ++equivalent;
            std::printf("  equivalent: %s on %s: %s\n", kConfigurations[c].model, kConfigurations[c].devices,
                        mutant.description.c_str());
          } else {
            std::printf("  NOT FOUND: %s on %s: %s\n", kConfigurations[c].model, kConfigurations[c].devices,
                        mutant.description.c_str());
          }
          continue;
        }
        ++found;
        if (!report || named(mutant, report->differences.front()))
          ++named_first;
        else
          std::printf("  named another: %s on %s: %s: %s\n", kConfigurations[c].model, kConfigurations[c].devices,
                      mutant.description.c_str(), report->differences.front().text().c_str());
      }
    }
    const int live = drawn - equivalent;
    all_live += live, all_found += found, all_named += named_first;
    failures += found != live;
    std::printf("%-20s %6zu %6d %11d %6d %6d\n", name_of(mutation), places.size(), drawn, equivalent, found,
                named_first);
    std::fflush(stdout);
  }
  std::printf("found %d of %d that differ, named %d (%.1f %%)\n", all_found, all_live, all_named,
              100.0 * all_named / std::max(1, all_found));
  return failures != 0;
}

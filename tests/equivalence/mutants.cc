#include "tests/equivalence/mutants.h"

#include "frontends/models/models.h"
#include "tests/equivalence/runs.h"

namespace cutset::testing {

std::vector<Batch> batches_of(const Configuration& c, uint64_t seed) {
  constexpr uint64_t kBatches = 3;
  std::vector<Batch> batches;
  for (uint64_t b = 0; b < kBatches; ++b) batches.push_back(noise(c.batch, seed, b));
  return batches;
}

Verification prepare(const Configuration& c, const std::vector<Batch>& batches, uint64_t seed) {
  Graph graph = models::find(c.model).build({c.batch, seed, {0.05, 0.9}});
  CompileOptions o;
  o.devices = c.devices, o.strategy = c.strategy, o.deterministic = c.deterministic, o.f64 = c.f64;
  return check(Verification::prepare(*graph.state(), o, batches));
}

MutantTrials::MutantTrials(const std::vector<Configuration>& configurations, uint64_t seed) {
  for (const Configuration& c : configurations) {
    if (!have(c.devices)) continue;
    auto batches = batches_of(c, seed);
    Verification verification = prepare(c, batches, seed);
    prepared_.push_back({c, std::move(verification), std::move(batches), ""});
  }
}

std::vector<std::pair<size_t, MutationSite>> MutantTrials::sites(Mutation mutation) const {
  std::vector<std::pair<size_t, MutationSite>> places;
  for (size_t c = 0; c < prepared_.size(); ++c) {
    const Verification& v = prepared_[c].verification;
    for (const MutationSite& s : mutation_sites(v.program(), mutation, v.devices())) places.emplace_back(c, s);
  }
  return places;
}

size_t MutantTrials::places(Mutation mutation) const { return sites(mutation).size(); }

MutantTrials::Verdict MutantTrials::draw(Mutation mutation, PhiloxSequence& random, std::string* says) {
  const auto places = sites(mutation);
  const auto& [c, site] = places[random.below(places.size())];
  Prepared& p = prepared_[c];
  const Verification& v = p.verification;
  const Mutant mutant = mutate(v.program(), mutation, site, v.devices());
  *says = p.configuration.model + " on " + p.configuration.devices + ": " + mutant.description;
  const auto report = v.run(mutant.program, p.batches);
  if (!report) {
    const std::string text = report.error().text();
    *says += ": " + text;
    const bool named =
        text.find("'" + mutant.op + "'") != std::string::npos && text.find(mutant.device) != std::string::npos;
    return named ? Verdict::kNamed : Verdict::kFound;
  }
  if (!report->differences.empty()) {
    *says += ": " + report->differences.front().text();
    return names(report->differences.front(), mutant) ? Verdict::kNamed : Verdict::kFound;
  }
  if (p.values.empty()) p.values = check(v.values(v.program(), p.batches));
  const auto values = v.values(mutant.program, p.batches);
  return values && *values == p.values ? Verdict::kEquivalent : Verdict::kMissed;
}

}  // namespace cutset::testing

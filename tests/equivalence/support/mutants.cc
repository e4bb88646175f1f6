// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/mutants.h"

#include "frontends/models/models.h"
#include "runtime/program/check/check_program.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {

std::vector<Batch> batches_of(const Configuration& c, uint64_t seed) {
  constexpr uint64_t kBatches = 3;
  std::vector<Batch> batches;
  for (uint64_t b = 0; b < kBatches; ++b) batches.push_back(noise(c.batch, seed, b));
  return batches;
}

namespace {

// Returns a graph with properties that the built-in models do not have: a variable that the first and the
// last layer use, random factors, and slices. The layers between the two uses are the largest layers, so a
// pipeline has the uses on two stages.
Graph shared(const models::Settings& s) {
  Graph g(s.seed);
  Tensor x = flatten(g.input("image", f32, {s.batch, 1, 28, 28})), y = g.input("label", i32, {s.batch});
  Tensor w = g.variable("w", f32, {12, 12}, Initializer::uniform(-0.5, 0.5));
  Tensor h = tanh(matmul(tanh(nn::dense("a", x, 12)), w));
  Tensor drawn = random_uniform(h, g.step(), {.seed = 5});
  h = tanh(nn::dense("b", h * (0.5 + drawn), 600));
  h = ops::slice(h, {.axis = 1, .start = 0, .length = 300}) +
      ops::slice(h, {.axis = 1, .start = 300, .length = 300});
  h = matmul(nn::dense("c", h, 12), w);
  g.minimize(mean(softmax_cross_entropy(ops::slice(h, {.axis = 1, .start = 1, .length = 10}), y)),
             s.optimizer);
  return g;
}

}  // namespace

Verification prepare(const Configuration& c, const std::vector<Batch>& batches, uint64_t seed) {
  const models::Settings settings{c.batch, seed, {0.05, 0.9}};
  Graph graph = c.model == "shared" ? shared(settings) : models::find(c.model).build(settings);
  CompileOptions o;
  o.devices = c.devices;
  o.strategy = c.strategy;
  o.deterministic = c.deterministic;
  o.f64 = c.f64;
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

const std::vector<std::pair<size_t, MutationSite>>& MutantTrials::sites(Mutation mutation) {
  const auto [known, first] = sites_.try_emplace(mutation);
  auto& places = known->second;
  if (!first) return places;
  for (size_t c = 0; c < prepared_.size(); ++c) {
    const Verification& v = prepared_[c].verification;
    for (const MutationSite& s : mutation_sites(v.program(), mutation, v.devices()))
      places.emplace_back(c, s);
  }
  return places;
}

size_t MutantTrials::places(Mutation mutation) { return sites(mutation).size(); }

MutantTrials::Verdict MutantTrials::draw(Mutation mutation, PhiloxSequence& random, std::string* says) {
  const auto& places = sites(mutation);
  const auto& [c, site] = places[random.below(places.size())];
  Prepared& p = prepared_[c];
  const Verification& v = p.verification;
  const Mutant mutant = mutate(v.program(), mutation, site, v.devices());
  *says = p.configuration.model + " on " + p.configuration.devices + ": " + mutant.description;
  const auto report = v.run(mutant.program, p.batches);
  Verdict verdict = Verdict::kMissed;
  if (!report) {
    const std::string text = report.error().text();
    *says += ": " + text;
    verdict = names(text, mutant) ? Verdict::kNamed : Verdict::kFound;
  } else if (!report->differences.empty()) {
    *says += ": " + report->differences.front().text();
    // If the program hangs, all queues that wait are differences, and the mutated queue is one of them.
    const size_t reported = report->stuck ? report->differences.size() : 1;
    const bool named = std::any_of(report->differences.begin(),
                                   report->differences.begin() + static_cast<ptrdiff_t>(reported),
                                   [&](const Difference& d) { return names(d, mutant); });
    verdict = named ? Verdict::kNamed : Verdict::kFound;
  }
  if (verdict == Verdict::kNamed) return verdict;
  // Verification overwrites results with the results of the reference, so it cannot see memory that is used
  // again too early.
  if (const Status status = check_program(mutant.program); !status.ok()) {
    *says += ": " + status.error().what;
    return names(status.error().what, mutant) ? Verdict::kRefused : Verdict::kFound;
  }
  if (verdict == Verdict::kFound) return verdict;
  if (p.values.empty()) p.values = check(v.values(v.program(), p.batches));
  const auto values = v.values(mutant.program, p.batches);
  return values && *values == p.values ? Verdict::kEquivalent : Verdict::kMissed;
}

}  // namespace cutset::testing

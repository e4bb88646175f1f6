// SPDX-License-Identifier: Apache-2.0
// Draws mutants (programs with one deliberate error) and checks whether `verify`, or else a check of programs
// (runtime/program/check/check_program.h), finds the error and names its place.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "frontends/cpp/inspect/verification.h"

namespace cutset::testing {

struct Configuration {
  std::string model, devices, strategy;  // `model` is a model of frontends/models, or "shared" (mutants.cc)
  int64_t batch = 8;
  bool deterministic = false, f64 = false;
};

class MutantTrials {
 public:
  enum class Verdict {
    kEquivalent,  // the mutant gives the same results: all values of three steps are bitwise equal
    kMissed,      // `verify` found no difference
    kNamed,       // the first difference is at a place where the mutation may show first (Mutant)
    kFound,       // the first difference is at another place, and no check names the right place
    kRefused,     // a check of programs refuses the mutant and names its place (names)
  };

  // Uses the configurations whose devices are available. The initial values and the batches are drawn with
  // `seed`.
  MutantTrials(const std::vector<Configuration>& configurations, uint64_t seed);

  // Returns the number of sites of the mutation in all configurations.
  size_t places(Mutation mutation);
  // Makes and verifies one mutant at a site that is drawn with `random`. If the mutant cannot run, its error
  // counts as the difference, which must name the mutated op and its device. Sets `says` to one line about
  // the result.
  Verdict draw(Mutation mutation, PhiloxSequence& random, std::string* says);

 private:
  struct Prepared {
    Configuration configuration;
    Verification verification;
    std::vector<Batch> batches;
    std::string values;  // all values of the program without a mutation; empty until they are needed
  };
  // Returns the sites with the indices of their configurations.
  const std::vector<std::pair<size_t, MutationSite>>& sites(Mutation mutation);

  std::vector<Prepared> prepared_;
  std::map<Mutation, std::vector<std::pair<size_t, MutationSite>>> sites_;  // the sites needed so far
};

// Compiles the configuration's model for verification with the batches; `seed` draws the initial values.
Verification prepare(const Configuration& configuration, const std::vector<Batch>& batches, uint64_t seed);
// Returns three random batches for the configuration's model.
std::vector<Batch> batches_of(const Configuration& configuration, uint64_t seed);

}  // namespace cutset::testing

// Programs made wrong on purpose, and what `verify` says of them.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "frontends/cpp/verification.h"

namespace cutset::testing {

struct Configuration {
  std::string model, devices, strategy;  // a model of ours
  int64_t batch = 8;
  bool deterministic = false, f64 = false;
};

class MutantTrials {
 public:
  enum class Verdict { kEquivalent, kMissed, kNamed, kFound };  // kFound: but another instruction was named

  // Of the configurations whose devices are here, with first values and batches drawn by the seed.
  MutantTrials(const std::vector<Configuration>& configurations, uint64_t seed);

  size_t places(Mutation mutation) const;
  // One mutant at a place drawn by `random`. Equivalent: all values of three steps are those of the sound program to
  // the bit. A mutant that cannot run is found, and named where the error names the mutated op and its device.
  // `says` is a line about it.
  Verdict draw(Mutation mutation, PhiloxSequence& random, std::string* says);

 private:
  struct Prepared {
    Configuration configuration;
    Verification verification;
    std::vector<Batch> batches;
    std::string values;  // of the sound program, once they are wanted
  };
  std::vector<std::pair<size_t, MutationSite>> sites(Mutation mutation) const;

  std::vector<Prepared> prepared_;
};

Verification prepare(const Configuration& configuration, const std::vector<Batch>& batches, uint64_t seed);
std::vector<Batch> batches_of(const Configuration& configuration, uint64_t seed);

}  // namespace cutset::testing

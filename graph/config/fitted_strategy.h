// SPDX-License-Identifier: Apache-2.0
// A strategy (graph/config/strategy.h) that fits a number of devices. The passes read it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "graph/config/strategy.h"
#include "ir/core/result.h"

namespace cutset {

// A term whose numbers have been checked. The chunks of a pipeline are at least 1, and `recompute` is in
// ascending order. A pipeline of one device has one stage, which is not recomputed, and the default schedule.
using StrategyTerm = std::variant<Data, Pipeline, Model, TensorParallel, OneDevice>;

// A strategy that fits the devices of a program.
struct FittedStrategy {
  // At most one term of each type, in the order of StrategyTerm.
  std::vector<StrategyTerm> terms = {OneDevice{}};

  // Returns the term of type `Term`, or null if the strategy has none.
  template <class Term>
  const Term* find() const {
    for (const StrategyTerm& term : terms)
      if (const Term* found = std::get_if<Term>(&term)) return found;
    return nullptr;
  }
  int64_t replicas() const { return find<Data>() ? find<Data>()->replicas : 1; }
  int64_t micro_batches() const { return find<Pipeline>() ? find<Pipeline>()->micro_batches : 1; }
  int64_t tensor_devices() const { return find<TensorParallel>() ? find<TensorParallel>()->devices : 1; }
  // Returns the number of copies of an op of the graph: one per replica and device of its tensor axis.
  int64_t copies() const { return replicas() * tensor_devices(); }
  // Whether the graph of a replica is split over several devices.
  bool splits_graph() const { return find<Model>() || (find<Pipeline>() && find<Pipeline>()->devices > 1); }
  // Returns the number of stages of each device.
  int64_t chunks() const { return find<Pipeline>() ? find<Pipeline>()->chunks : 1; }
  // Sets the shares of the term Data, if there is one.
  void set_shares(const std::vector<double>& shares);
  // Returns the strategy as text. fit_strategy reads the same strategy from it.
  std::string text() const;
  bool operator==(const FittedStrategy&) const = default;
};

// Fits the strategy of a user to `devices` devices. A strategy without terms becomes one_device for one
// device, and model for several devices. Fails with a hint if `strategy` has no meaning, if it names a
// strategy that does not exist yet, or if it does not fit the number of devices.
Result<FittedStrategy> fit_strategy(const Strategy& strategy, size_t devices);

// Whether the stage computes its activations again for the backward pass.
inline bool recomputes(const Pipeline& pipeline, int64_t stage) {
  return std::binary_search(pipeline.recompute.begin(), pipeline.recompute.end(), stage);
}

}  // namespace cutset

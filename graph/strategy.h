// A strategy says how a program is distributed over its devices. It is a product of terms, such as
// `data(2, shares=5:2) * model`.
//
// The file is in graph/ because a strategy is plain data: it needs no MLIR, and both the frontends and the passes read
// it.
//
// A new strategy is a new term: a struct, an alternative of StrategyTerm, and functions in strategy.cc that parse and
// print it (docs/howto/add-strategy.md).
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// Data parallelism: `replicas` copies of the graph run on consecutive groups of devices. All groups have the same
// number of devices. Each replica computes its share of every batch.
struct Data {
  // What is divided over the replicas instead of being kept whole by each of them. The names and levels are those of
  // ZeRO (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", SC 2020, section
  // 5).
  enum class Shard {
    kNothing,
    kOptimizer,   // between steps, each replica holds a piece of each variable and of its optimizer state
    kGradients,   // and each replica receives only its piece of the sum of the gradients
    kParameters,  // and a variable of two or more dimensions is whole only while an op that reads it runs
  };
  int64_t replicas = 2;
  std::vector<double> shares;  // one per replica, in any unit; empty: proportional to the speed of the devices
  Shard shard = Shard::kNothing;
  bool operator==(const Data&) const = default;
};
// Pipelining: every batch is divided into micro-batches, whose sizes differ by at most one sample. They are computed
// one after the other, and their gradients are summed before the variables are updated once. The graph is split over
// the stages, which work on different micro-batches at the same time. Each device has `chunks` stages: stage s is at
// position s mod `devices` of the pipeline (graph/device_grid.h). One device is gradient accumulation.
struct Pipeline {
  int64_t devices = 1;
  int64_t micro_batches = 1;
  std::string schedule = "1f1b";  // the name of a generator (graph/schedule/generators.h); one device needs none
  int64_t chunks = 1;             // a number that the schedule takes; 1 on one device
  // The stages whose activations are computed again for the backward pass, in ascending order; none on one device.
  std::vector<int64_t> recompute = {};
  int64_t stages() const { return devices * chunks; }
  bool recomputes(int64_t stage) const { return std::binary_search(recompute.begin(), recompute.end(), stage); }
  bool operator==(const Pipeline&) const = default;
};
// Model parallelism: the graph is split over the devices of its replica.
struct Model {
  bool operator==(const Model&) const = default;
};
// Tensor parallelism: `devices` devices compute pieces of the same ops. The compiler chooses which variables are
// divided, and along which dimensions. If the graph of a replica is split, each of its parts runs on this number of
// devices (graph/device_grid.h has their order).
struct TensorParallel {
  int64_t devices = 2;
  bool operator==(const TensorParallel&) const = default;
};
// The whole graph runs on the only device. This term cannot be combined with another one.
struct OneDevice {
  bool operator==(const OneDevice&) const = default;
};
using StrategyTerm = std::variant<Data, Pipeline, Model, TensorParallel, OneDevice>;

struct Strategy {
  std::vector<StrategyTerm> terms = {OneDevice{}};  // at most one of each type, in the order of StrategyTerm

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
  // The number of copies of an op of the graph: one per replica and device of its tensor axis.
  int64_t copies() const { return replicas() * tensor_devices(); }
  // Whether the graph of a replica is split over several devices.
  bool splits_graph() const { return find<Model>() || (find<Pipeline>() && find<Pipeline>()->devices > 1); }
  // The number of stages of each device.
  int64_t chunks() const { return find<Pipeline>() ? find<Pipeline>()->chunks : 1; }
  // Sets the shares of the term Data, if there is one.
  void set_shares(const std::vector<double>& shares);
  // The strategy as text. parse_strategy reads the same strategy from it.
  std::string text() const;
  bool operator==(const Strategy&) const = default;
};

// Parses the strategy that a user wrote for `devices` devices. An empty text means one_device for one device, and model
// for several. Fails with a hint if the text is not a strategy, if it names a strategy that does not exist yet, or if
// it does not fit the number of devices.
Result<Strategy> parse_strategy(const std::string& text, size_t devices);

// Divides `total` into whole numbers in proportion to `shares`, by the method of largest remainders (Hamilton's
// method). Of equal remainders, the first share is rounded up. The shares must not be negative, and their sum must be
// positive. Complexity: O(n^2) for n shares. Failure: none.
std::vector<int64_t> apportion(int64_t total, const std::vector<double>& shares);

}  // namespace cutset

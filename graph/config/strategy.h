// SPDX-License-Identifier: Apache-2.0
// A strategy says how a program is distributed over its devices. It is a product of terms, written as values
// or as a text. The order of the factors does not matter:
//
//   Data{.replicas = 2, .shares = {5, 2}} * Model{}
//   "data(2, shares=5:2) * model"
//
// <cutset/strategy.h> makes this file public. The file is in graph/ because a strategy is plain data: it
// needs no MLIR, and both the frontends and the passes read it.
//
// A new strategy is a new term: a struct here, and functions that print and parse it
// (docs/howto/add-strategy.md).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace cutset {

// Data parallelism: `replicas` copies of the graph run on consecutive groups of devices. All groups have the
// same number of devices. Each replica computes its share of every batch. As text: data(2, shares=5:2,
// shard=optimizer).
struct Data {
  // The data that the replicas divide among themselves, so that no replica keeps all of it. The names and
  // levels come from ZeRO (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
  // Models", SC 2020, section 5).
  enum class Shard {
    kNothing,
    kOptimizer,   // between steps, each replica holds a piece of each variable and of its optimizer state
    kGradients,   // and each replica receives only its piece of the sum of the gradients
    kParameters,  // and a variable of two or more dimensions is whole only while an op that reads it runs
  };
  int64_t replicas = 2;  // from 1 to 9999
  std::vector<double> shares =
      {};  // one per replica, in any unit; empty: proportional to the speed of the devices
  Shard shard = Shard::kNothing;
  bool operator==(const Data&) const = default;
};
// Pipelining: every batch is divided into micro-batches, whose sizes differ by at most one sample. They are
// computed one after the other, and their gradients are summed before the variables are updated once. The
// graph is split over the stages, which work on different micro-batches at the same time. Each device has
// `chunks` stages: stage s is at position s mod `devices` of the pipeline. One device is gradient
// accumulation; it has one stage and needs no schedule. As text: pipeline(2, micro_batches=4,
// schedule=interleaved, chunks=2, recompute=0:3).
struct Pipeline {
  int64_t devices = 1;            // from 1 to 9999
  int64_t micro_batches = 1;      // from 1 to 4096
  std::string schedule = "1f1b";  // "1f1b", "gpipe", "interleaved" or "zb-h1" (docs/schedules.md)
  int64_t chunks = 0;  // a number from 1 to 64 that the schedule accepts; 0: the least number that it accepts
  // The stages whose activations are computed again for the backward pass, each once.
  std::vector<int64_t> recompute = {};
  bool operator==(const Pipeline&) const = default;
};
// Model parallelism: the graph is split over the devices of its replica. As text: model.
struct Model {
  bool operator==(const Model&) const = default;
};
// Tensor parallelism: `devices` devices compute pieces of the same ops. The compiler chooses which variables
// are divided, and along which dimensions. If the graph of a replica is split, each of its parts runs on this
// number of devices. As text: tensor(2).
struct TensorParallel {
  int64_t devices = 2;  // from 1 to 9999
  bool operator==(const TensorParallel&) const = default;
};
// The whole graph runs on the only device. This term cannot be combined with other terms. As text:
// one_device.
struct OneDevice {
  bool operator==(const OneDevice&) const = default;
};

// A product of terms. Any text or value can be stored. compile() refuses a strategy that has no meaning or
// does not fit the devices. The error is the same for a text and for a value. A strategy without terms means
// Model for several devices, and OneDevice for one.
class Strategy {
 public:
  // Makes a strategy without terms.
  Strategy() = default;
  // Makes a strategy from its text: "data(2) * model". A null pointer is an empty text.
  Strategy(const char* text) : text_(text ? text : "") {}
  Strategy(std::string text) : text_(std::move(text)) {}
  Strategy(std::nullptr_t) = delete;  // so that the number 0 cannot be a strategy
  // Makes a strategy of one term.
  Strategy(const Data& term);
  Strategy(const Pipeline& term);
  Strategy(const Model& term);
  Strategy(const TensorParallel& term);
  Strategy(const OneDevice& term);

  // Returns the strategy as text, which compile() reads: as it was given, or "data(2, shares=5:2) * model"
  // for values. Terms are in the order in which they are given.
  const std::string& text() const { return text_; }
  // Whether both have the same text().
  bool operator==(const Strategy&) const = default;

 private:
  std::string text_;
};
// Returns the product of the terms of both.
Strategy operator*(const Strategy& x, const Strategy& y);

}  // namespace cutset

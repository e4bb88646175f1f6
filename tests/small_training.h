// SPDX-License-Identifier: Apache-2.0
// A small network and its samples, for tests of training.
#pragma once
#include <cutset/cutset.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace cutset::testing {

inline constexpr int64_t kSmallBatch = 4, kSmallClasses = 3;

// Returns a network of two layers, whose "evaluate" returns "loss" and "correct".
inline Graph small_network(uint64_t seed = 3) {
  Graph g(seed);
  const Tensor x = g.input("x", f32, {kSmallBatch, 2}), label = g.input("label", i32, {kSmallBatch});
  const Tensor logits = nn::dense("out", tanh(nn::dense("hidden", x, 5)), kSmallClasses);
  const Tensor loss = mean(softmax_cross_entropy(logits, label));
  g.minimize(loss, {.learning_rate = 0.2, .momentum = 0.9});
  const Tensor correct = sum(cast(equal(argmax(logits), cast(label, {.dtype = i64})), {.dtype = f32}));
  g.function("evaluate", {x, label}, {{"loss", loss}, {"correct", correct}});
  return g;
}

// Returns a session of this network on one device.
inline Session small_session() { return compile(small_network(), {.devices = "reference:0"}); }

// Receives the notes of a run, and prints nothing.
inline void quiet(const std::string&) {}

// Returns `size` points of the plane, whose labels depend on their position. `first` is the number of the
// first point.
inline data::Dataset small_samples(int64_t size, int64_t first = 0) {
  return data::from_function(size, [first](int64_t i) {
    const auto n = static_cast<double>(i + first);
    const double a = std::sin(1 + 7 * n), b = std::cos(2 + 5 * n);
    Batch sample;
    sample.emplace("x", HostTensor({2}, {static_cast<float>(a), static_cast<float>(b)}));
    sample.emplace("label", HostTensor::scalar(static_cast<int32_t>(a > 0.3 ? 0 : a > b ? 1 : 2)));
    return sample;
  });
}

// Returns all variables of a session, by name.
inline std::map<std::string, HostTensor> variables_of(const Session& session) {
  std::map<std::string, HostTensor> all;
  for (const std::string& name : session.variables()) all.emplace(name, session.variable(name));
  return all;
}

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
#include "tests/equivalence/support/runs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "frontends/models/models.h"
#include "ir/core/philox.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {

Batch noise(int64_t batch, uint64_t seed, uint64_t step) {
  PhiloxSequence random(seed, 1000 + step);
  Batch b;
  HostTensor image({f32, {batch, 1, 28, 28}}), label({i32, {batch}});
  for (int64_t i = 0; i < image.type().elements(); ++i)
    image.as<float>()[i] = static_cast<float>(random.unit());
  for (int64_t i = 0; i < batch; ++i) label.as<int32_t>()[i] = static_cast<int32_t>(random.below(10));
  b.emplace("image", std::move(image));
  b.emplace("label", std::move(label));
  return b;
}

TrainingRun run(const RunOptions& o) {
  Graph graph = models::find(o.model).build({o.batch, o.seed, {0.01, 0.9}});
  CompileOptions c;
  c.devices = o.devices;
  c.strategy = o.strategy;
  c.threads = o.threads;
  c.simulation_seed = o.simulation_seed;
  c.f64 = o.f64;
  c.gradients = o.gradients;
  c.deterministic = o.deterministic;
  Session session = compile(graph, c);
  TrainingRun r;
  for (const std::string& v : session.variables()) r.before.emplace(v, session.variable(v));
  std::optional<data::Dataset::Iterator> images;
  if (o.real) images = data::fashion_mnist("train").shuffle(o.seed).batch(o.batch).begin();
  for (int step = 0; step < o.steps; ++step) {
    if (images && step > 0) ++*images;
    auto out = session.train(images ? **images : noise(o.batch, o.seed, static_cast<uint64_t>(step)));
    r.loss.push_back(out["loss"].item<double>());
    if (step == 0)
      for (auto& [name, value] : out)
        if (name.rfind("gradient:", 0) == 0) r.gradients.emplace(name.substr(9), value);
  }
  for (const std::string& v : session.variables()) r.after.emplace(v, session.variable(v));
  return r;
}

double difference(const HostTensor& a, const HostTensor& b) {
  return change_difference(a, b, HostTensor(b.type()));
}

double loss_difference(const std::vector<double>& got, const std::vector<double>& want, size_t steps) {
  Largest worst;
  for (size_t s = 0; s < std::min(steps, want.size()); ++s)
    worst.add(s < got.size() ? std::abs(got[s] - want[s]) / std::abs(want[s]) : HUGE_VAL);
  return want.empty() ? HUGE_VAL : worst.value();
}

double change_difference(const HostTensor& got, const HostTensor& want, const HostTensor& before) {
  if (got.type().shape != want.type().shape || before.type().shape != want.type().shape) return HUGE_VAL;
  Largest worst, change;
  for (int64_t i = 0, n = want.type().elements(); i < n; ++i) {
    worst.add(std::abs(got.at(i) - want.at(i)));
    change.add(std::abs(want.at(i) - before.at(i)));
  }
  if (worst.value() == 0) return 0;
  return std::isfinite(change.value()) ? worst.value() / std::max(change.value(), 1e-300) : HUGE_VAL;
}

bool have(const std::string& devices) {
  const auto kinds = kinds_here();
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');)
    if (std::find(kinds.begin(), kinds.end(), name.substr(0, name.find(':'))) == kinds.end()) return false;
  return true;
}

}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
#include <cutset/testing.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "frontends/cpp/inspect/training_loss.h"

namespace cutset::testing {
namespace {

// Builds a Verdict as a stream builds a text.
class Message {
 public:
  explicit Message(bool holds) : holds_(holds) {}
  template <class T>
  Message& operator<<(const T& value) {
    text_ << value;
    return *this;
  }
  operator Verdict() const { return {holds_, text_.str()}; }

 private:
  bool holds_;
  std::ostringstream text_;
};

}  // namespace

std::vector<std::string> backends() { return available_devices(); }

bool have_devices(const std::string& devices) {
  const auto here = backends();
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) {
    const std::string kind = name.substr(0, name.find(':'));
    if (std::none_of(here.begin(), here.end(),
                     [&](const std::string& d) { return d.substr(0, d.find(':')) == kind; }))
      return false;
  }
  return true;
}

Verdict same_on(const Graph& graph, const std::string& devices, const Strategy& strategy,
                std::vector<Batch> batches) {
  if (!have_devices(devices))
    return Message(false) << devices << " cannot be opened on this machine (see have_devices)";
  if (batches.empty())
    for (uint64_t seed = 1; seed <= 3; ++seed) batches.push_back(random_batch(graph, seed));
  try {
    CompileOptions options;
    options.devices = devices;
    options.strategy = strategy;
    options.on_note = [](const std::string&) {};  // a test does not need notes on what costs time
    const VerifyResult r = verify(graph, options, batches);
    if (r.same) return Message(true) << r.ops << " ops and " << r.edges << " edges are the same";
    return Message(false) << r.first << " (and " << r.differences.size() - 1 << " more)";
  } catch (const Error& e) {
    return Message(false) << e.what();
  }
}
Verdict bytes_sent(const Session& session, const std::string& from, const std::string& to, int64_t bytes) {
  std::string all;
  int64_t found = 0;
  for (const std::string& name : {from, to}) {
    const auto devices = session.memory();
    if (name != "host" && name != "all_reduce" &&
        std::none_of(devices.begin(), devices.end(), [&](const MemoryUse& d) { return d.device == name; }))
      return Message(false) << "the session has no device '" << name << "'";
  }
  for (const Transfer& t : session.transfers()) {
    if (t.from == from && t.to == to) found = t.bytes_per_step;
    all += "\n  " + t.from + " to " + t.to + ": " + std::to_string(t.bytes_per_step) + " bytes in " +
           std::to_string(t.tensors) + " tensors";
  }
  if (found == bytes) return Verdict{true, ""};
  return Message(false) << from << " to " << to << ": " << found << " bytes per step are sent, not " << bytes
                        << all;
}
Slope slope_is(double gradient, double bound, const std::function<double(double)>& loss_at,
               double* difference) {
  const double here = loss_at(0);
  double left = 0, right = 0, before = HUGE_VAL, apart = HUGE_VAL;
  bool usable = false;
  // The difference that the rounding of the loss can cause must be below the bound.
  const double rounding = 2 * std::numeric_limits<double>::epsilon() * std::abs(here);
  const double largest = rounding / 1e-5 <= bound ? 1e-5 : rounding / 1e-4 <= bound ? 1e-4 : 1e-3;
  for (const double step : {largest, largest / 10, largest / 100}) {
    if (rounding / step > bound) break;
    const double up = loss_at(step), down = loss_at(-step);
    usable = true;
    *difference = (up - down) / (2 * step);
    if (std::abs(*difference - gradient) <= bound) return Slope::kHolds;
    right = (up - here) / step;
    left = (here - down) / step;
    before = apart;
    apart = std::abs(right - left);
  }
  if (!usable) return Slope::kUnknown;
  if (!(apart > 2 * bound)) return Slope::kDiffers;
  if (std::abs(left - gradient) <= 2 * bound || std::abs(right - gradient) <= 2 * bound) return Slope::kKink;
  const bool between = gradient >= std::min(left, right) && gradient <= std::max(left, right);
  return apart > 0.5 * before && between ? Slope::kKink : Slope::kDiffers;
}

Verdict gradients_hold(const Graph& graph, Batch batch, int64_t samples) {
  if (batch.empty()) batch = random_batch(graph, 1);
  try {
    CompileOptions options;
    options.devices = "reference:0";
    options.f64 = true;
    options.gradients = true;
    Session session = compile(graph, options);
    std::map<std::string, HostTensor> before;
    for (const std::string& v : session.variables()) before.emplace(v, session.variable(v));
    TrainingLoss loss(graph, session, batch);
    const auto gradients = session.train(batch);
    const double trained = gradients.at("loss").at(0), copied = loss.value();
    if (!(std::abs(trained - copied) <= 1e-9 * std::max(1.0, std::abs(trained))))
      return Message(false)
             << "the loss of the training step is " << trained << ", and this check computes " << copied
             << " for the same variables, so its differences say nothing; please report this graph";
    int64_t compared = 0, kinks = 0, hidden = 0;  // hidden: by the rounding of the loss
    for (const auto& [name, gradient] : gradients) {
      if (name.rfind("gradient:", 0) != 0) continue;
      const std::string variable = name.substr(9);
      const HostTensor& value = before.at(variable);
      if (value.dtype() != f64)
        return Message(false)
               << "@" << variable << " is " << name_of(value.dtype())
               << ", whose numbers are too far apart for differences; build the graph in f32 for this check";
      double largest = 1e-12;
      const int64_t n = value.type().elements(),
                    stride = std::max<int64_t>(1, n / std::max<int64_t>(1, samples));
      for (int64_t i = 0; i < n; ++i)
        if (std::isfinite(gradient.at(i))) largest = std::max(largest, std::abs(gradient.at(i)));
      for (int64_t i = 0; i < n; i += stride) {
        auto loss_at = [&](double offset) {
          HostTensor moved = value;
          moved.as<double>()[i] += offset;
          loss.set_variable(variable, moved);
          return loss.value();
        };
        double difference = 0;
        const Slope slope = slope_is(gradient.at(i), 1e-5 * largest + 1e-8, loss_at, &difference);
        loss.set_variable(variable, value);
        if (slope == Slope::kDiffers)
          return Message(false) << "element " << i << " of the gradient of @" << variable << " is "
                                << gradient.at(i) << ", but finite differences give " << difference;
        ++(slope == Slope::kHolds ? compared : slope == Slope::kKink ? kinks : hidden);
      }
    }
    if (compared == 0)
      return Message(false) << "no element of a gradient was compared; " << kinks
                            << " elements lie at a kink of the loss, and " << hidden
                            << " are smaller than what the rounding of the loss, " << trained << ", hides";
    return Message(true) << compared << " elements were compared, " << kinks
                         << " lie at a kink, and the rounding of "
                         << "the loss hides " << hidden;
  } catch (const Error& e) {
    return Message(false) << e.what();
  }
}

}  // namespace cutset::testing

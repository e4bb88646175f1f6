// Graph-level tests with GoogleTest, for the graphs of users and for our own.
//
//   struct MyModel : cutset::testing::PerBackend {};
//   CUTSET_INSTANTIATE_PER_BACKEND(MyModel);                  // one instance a kind of device that is here
//   TEST_P(MyModel, IsTheSameAsOnOneDevice) {
//     EXPECT_SAME_ON(build(), device(), "");
//     EXPECT_SAME_ON(build(), device() + ",reference:1", "data(2, shares=2:1)");
//     EXPECT_GRADIENTS(build());
//   }
//
// Needs GoogleTest's headers; nothing of it is in the library.
#pragma once
#include <cutset/cutset.h>
#include <cutset/verify.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

namespace cutset::testing {

// "cpu:0", "opencl:0", ...: one device of each kind that can be opened here.
inline std::vector<std::string> backends() { return available_devices(); }
inline bool have_devices(const std::string& devices) {
  const auto here = backends();
  std::stringstream list(devices);
  for (std::string name; std::getline(list, name, ',');) {
    const std::string kind = name.substr(0, name.find(':'));
    if (std::none_of(here.begin(), here.end(), [&](const std::string& d) { return d.substr(0, d.find(':')) == kind; }))
      return false;
  }
  return true;
}

class PerBackend : public ::testing::TestWithParam<std::string> {
 protected:
  const std::string& device() const { return GetParam(); }
};
#define CUTSET_INSTANTIATE_PER_BACKEND(Suite)                                                   \
  INSTANTIATE_TEST_SUITE_P(Backends, Suite, ::testing::ValuesIn(::cutset::testing::backends()), \
                           [](const auto& info) { return info.param.substr(0, info.param.find(':')); })

// How random_batch draws. Labels are drawn below the number of their classes where the graph says it (see
// Graph::label_classes) or `classes` does, by the name of the input; other integers are 0 or 1.
struct RandomBatch {
  double low = -1, high = 1;  // floating-point inputs lie in [low, high)
  std::map<std::string, int64_t> classes;
};

// A value for each input of a graph, the same for the same seed.
inline Batch random_batch(const Graph& graph, uint64_t seed, const RandomBatch& options = {}) {
  Batch batch;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  auto next = [&] {  // splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014)
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  };
  auto classes = options.classes;
  classes.insert(graph.label_classes().begin(), graph.label_classes().end());
  for (const auto& [name, type] : graph.inputs()) {
    HostTensor t(type);
    const auto known = classes.find(name);
    const uint64_t range = known == classes.end() || known->second < 1 ? 2 : static_cast<uint64_t>(known->second);
    for (int64_t i = 0; i < type.elements(); ++i) {
      const uint64_t bits = next();
      const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
      t.set(i, is_float(type.dtype) ? options.low + (options.high - options.low) * unit
                                    : static_cast<double>((bits >> 32) % range));
    }
    batch.emplace(name, std::move(t));
  }
  return batch;
}

// Success where every op, transfer and sum of the partitioned program gives what one device does, over the
// given batches, or over three random ones where none is given.
inline ::testing::AssertionResult same_on(const Graph& graph, const std::string& devices, const std::string& strategy,
                                          std::vector<Batch> batches = {}) {
  if (!have_devices(devices)) return ::testing::AssertionFailure() << devices << " is not here (see have_devices)";
  if (batches.empty())
    for (uint64_t seed = 1; seed <= 3; ++seed) batches.push_back(random_batch(graph, seed));
  try {
    CompileOptions options;
    options.devices = devices, options.strategy = strategy;
    const VerifyResult r = verify(graph, options, batches);
    if (r.same) return ::testing::AssertionSuccess() << r.ops << " ops and " << r.edges << " edges are the same";
    return ::testing::AssertionFailure() << r.first << " (and " << r.differences.size() - 1 << " more)";
  } catch (const Error& e) {
    return ::testing::AssertionFailure() << e.what();
  }
}
#define EXPECT_SAME_ON(...) EXPECT_TRUE(::cutset::testing::same_on(__VA_ARGS__))

// Success where a training step sends exactly `bytes` from one device of the session to another; "host" and
// "all_reduce", the sums over replicas, count as devices.
inline ::testing::AssertionResult cut_is(const Session& session, const std::string& from, const std::string& to,
                                         int64_t bytes) {
  std::string all;
  int64_t found = 0;
  for (const std::string& name : {from, to}) {
    const auto devices = session.memory();
    if (name != "host" && name != "all_reduce" &&
        std::none_of(devices.begin(), devices.end(), [&](const MemoryUse& d) { return d.device == name; }))
      return ::testing::AssertionFailure() << "the session has no device '" << name << "'";
  }
  for (const Transfer& t : session.transfers()) {
    if (t.from == from && t.to == to) found = t.bytes_per_step;
    all += "\n  " + t.from + " to " + t.to + ": " + std::to_string(t.bytes_per_step) + " bytes in " +
           std::to_string(t.tensors) + " tensors";
  }
  if (found == bytes) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << from << " to " << to << " are " << found << " bytes a step, not " << bytes
                                       << all;
}
#define EXPECT_CUT(session, from, to, bytes) EXPECT_TRUE(::cutset::testing::cut_is(session, from, to, bytes))

// What differences of a loss say about one element of a gradient.
enum class Slope { kHolds, kDiffers, kKink };

// Compares `gradient` with differences of `loss_at(offset)`, the loss with one element moved. A step that
// crosses a kink (of a relu, say) gives the slope of neither side, so smaller steps are tried. Where the
// smallest crosses one too, the slopes of the two sides stay apart; those of a smooth loss come together in
// proportion to the step. There the gradient may be the slope of one side, or lie between the two of a kink that
// is at the element itself. `difference` is what was found last.
template <class Loss>
Slope slope_is(double gradient, double bound, const Loss& loss_at, double* difference) {
  const double here = loss_at(0);
  double left = 0, right = 0, before = HUGE_VAL, apart = HUGE_VAL;
  for (const double step : {1e-5, 1e-6, 1e-7}) {
    const double up = loss_at(step), down = loss_at(-step);
    *difference = (up - down) / (2 * step);
    if (std::abs(*difference - gradient) <= bound) return Slope::kHolds;
    right = (up - here) / step, left = (here - down) / step;
    before = apart, apart = std::abs(right - left);
  }
  if (!(apart > 2 * bound)) return Slope::kDiffers;
  if (std::abs(left - gradient) <= 2 * bound || std::abs(right - gradient) <= 2 * bound) return Slope::kKink;
  const bool between = gradient >= std::min(left, right) && gradient <= std::max(left, right);
  return apart > 0.5 * before && between ? Slope::kKink : Slope::kDiffers;
}

// Success where the gradient of "loss" by each variable is what f64 differences say, at up to `samples`
// elements of each: within 1e-5 of the largest. Elements that lie at a kink of the loss, where there is no
// gradient, are left out; a graph of which nothing could be compared fails.
inline ::testing::AssertionResult gradients_hold(const Graph& graph, Batch batch = {}, int64_t samples = 12) {
  if (batch.empty()) batch = random_batch(graph, 1);
  try {
    CompileOptions options;
    options.devices = "reference:0", options.f64 = true, options.gradients = true;
    Session session = compile(graph, options);
    std::map<std::string, HostTensor> before;
    for (const std::string& v : session.variables()) before.emplace(v, session.variable(v));
    const auto gradients = session.run("train", batch);
    for (const auto& [name, value] : before) session.set_variable(name, value);
    int64_t compared = 0, kinks = 0;
    for (const auto& [name, gradient] : gradients) {
      if (name.rfind("gradient:", 0) != 0) continue;
      const std::string variable = name.substr(9);
      const HostTensor& value = before.at(variable);
      double largest = 1e-12;
      const int64_t n = value.type().elements(), stride = std::max<int64_t>(1, n / std::max<int64_t>(1, samples));
      for (int64_t i = 0; i < n; ++i)
        if (std::isfinite(gradient.at(i))) largest = std::max(largest, std::abs(gradient.at(i)));
      for (int64_t i = 0; i < n; i += stride) {
        auto loss_at = [&](double offset) {
          HostTensor moved = value;
          moved.as<double>()[i] += offset;
          session.set_variable(variable, moved);
          return session.run("evaluate", batch).at("loss").at(0);
        };
        double difference = 0;
        const Slope slope = slope_is(gradient.at(i), 1e-5 * largest + 1e-8, loss_at, &difference);
        session.set_variable(variable, value);
        if (slope == Slope::kDiffers)
          return ::testing::AssertionFailure() << "element " << i << " of the gradient of @" << variable << " is "
                                               << gradient.at(i) << ", differences say " << difference;
        ++(slope == Slope::kHolds ? compared : kinks);
      }
    }
    if (compared == 0)
      return ::testing::AssertionFailure()
             << "no element of a gradient was compared; " << kinks << " elements lie at a kink of the loss";
    return ::testing::AssertionSuccess() << compared << " elements were compared, " << kinks << " lie at a kink";
  } catch (const Error& e) {
    return ::testing::AssertionFailure() << e.what();
  }
}
#define EXPECT_GRADIENTS(...) EXPECT_TRUE(::cutset::testing::gradients_hold(__VA_ARGS__))

}  // namespace cutset::testing

// Graph-level tests with GoogleTest, for the graphs of users and for our own.
//
//   struct MyModel : cutset::testing::PerBackend {};
//   CUTSET_INSTANTIATE_PER_BACKEND(MyModel);                  // one instance a kind of device that is here
//   TEST_P(MyModel, IsTheSameAsOnOneDevice) {
//     EXPECT_SAME_ON(build(), device(), "");
//     EXPECT_SAME_ON(build(), device() + ",reference:0", "data(2, shares=2:1)");
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

// A value for each input of a graph: numbers in [-1, 1) for floating-point types, 0 and 1 for others.
inline Batch random_batch(const Graph& graph, uint64_t seed) {
  Batch batch;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  auto next = [&] {  // splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014)
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u, z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  };
  for (const auto& [name, type] : graph.inputs()) {
    HostTensor t(type);
    for (int64_t i = 0; i < type.elements(); ++i) {
      const uint64_t bits = next();
      const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
      (void)dispatch_all(type.dtype, [&]<class T>(T) {
        t.as<T>()[i] = is_float(type.dtype) ? static_cast<T>(2 * unit - 1) : static_cast<T>(bits & 1);
      });
    }
    batch.emplace(name, std::move(t));
  }
  return batch;
}

// Success where every op, transfer and sum of the partitioned program gives what one device does, over three
// batches (random ones unless given).
inline ::testing::AssertionResult same_on(const Graph& graph, const std::string& devices, const std::string& strategy,
                                          std::vector<Batch> batches = {}) {
  if (!have_devices(devices)) return ::testing::AssertionFailure() << devices << " is not here (see have_devices)";
  for (uint64_t seed = 1; batches.size() < 3; ++seed) batches.push_back(random_batch(graph, seed));
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

// Success where a training step sends exactly `bytes` from one device to another ("host" is one).
inline ::testing::AssertionResult cut_is(const Session& session, const std::string& from, const std::string& to,
                                         int64_t bytes) {
  std::string all;
  int64_t found = 0;
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

// Success where the gradient of "loss" by each variable is what f64 differences say, at up to `samples`
// elements of each: within 1e-5 of the largest.
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
    for (const auto& [name, gradient] : gradients) {
      if (name.rfind("gradient:", 0) != 0) continue;
      const std::string variable = name.substr(9);
      const HostTensor& value = before.at(variable);
      double largest = 1e-12;
      const int64_t n = value.type().elements(), stride = std::max<int64_t>(1, n / samples);
      for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::abs(gradient.at(i)));
      for (int64_t i = 0; i < n; i += stride) {
        constexpr double kStep = 1e-5;
        double loss[2];
        for (int side : {0, 1}) {
          HostTensor moved = value;
          moved.as<double>()[i] += side ? kStep : -kStep;
          session.set_variable(variable, moved);
          loss[side] = session.run("evaluate", batch)["loss"].item<double>();
        }
        session.set_variable(variable, value);
        const double difference = (loss[1] - loss[0]) / (2 * kStep);
        if (std::abs(difference - gradient.at(i)) > 1e-5 * largest + 1e-8)
          return ::testing::AssertionFailure() << "element " << i << " of the gradient of @" << variable << " is "
                                               << gradient.at(i) << ", differences say " << difference;
      }
    }
    return ::testing::AssertionSuccess();
  } catch (const Error& e) {
    return ::testing::AssertionFailure() << e.what();
  }
}
#define EXPECT_GRADIENTS(...) EXPECT_TRUE(::cutset::testing::gradients_hold(__VA_ARGS__))

}  // namespace cutset::testing

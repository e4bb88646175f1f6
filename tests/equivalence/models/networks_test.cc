// SPDX-License-Identifier: Apache-2.0
// Trains the networks of examples/networks.h under strategies and on one device, in f64, and compares the
// results.
#include "examples/networks.h"

#include <cutset/random_batch.h>
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "tests/errors.h"
#include "tests/small_training.h"

namespace cutset::testing {
namespace {

struct Network {
  const char* name;
  Graph (*make)();
};
constexpr Network kNetworks[] = {{"unet", networks::unet},
                                 {"transformer", networks::transformer},
                                 {"vae", networks::vae},
                                 {"towers", networks::towers},
                                 {"gan", networks::gan}};

// Returns the functions that make steps.
std::vector<std::string> training_functions(const Session& session) {
  std::vector<std::string> names = session.functions();
  std::erase_if(names, [](const std::string& name) { return !name.starts_with("train"); });
  return names;
}

// The losses of three steps of each function that trains, and the variables after them.
struct Trained {
  std::vector<double> losses;
  std::map<std::string, HostTensor> variables;
};
Trained train(const Graph& graph, const char* devices, const char* strategy) {
  Session session = compile(graph, {.devices = devices, .strategy = strategy, .f64 = true});
  Trained trained;
  for (uint64_t step = 0; step < 3; ++step)
    for (const std::string& function : training_functions(session))
      trained.losses.push_back(session.run(function, random_batch(graph, step)).at("loss").at(0));
  trained.variables = variables_of(session);
  return trained;
}

class Networks : public ::testing::TestWithParam<std::tuple<Network, const char*>> {};
TEST_P(Networks, TrainAsOnOneDevice) {
  const auto& [network, strategy] = GetParam();
  static std::map<std::string, Trained> on_one_device;
  const Graph graph = network.make();
  Trained& expected = on_one_device[network.name];
  if (expected.losses.empty()) expected = train(graph, "reference:0", "");
  ASSERT_FALSE(expected.losses.empty());
  const bool joins_samples =
      std::string(network.name) == "towers" && std::string(strategy).starts_with("pipeline");
  if (joins_samples) {
    EXPECT_THAT(error_of([&, s = strategy] { train(graph, "reference:0,reference:1", s); }),
                ::testing::HasSubstr("needs the rows of all micro-batches at once"));
    return;
  }
  const Trained got = train(graph, "reference:0,reference:1", strategy);
  ASSERT_EQ(got.losses.size(), expected.losses.size());
  for (size_t i = 0; i < got.losses.size(); ++i)
    EXPECT_NEAR(got.losses[i], expected.losses[i], 1e-10 * std::abs(expected.losses[i])) << "step " << i;
  for (const auto& [name, value] : expected.variables)
    for (int64_t i = 0; i < value.elements(); ++i)
      ASSERT_NEAR(got.variables.at(name).at(i), value.at(i), 1e-7) << name << " element " << i;
}
INSTANTIATE_TEST_SUITE_P(Strategies, Networks,
                         ::testing::Combine(::testing::ValuesIn(kNetworks),
                                            ::testing::Values("model", "data(2)", "data(2, shard=parameters)",
                                                              "tensor(2)", "pipeline(2, micro_batches=4)")),
                         [](const auto& info) {
                           std::string name =
                               std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param);
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

// Losses fall: a network that trains nothing would pass the test above.
TEST(Networks, Learn) {
  for (const Network& network : kNetworks) {
    const Graph graph = network.make();
    Session session = compile(graph, {.devices = "cpu:0"});
    const std::string function = training_functions(session).front();
    const Batch batch = random_batch(graph, 1);
    const double before = session.run(function, batch).at("loss").at(0);
    for (int step = 0; step < 80; ++step) session.run(function, batch);
    EXPECT_LT(session.run(function, batch).at("loss").at(0), 0.95 * before) << network.name;
  }
}

}  // namespace
}  // namespace cutset::testing

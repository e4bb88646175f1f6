// SPDX-License-Identifier: Apache-2.0
// Tests that the calls of a role use few combinations of addresses for any number of micro-batches.
#include <gtest/gtest.h>

#include "tests/equivalence/support/compiled.h"
#include "tests/equivalence/support/places.h"

namespace cutset::testing {
namespace {

// Returns a network whose stages keep values of different sizes, with a skip connection over all stages.
Graph network(int64_t micro_batches) {
  Graph g(1);
  const Tensor x = g.input("x", f32, {2 * micro_batches, 16});
  Tensor h = x;
  for (int i = 0; i < 10; ++i) h = h + 0.1 * tanh(nn::dense("layer" + std::to_string(i), h, 16));
  g.minimize(mean((h - x) * (h - x)), {.learning_rate = 0.01, .momentum = 0.9});
  return g;
}

TEST(Frames, TheCallsOfARoleUseFewCombinationsOfAddresses) {
  constexpr size_t kStages = 5;
  for (const std::string schedule : {"1f1b", "zb-h1", "interleaved"}) {
    const auto places = [&](int64_t micro_batches) {
      const Program p = compiled(
          network(micro_batches),
          "pipeline(5, micro_batches=" + std::to_string(micro_batches) + ", schedule=" + schedule + ")",
          "sim:0,sim:1,sim:2,sim:3,sim:4");
      std::map<std::string, size_t> numbers;
      const Function& f = *p.find("train");
      for (const auto& [role, of_role] : places_of_calls(f)) numbers[f.roles[role].name] = of_role.size();
      return numbers;
    };
    const auto few = places(32), many = places(64);
    EXPECT_EQ(few, many) << schedule;
    // With p stages, a stage keeps values for at most p micro-batches, or 3 p with two chunks. The values of
    // one more micro-batch can arrive. The first call of a role returns partial sums that stay.
    const size_t alive = schedule == "interleaved" ? 3 * kStages : kStages;
    for (const auto& [role, number] : many) EXPECT_LE(number, alive + 1 + 1) << schedule << " " << role;
  }
}

}  // namespace
}  // namespace cutset::testing

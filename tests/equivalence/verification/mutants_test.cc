// SPDX-License-Identifier: Apache-2.0
// Tests that `verify`, or else a check of programs, finds mutants of every class and names the instruction
// with the error.
#include "tests/equivalence/support/mutants.h"

#include <gtest/gtest.h>

namespace cutset::testing {
namespace {

class Mutants : public ::testing::TestWithParam<Mutation> {
 public:
  static MutantTrials& trials() {
    static MutantTrials all(
        {{"mlp", "reference:0,sim:0", "data(2, shares=2:1)", 6},
         {"lenet-smooth", "reference:0,sim:0", "data(2)", 4},
         {"mlp", "sim:0,sim:1", "data(2)", 8, true},
         {"mlp", "reference:0,sim:0", "pipeline(2, micro_batches=1)", 3},
         {"mlp", "sim:0", "pipeline(1, micro_batches=3)", 7},
         {"mlp", "reference:0,sim:0", "pipeline(2, micro_batches=3)", 7},
         {"mlp", "reference:0,sim:0", "data(2) * pipeline(1, micro_batches=2)", 7},
         {"mlp", "reference:0,sim:0", "tensor(2)", 7},
         {"mlp", "reference:0,sim:0", "pipeline(1, micro_batches=2) * tensor(2)", 7},
         {"mlp", "reference:0,sim:0", "data(2, shard=gradients)", 7},
         {"mlp", "reference:0,sim:0,sim:1,sim:2", "data(2, shard=gradients) * tensor(2)", 7},
         {"shared", "reference:0,sim:0", "data(2)", 6},
         {"shared", "sim:0,reference:0", "pipeline(2, micro_batches=3)", 7},
         {"shared", "sim:0,reference:0", "pipeline(2, micro_batches=3, schedule=zb-h1)", 7},
         {"shared", "sim:0,reference:0", "pipeline(2, micro_batches=3, schedule=interleaved)", 7},
         {"shared", "sim:0", "pipeline(1, micro_batches=4)", 8, true}},
        1);
    return all;
  }
};

TEST_P(Mutants, AreFoundAndNamed) {
  constexpr int kDrawn = 3;
  ASSERT_GT(trials().places(GetParam()), 0u);
  PhiloxSequence random(4, 1000 + static_cast<uint64_t>(GetParam()));
  int found = 0;
  for (int i = 0; i < kDrawn; ++i) {
    std::string says;
    const auto verdict = trials().draw(GetParam(), random, &says);
    EXPECT_NE(verdict, MutantTrials::Verdict::kMissed) << says;
    EXPECT_NE(verdict, MutantTrials::Verdict::kFound) << "another instruction is named: " << says;
    found += verdict == MutantTrials::Verdict::kNamed || verdict == MutantTrials::Verdict::kRefused;
  }
  EXPECT_GT(found, 0) << "all mutants are equivalent";
}
INSTANTIATE_TEST_SUITE_P(Classes, Mutants, ::testing::ValuesIn(all_mutations()), [](const auto& info) {
  std::string name = name_of(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace cutset::testing

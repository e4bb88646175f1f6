// SPDX-License-Identifier: Apache-2.0
// Tests the models of this project with <cutset/testing.h>, as users test their models.
#include <cutset/testing.h>

#include "frontends/models/models.h"
#include "tests/equivalence/support/runs.h"

namespace cutset::testing {
namespace {

struct Models : PerBackend {
  static Graph build(const char* model, int64_t batch) {
    return models::find(model).build({batch, 1, {0.05, 0.9}});
  }
  static std::vector<Batch> batches(int64_t batch) {
    return {noise(batch, 1, 0), noise(batch, 1, 1), noise(batch, 1, 2)};
  }
};
CUTSET_INSTANTIATE_PER_BACKEND(Models);

TEST_P(Models, AreTheSameAsOnOneDevice) {
  EXPECT_SAME_ON(build("lenet", 6), device(), "", batches(6));
  EXPECT_SAME_ON(build("lenet", 7), device() + ",reference:1", "data(2, shares=5:2)", batches(7));
  EXPECT_SAME_ON(build("mlp", 6), device() + ",reference:1", "pipeline(2, micro_batches=1)", batches(6));
}

TEST(Models, HaveGradients) { EXPECT_GRADIENTS(Models::build("lenet-smooth", 3), noise(3, 1, 0), 5); }

TEST(Models, SendTheirShares) {
  Session session =
      compile(Models::build("mlp", 7), {.devices = "reference:0,sim:0", .strategy = "data(2, shares=5:2)"});
  EXPECT_BYTES_SENT(session, "host", "reference:0", 5 * (784 + 1) * 4);
  EXPECT_BYTES_SENT(session, "host", "sim:0", 2 * (784 + 1) * 4);
  EXPECT_BYTES_SENT(session, "reference:0", "sim:0", 0);
}

TEST(Testing, NamesDifferencesAndMissingDevices) {
  EXPECT_FALSE(same_on(Models::build("mlp", 4), "nowhere:0", ""));
  const auto batches = Models::batches(6);
  const VerifyResult wrong =
      verify(Models::build("mlp", 6), {.devices = "reference:0,sim:0", .strategy = "data(2)"}, batches,
             {.mutation = "missing-all-reduce", .mutation_seed = 2});
  EXPECT_FALSE(wrong.same);
  EXPECT_NE(wrong.first.find("all_reduce_wait"), std::string::npos) << wrong.first;
  EXPECT_NE(wrong.first.find(".cc:"), std::string::npos) << wrong.first;
}

}  // namespace
}  // namespace cutset::testing

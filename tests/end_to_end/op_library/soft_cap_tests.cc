// SPDX-License-Identifier: Apache-2.0
// Tests the op of the library as Cutset tests its own.
#include <cutset/testing.h>

#include <cmath>

#include "model.h"

struct SoftCap : cutset::testing::PerBackend {};
CUTSET_INSTANTIATE_PER_BACKEND(SoftCap);

// Backends without a kernel for the op refuse it, and so they have no test here.
TEST_P(SoftCap, IsTheSameAsOnOneDevice) {
  if (device() != "reference:0" && device() != "cpu:0" && device() != "sim:0")
    GTEST_SKIP() << "no reference kernels";
  EXPECT_SAME_ON(model(9), device(), "");
  EXPECT_SAME_ON(model(9), device() + ",sim:1", "data(2, shares=2:1)");
  EXPECT_SAME_ON(model(9), device() + ",sim:1", "tensor(2)");
  EXPECT_SAME_ON(model(9), device() + ",sim:1", "pipeline(2, micro_batches=3)");
}

TEST(SoftCap, HasGradients) { EXPECT_GRADIENTS(model(5)); }

TEST(SoftCap, ComputesItsFormula) {
  cutset::Graph g(1);
  const cutset::Tensor x = g.input("x", cutset::f32, {4});
  g.output("y", mine::soft_cap(x, {.limit = 2}));
  auto session = cutset::compile(g, {.devices = "cpu:0"});
  cutset::HostTensor values({cutset::f32, {4}});
  const float given[] = {-100, -1, 0.5, NAN};
  std::copy(given, given + 4, values.as<float>().begin());
  const auto y = session.evaluate({{"x", values}})["y"];
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(y.as<float>()[i], 2 * std::tanh(given[i] / 2), 1e-6);
  EXPECT_TRUE(std::isnan(y.as<float>()[3]));
}

TEST(SoftCap, RefusesWhatItsConstraintsForbid) {
  cutset::Graph g(1);
  const cutset::Tensor x = g.input("x", cutset::f32, {4});
  try {
    mine::soft_cap(x, {.limit = -1});
    FAIL();
  } catch (const cutset::Error& e) {
    EXPECT_NE(std::string(e.what()).find("C2: the limit is -1"), std::string::npos) << e.what();
    EXPECT_NE(e.source().find("soft_cap_tests.cc:"), std::string::npos) << e.source();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Tests which variables are the states of an optimizer.
#include <cutset/cutset.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "runtime/files/safetensors.h"
#include "tests/equivalence/support/runs.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::HasSubstr;

TEST(OptimizerState, IsRecognisedByItsVariableAndNotByItsName) {
  Graph g(1);
  Tensor w = g.variable("encoder/w", f32, {16}, Initializer::uniform(0, 1));
  g.minimize(sum(w * w), {.momentum = 0.5});
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(session.memory()[0].variables, 64u);
  EXPECT_EQ(session.memory()[0].optimizer, 64u);
}

TEST(OptimizerState, AVariableOfTheUsersThatHasItsNameIsRefusedAtItsLine) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {16}, Initializer::uniform(0, 1));
  Tensor v = g.variable("w/velocity", f32, {16}, Initializer::uniform(0, 1));
  const int line = __LINE__ - 1;
  g.minimize(sum(w * v), {});
  EXPECT_THAT(error_of([&] { compile(g, {.devices = "reference:0"}); }),
              AllOf(HasSubstr("variable 'w/velocity' has the name of the velocity"),
                    HasSubstr("optimizer_state_test.cc:" + std::to_string(line))));
}

}  // namespace
}  // namespace cutset::testing

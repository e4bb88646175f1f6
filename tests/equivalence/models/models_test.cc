// SPDX-License-Identifier: Apache-2.0
// Tests models of the kinds that users write (user_models.h): their losses equal PyTorch's, and every
// partition of a model gives the results of one device.
#include <cutset/testing.h>

#include "tests/equivalence/support/runs.h"
#include "tests/equivalence/support/user_models.h"

namespace cutset::testing {
namespace {

class UserModels : public ::testing::TestWithParam<UserModel> {};

TEST_P(UserModels, HaveTheLossesOfPyTorch) {
  const UserModel& model = GetParam();
  for (const char* devices : {"reference:0", "cpu:0", "opencl:0"}) {
    if (!have(devices)) continue;
    const Graph graph = model.build();
    Session session = compile(graph, {.devices = devices});
    for (const std::string& v : session.variables()) {
      const HostTensor now = session.variable(v);
      if (v.find("/velocity") == std::string::npos) session.set_variable(v, user_variable(v, now.type()));
    }
    std::vector<double> losses;
    for (int step = 0; step < 5; ++step)
      losses.push_back(session.train(user_batch(graph, step)).at("loss").at(0));
    const std::vector<double> want(std::begin(model.losses), std::end(model.losses));
    EXPECT_LE(loss_difference(losses, want), 1e-5) << devices;
  }
}

TEST_P(UserModels, AreTheSameUnderEveryStrategy) {
  const Graph graph = GetParam().build();
  struct Split {
    const char *devices, *strategy;
  };
  int checked = 0;
  for (const Split& s : {Split{"cpu:0,opencl:0", "model"}, Split{"cpu:0,sim:0", "model"},
                         Split{"cpu:0,opencl:0", "data(2)"}, Split{"cpu:0,sim:0", "data(2, shares=3:1)"},
                         Split{"cpu:0,cpu:1,opencl:0,sim:0", "data(2) * model"}}) {
    if (!have(s.devices)) continue;
    EXPECT_SAME_ON(graph, s.devices, s.strategy, {random_batch(graph, 1), user_batch(graph, 0)})
        << s.strategy;
    ++checked;
  }
  if (checked == 0) GTEST_SKIP() << "neither cpu with sim nor cpu with opencl is available";
}

INSTANTIATE_TEST_SUITE_P(All, UserModels, ::testing::ValuesIn(user_models()),
                         [](const auto& info) { return std::string(info.param.name); });

// The gradients of all models except the lstm agree with finite differences in f64. Some of these models
// contain relu, which has a kink, or one_hot.
TEST(UserModelGradients, AgreeWithFiniteDifferences) {
  for (const UserModel& model : user_models())
    if (std::string(model.name) != "lstm") EXPECT_GRADIENTS(model.build(), {}, 3) << model.name;
}

}  // namespace
}  // namespace cutset::testing

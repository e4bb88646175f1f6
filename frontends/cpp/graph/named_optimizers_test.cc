// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/graph/named_optimizers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset {
namespace {

using ::testing::HasSubstr;

// Returns the op, the options and the hyper-parameters of an optimizer, as one text.
std::string text_of_optimizer(const Optimizer& optimizer) {
  std::string text = optimizer.op();
  for (const auto& [name, value] : optimizer.options())
    text += " " + name + (std::holds_alternative<bool>(value) ? std::to_string(std::get<bool>(value)) : "");
  for (const Optimizer::Scalar& s : optimizer.scalars())
    text += " " + s.name + "=" + std::to_string(s.value) + " in [" + std::to_string(s.least) + "," +
            std::to_string(s.below) + ")";
  return text + (optimizer.general() ? "; " + text_of_optimizer(*optimizer.general()) : "");
}
const Optimizer& initial(const std::string& name) {
  return std::ranges::find(named_optimizers(), name, &NamedOptimizer::name)->initial;
}
std::string changed(const std::string& name, const std::map<std::string, double>& values) {
  return text_of_optimizer(*with_hyper_parameters(initial(name), values));
}

TEST(NamedOptimizers, AreSetAsTheMembersOfTheirStructs) {
  EXPECT_EQ(changed("adam", {}), text_of_optimizer(Adam{}));
  EXPECT_EQ(changed("adam", {{"beta1", 0.5}, {"weight_decay", 0.25}}),
            text_of_optimizer(Adam{.beta1 = 0.5, .weight_decay = 0.25}));
  EXPECT_EQ(changed("rmsprop", {{"alpha", 0.5}, {"momentum", 2}}),
            text_of_optimizer(RmsProp{.alpha = 0.5, .momentum = 2}));
  EXPECT_EQ(changed("adagrad", {{"learning_rate_decay", 0.5}}),
            text_of_optimizer(Adagrad{.learning_rate_decay = 0.5}));
}

// Sgd has two ops. The values decide which op it needs.
TEST(NamedOptimizers, OfTwoFormsHaveTheFormThatTheirValuesNeed) {
  EXPECT_EQ(changed("sgd", {{"momentum", 0.5}}), text_of_optimizer(Sgd{.momentum = 0.5}));
  EXPECT_EQ(changed("sgd", {{"weight_decay", 0}}), text_of_optimizer(Sgd{}));
  EXPECT_EQ(changed("sgd", {{"weight_decay", 0.5}, {"learning_rate", 3}}),
            text_of_optimizer(Sgd{.learning_rate = 3, .weight_decay = 0.5}));
}

TEST(NamedOptimizers, RefuseWhatTheyDoNotHave) {
  EXPECT_THAT(with_hyper_parameters(initial("adam"), {{"momentum", 0.5}}).error().what,
              HasSubstr("no hyper-parameter 'momentum'"));
}

}  // namespace
}  // namespace cutset

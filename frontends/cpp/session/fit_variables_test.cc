// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/session/fit_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Variable variable(const std::string& name, Shape shape, DType dtype = f32) {
  Variable v;
  v.name = name;
  v.type = {dtype, std::move(shape)};
  return v;
}

// Returns a layer, a normalization and a last layer, which is trained with a momentum.
std::vector<Variable> network() {
  std::vector<Variable> all = {variable("conv.weight", {2, 3}), variable("bn.running_mean", {2}),
                               variable("fc.weight", {4, 2}), variable("fc.bias", {4})};
  all.push_back(variable("fc.bias/velocity", {4}));
  all.back().state_of = "fc.bias";
  return all;
}

TensorMap tensors(const std::string& prefix = "") {
  TensorMap made;
  for (const Variable& v : network())
    if (v.state_of.empty()) made.emplace(prefix + v.name, HostTensor(v.type));
  return made;
}

Result<LoadedVariables> fit(TensorMap& given, std::vector<std::string> except = {}) {
  return fit_variables("w", given, network(), {std::move(except)});
}

TEST(FitVariables, LeavesOutTheCountersOfBatchNormalization) {
  TensorMap given = tensors();
  given.emplace("bn.num_batches_tracked", HostTensor(TensorType{i64, {}}));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->notes,
              ElementsAre("1 counter of batch normalization, 'bn.num_batches_tracked', is left out"));
  EXPECT_THAT(loaded->missing, IsEmpty());
  EXPECT_THAT(loaded->missing_states, ElementsAre("fc.bias/velocity"));
  EXPECT_FALSE(given.contains("bn.num_batches_tracked"));
  given.emplace("bn.num_batches_tracked", HostTensor(TensorType{f32, {}}));  // not a number of batches
  EXPECT_THAT(fit(given).error().what, HasSubstr("'bn.num_batches_tracked', which is not a variable"));
}

// The names of google-bert/bert-base-uncased.
TEST(FitVariables, GammaAndBetaOfANormAreItsWeightAndBias) {
  const std::vector<Variable> norm = {variable("a.LayerNorm.weight", {2}), variable("a.LayerNorm.bias", {2})};
  TensorMap given;
  given.emplace("a.LayerNorm.gamma", HostTensor({2}, std::vector<float>{1, 2}));
  given.emplace("a.LayerNorm.beta", HostTensor({2}, std::vector<float>{3, 4}));
  const auto loaded = fit_variables("w", given, norm, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(given.at("a.LayerNorm.weight").at(1), 2);
  EXPECT_EQ(given.at("a.LayerNorm.bias").at(1), 4);
  EXPECT_THAT(
      loaded->notes,
      ElementsAre("2 tensors, such as 'a.LayerNorm.gamma', are renamed: gamma to weight, and beta to bias"));
  EXPECT_THAT(loaded->missing, IsEmpty());
}

TEST(FitVariables, GammaIsItselfWhereVariablesHaveThatNameOrTheLayerIsNoNorm) {
  TensorMap own;
  own.emplace("norm.gamma", HostTensor({2}, std::vector<float>{1, 2}));
  ASSERT_TRUE(fit_variables("w", own, {variable("norm.gamma", {2}), variable("norm.weight", {2})}, {}).ok());
  EXPECT_TRUE(own.contains("norm.gamma"));
  TensorMap scale;  // a file of ConvNeXt, whose `gamma` is no weight of a normalization
  scale.emplace("block.gamma", HostTensor({2}, std::vector<float>{1, 2}));
  EXPECT_THAT(fit_variables("w", scale, {variable("block.weight", {2})}, {}).error().what,
              HasSubstr("'block.gamma'"));
}

// BertModel.save_pretrained writes no "bert.", and the program has a last layer besides.
TEST(FitVariables, ABeginningThatAllNamesLackIsAdded) {
  std::vector<Variable> all = network();
  for (Variable& v : all)
    if (v.state_of.empty() && v.name != "fc.weight" && v.name != "fc.bias") v.name = "base." + v.name;
  TensorMap given;
  given.emplace("conv.weight", HostTensor(TensorType{f32, {2, 3}}));
  given.emplace("bn.running_mean", HostTensor(TensorType{f32, {2}}));
  given.emplace("bn.num_batches_tracked", HostTensor(TensorType{i64, {}}));
  const auto loaded = fit_variables("w", given, all, {});
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_TRUE(given.contains("base.conv.weight") && given.contains("base.bn.running_mean"));
  EXPECT_THAT(loaded->notes, Contains("no name begins with 'base.', which is added to match the variables"));
  EXPECT_THAT(loaded->missing, ElementsAre("fc.bias", "fc.weight"));
  given.emplace("other", HostTensor(TensorType{f32, {}}));  // does not fit with "base." either
  EXPECT_FALSE(fit_variables("w", given, all, {}).ok());
}

// An average is no state that a step needs, and a reader may want it instead of the variable.
TEST(FitVariables, SaysThatAveragesAreLeftOut) {
  TensorMap given = tensors();
  given.emplace("fc.bias/average", HostTensor(TensorType{f32, {4}}));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_FALSE(given.contains("fc.bias/average"));
  EXPECT_THAT(
      loaded->notes,
      Contains("1 average of a variable, 'fc.bias/average', is left out, so the variables have the values "
               "after the last step, not their averages"));
}

TEST(FitVariables, LeavesOutTheIndicesOfEmbeddings) {
  TensorMap given = tensors();
  given.emplace("embeddings.position_ids", HostTensor(TensorType{i64, {1, 4}}));
  given.emplace("token_type_ids", HostTensor(TensorType{i64, {1, 4}}));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->notes,
              ElementsAre("2 tensors of indices, such as 'embeddings.position_ids', are left out"));
  given.emplace("embeddings.position_ids", HostTensor(TensorType{f32, {1, 4}}));  // these are weights
  EXPECT_FALSE(fit(given).ok());
}

TEST(FitVariables, LeavesOutTheCounterOfAModuleAlone) {
  TensorMap given = tensors();
  given.emplace("num_batches_tracked", HostTensor(TensorType{i64, {}}));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->notes,
              ElementsAre("1 counter of batch normalization, 'num_batches_tracked', is left out"));
  EXPECT_FALSE(given.contains("num_batches_tracked"));
  given.emplace("xnum_batches_tracked", HostTensor(TensorType{i64, {}}));
  EXPECT_THAT(fit(given).error().what, HasSubstr("'xnum_batches_tracked', which is not a variable"));
}

TEST(FitVariables, ConvertsFloatingPointTypes) {
  TensorMap given = tensors();
  for (const auto& [name, dtype] :
       {std::pair("conv.weight", f16), std::pair("fc.weight", f16), std::pair("fc.bias", f64)})
    given.at(name) = HostTensor(TensorType{dtype, given.at(name).shape()});
  given.at("fc.bias").set(1, 0.1);
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(
      loaded->notes,
      ElementsAre("2 tensors, such as 'conv.weight', are converted from f16 to f32, which keeps the values",
                  "1 tensor, 'fc.bias', is converted from f64 to f32, which rounds the values"));
  EXPECT_EQ(given.at("fc.bias"), HostTensor(Shape{4}, {0.0f, 0.1f, 0.0f, 0.0f}));
  given.at("fc.bias") = HostTensor(Shape{4}, {0.0, 0.0, 1e300, 0.0});
  EXPECT_THAT(fit(given).error().what, HasSubstr("'fc.bias': element 2 is"));
  given.at("fc.bias") = HostTensor(TensorType{i32, {4}});
  EXPECT_THAT(fit(given).error().what, HasSubstr("is 4xi32, but the variable is 4xf32"));
}

TEST(FitVariables, LeavesOutABeginningThatAllNamesShare) {
  for (const std::string prefix : {"module.", "_orig_mod.", "module._orig_mod."}) {
    TensorMap given = tensors(prefix);
    given.emplace(prefix + "bn.num_batches_tracked", HostTensor(TensorType{i64, {}}));
    const auto loaded = fit(given);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded->notes[0],
              "all names begin with '" + prefix + "', which is left out to match the variables");
    EXPECT_EQ(given.size(), 4u);
    EXPECT_TRUE(given.contains("conv.weight"));
  }
  // If one name does not fit, or lacks the beginning, the file belongs to another model.
  TensorMap given = tensors("module.");
  given.emplace("module.fc2.bias", HostTensor(TensorType{f32, {4}}));
  EXPECT_EQ(fit(given).error().text(),
            "'w' has a tensor 'module.bn.running_mean', which is not a variable of the model; 5 of the 5 "
            "tensors of the "
            "file do not fit (give the model of the file)");
  given = tensors("module.");
  given.emplace("fc.bias", HostTensor(TensorType{f32, {4}}));
  EXPECT_THAT(fit(given).error().what, HasSubstr("'module.bn.running_mean', which is not a variable"));
}

// The limit keeps the work for a hostile name of many parts small.
TEST(FitVariables, LeavesOutABeginningOfAtMostEightParts) {
  const auto beginning_of = [](int parts) {
    std::string text;
    for (int i = 0; i < parts; ++i) text += i % 2 ? "." : "module.";  // a part may be empty
    return text;
  };
  TensorMap given = tensors(beginning_of(8));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->missing, IsEmpty());
  given = tensors(beginning_of(9));
  const auto refused = fit(given);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().what, HasSubstr("bn.running_mean', which is not a variable of the model"));
}

TEST(FitVariables, KeepsNamesThatFitWithTheirBeginning) {
  TensorMap given;  // all names of the file begin with "fc."
  for (const char* name : {"fc.weight", "fc.bias"}) given.emplace(name, tensors().at(name));
  const auto loaded = fit(given);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->notes, IsEmpty());
  EXPECT_THAT(loaded->missing, ElementsAre("bn.running_mean", "conv.weight"));
}

TEST(FitVariables, RefusesAnotherShapeUnlessTheVariableIsExcepted) {
  TensorMap given = tensors("module.");
  given.at("module.fc.bias") = HostTensor(TensorType{f32, {1000}});
  given.at("module.fc.weight") = HostTensor(TensorType{f32, {1000, 2}});
  TensorMap again = given;
  const std::string error = fit(given).error().text();
  EXPECT_THAT(
      error,
      HasSubstr(
          "tensor 'fc.bias' is 1000xf32, but the variable is 4xf32; 2 of the 4 tensors of the file do not "
          "fit ("));
  EXPECT_THAT(error, HasSubstr("name 'fc' in VariableFileOptions::except"));
  const auto loaded = fit(again, {"fc"});
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_EQ(loaded->notes.back(),
            "the exception 'fc' covers 2 variables of the model and 2 tensors of the file");
  EXPECT_TRUE(loaded->complete());
  EXPECT_EQ(again.size(), 2u);
}

TEST(FitVariables, NamesTheFileOfAnotherModelAsSuch) {
  TensorMap given;
  for (const Variable& v : network()) given.emplace(v.name, HostTensor(TensorType{f32, {7, 7}}));
  given.emplace("encoder.weight", HostTensor(TensorType{f32, {7}}));
  const std::string error = fit(given).error().text();
  EXPECT_THAT(error, HasSubstr("; 6 of the 6 tensors of the file do not fit"));
  EXPECT_THAT(error, HasSubstr("(give the model of the file)"));
}

TEST(FitVariables, LeavesOutTheStatesOfTheOptimizer) {
  TensorMap given = tensors();
  given.emplace("fc.bias/velocity", HostTensor(TensorType{f32, {4}}));
  TensorMap without = given;
  const auto with_states = fit_variables("w", given, network(), {});
  ASSERT_TRUE(with_states.ok()) << with_states.error().text();
  EXPECT_THAT(with_states->notes, IsEmpty());
  EXPECT_TRUE(given.contains("fc.bias/velocity"));
  for (int time = 0; time < 2; ++time) {  // once with the state in the file, and once without it
    const auto loaded = fit_variables("w", without, network(), {.states = false});
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_EQ(loaded->notes.size(), time == 0 ? 1u : 0u);
    EXPECT_TRUE(loaded->complete());
    EXPECT_FALSE(without.contains("fc.bias/velocity"));
  }
}

TEST(FitVariables, RefusesAnExceptionThatFitsNothing) {
  TensorMap given = tensors();
  EXPECT_THAT(fit(given, {"f"}).error().text(), HasSubstr("the exception 'f' fits no variable of the model"));
  given = tensors();
  given.emplace("extra.weight",
                HostTensor(TensorType{f32, {7}}));  // a part of the file that the model does not have
  const auto loaded = fit(given, {"extra", "fc.bias"});
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_THAT(loaded->notes,
              ElementsAre("the exception 'extra' covers 0 variables of the model and 1 tensor of the file",
                          "the exception 'fc.bias' covers 1 variable of the model and 1 tensor of the file"));
  EXPECT_EQ(given.size(), 3u);
}

}  // namespace
}  // namespace cutset

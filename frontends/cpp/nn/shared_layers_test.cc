// SPDX-License-Identifier: Apache-2.0
// Tests layers that are called several times: which variables the calls share, and what differs between
// calls.
#include <cutset/cutset.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"
#include "tests/small_training.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

HostTensor sines(const Shape& shape, double seed) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.elements(); ++i) t.set(i, std::sin(seed + 1.3 * static_cast<double>(i)));
  return t;
}

// Returns the names of the variables of a graph that returns `results`.
std::vector<std::string> names_in(Graph& g, const std::vector<Tensor>& results) {
  for (size_t i = 0; i < results.size(); ++i) g.output("y" + std::to_string(i), results[i]);
  return compile(g, {.devices = "reference:0"}).variables();
}

// A weight that is made by hand and used twice gives the same losses and weights.
TEST(SharedLayers, TrainAsVariablesThatAreUsedTwice) {
  const auto trained = [](bool by_hand) {
    Graph g(4);
    const Tensor x = g.input("x", f32, {4, 3}), y = g.input("y", f32, {4, 3});
    Tensor a, b;
    if (by_hand) {
      const double bound = 1 / std::sqrt(3.0);
      const Tensor weight = g.variable("fc.weight", f32, {2, 3}, Initializer::uniform(-bound, bound));
      const Tensor bias = g.variable("fc.bias", f32, {2}, Initializer::uniform(-bound, bound));
      a = matmul(x, weight, false, true) + bias;
      b = matmul(y, weight, false, true) + bias;
    } else {
      const nn::Dense fc("fc", 2);
      a = fc(x);
      b = fc(y);
    }
    g.minimize(mean(pow(a - 2.0 * b, 2)), Adam{.learning_rate = 0.1});
    Session session = compile(g, {.devices = "reference:0"});
    for (int step = 0; step < 3; ++step)
      session.train({{"x", sines({4, 3}, step)}, {"y", sines({4, 3}, 7 + step)}});
    return testing::variables_of(session);
  };
  const auto by_hand = trained(true);
  EXPECT_EQ(by_hand, trained(false));
  EXPECT_TRUE(by_hand.contains("fc.weight"));
}

TEST(SharedLayers, OfEveryKindHaveOneSetOfVariables) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 4, 6}), ids = g.input("ids", i32, {2, 3});
  const auto twice = [](const auto& layer, const Tensor& operand) {
    const Tensor first = layer(operand);
    return first + layer(operand);
  };
  const std::vector<Tensor> results = {
      twice(nn::Dense("dense", 5, {.bias = false}), x),
      twice(nn::Conv("conv", 3, 2), x),
      twice(nn::Conv("conv2", {.out_channels = 3, .kernel_size = 2}), x),
      twice(nn::ConvTranspose("up", {.out_channels = 3, .kernel_size = 2}), x),
      twice(nn::Embedding("table", 7, 2), ids),
      twice(nn::LayerNorm("ln"), x),
      twice(nn::RmsNorm("rms"), x),
      twice(nn::GroupNorm("gn", 2), x),
      twice(nn::BatchNorm("bn"), x),
      twice(nn::Dropout("drop", 0.5), x),
      twice(nn::MultiHeadAttention("mha", {.heads = 2}), x)};
  EXPECT_THAT(names_in(g, results),
              UnorderedElementsAre("dense.weight", "conv.weight", "conv.bias", "conv2.weight", "conv2.bias",
                                   "up.weight", "up.bias", "table.weight", "ln.weight", "ln.bias",
                                   "rms.weight", "gn.weight", "gn.bias", "bn.weight", "bn.bias",
                                   "bn.running_mean", "bn.running_var", "mha.in_proj_weight",
                                   "mha.in_proj_bias", "mha.out_proj.weight", "mha.out_proj.bias"));
}

TEST(SharedLayers, AreBlocksOfLayers) {
  Graph g(2);
  const Tensor x = g.input("x", f32, {2, 3}), y = g.input("y", f32, {2, 3});
  const nn::Shared tower([](const Tensor& in, double factor = 1) {
    const nn::Dense inner("inner", 3);
    return nn::dense("out", inner(inner(in)), 2) * factor;
  });
  g.output("a", tower(x));
  g.output("b", tower(y, 2.0));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(session.variables(),
              UnorderedElementsAre("inner.weight", "inner.bias", "out.weight", "out.bias"));
  const HostTensor sample = sines({2, 3}, 1);
  const Outputs outputs = session.evaluate({{"x", sample}, {"y", sample}});
  for (int64_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(2 * outputs.at("a").at(i), outputs.at("b").at(i));
}

TEST(SharedLayers, OfTwoGraphsHaveVariablesInEach) {
  const nn::Dense fc("fc", 2);
  for (const int64_t features : {3, 5}) {
    Graph g;
    EXPECT_THAT(names_in(g, {fc(g.input("x", f32, {2, features}))}),
                UnorderedElementsAre("fc.weight", "fc.bias"));
  }
}

TEST(SharedLayers, VariablesAreFoundByName) {
  Graph g;
  const Tensor ids = g.input("ids", i32, {2, 3});
  const Tensor h = nn::embedding("tokens", ids, 7, 4);
  const Tensor logits = matmul(h, g.variable("tokens.weight"), false, true);
  EXPECT_EQ(logits.shape(), (Shape{2, 3, 7}));
  EXPECT_THAT(names_in(g, {logits}), ElementsAre("tokens.weight"));
  EXPECT_ERROR_HERE("did you mean 'tokens.weight'?", g.variable("token.weight"));
}

// The statistics of torch.nn.BatchNorm1d(2, momentum=0.1) that is called for x and then for y in each step.
TEST(SharedLayers, MoveRunningStatisticsOncePerCall) {
  Graph g(1);
  const Tensor x = g.input("x", f32, {4, 2}), y = g.input("y", f32, {4, 2});
  const nn::BatchNorm bn("bn");
  g.minimize(mean(pow(bn(x), 2) + bn(y)), {.learning_rate = 0.1});
  Session session = compile(g, {.devices = "reference:0", .f64 = true});
  double mean[2] = {0, 0}, variance[2] = {1, 1};
  for (int step = 0; step < 3; ++step) {
    const HostTensor batches[] = {sines({4, 2}, step), sines({4, 2}, 5 - step)};
    session.train({{"x", batches[0]}, {"y", batches[1]}});
    for (const HostTensor& batch : batches)
      for (int c = 0; c < 2; ++c) {
        double sum = 0, squares = 0;
        for (int n = 0; n < 4; ++n) sum += batch.at(2 * n + c);
        for (int n = 0; n < 4; ++n) squares += std::pow(batch.at(2 * n + c) - sum / 4, 2);
        mean[c] = 0.9 * mean[c] + 0.1 * sum / 4;
        variance[c] = 0.9 * variance[c] + 0.1 * squares / 3;
      }
  }
  for (int c = 0; c < 2; ++c) {
    EXPECT_NEAR(session.variable("bn.running_mean").at(c), mean[c], 1e-7);
    EXPECT_NEAR(session.variable("bn.running_var").at(c), variance[c], 1e-7);
  }
}

// Two functions that train call the same layer, each for its own input, and each moves its statistics. An
// inference call moves nothing, and `train` does not need its input.
TEST(SharedLayers, MoveRunningStatisticsWhereTheyAreComputed) {
  Graph g(1);
  const Tensor x = g.input("x", f32, {4, 2}), y = g.input("y", f32, {4, 2}), z = g.input("z", f32, {4, 2});
  const nn::BatchNorm bn("bn");
  const Tensor of_x = bn(x), of_y = bn(y), of_z = bn(z);
  const Tensor w = g.variable("w", f32, {2}, Initializer::constant(1));
  g.minimize(mean(pow(of_x * w, 2)), {.learning_rate = 0.1}, {.variables = {"w"}});
  g.minimize(mean(of_y * w), {.learning_rate = 0.1}, {.variables = {"w"}, .function = "train_y"});
  g.minimize(mean(y * w), {.learning_rate = 0.1}, {.variables = {"w"}, .function = "train_w"});
  g.function("predict", {z}, {{"z", of_z}});
  Session session = compile(g, {.devices = "reference:0", .f64 = true});
  const HostTensor x0 = sines({4, 2}, 1), y0 = sines({4, 2}, 3);
  const auto mean_of = [](const HostTensor& batch, int c) {
    double sum = 0;
    for (int n = 0; n < 4; ++n) sum += batch.at(2 * n + c) / 4;
    return sum;
  };
  session.run("train", {{"x", x0}});
  for (int c = 0; c < 2; ++c)
    EXPECT_NEAR(session.variable("bn.running_mean").at(c), 0.1 * mean_of(x0, c), 1e-7);
  session.run("train_w", {{"y", y0}});
  session.predict({{"z", y0}});
  for (int c = 0; c < 2; ++c)
    EXPECT_NEAR(session.variable("bn.running_mean").at(c), 0.1 * mean_of(x0, c), 1e-7);
  session.run("train_y", {{"y", y0}});
  for (int c = 0; c < 2; ++c)
    EXPECT_NEAR(session.variable("bn.running_mean").at(c), 0.09 * mean_of(x0, c) + 0.1 * mean_of(y0, c),
                1e-7);
}

// Two calls of one name, and two calls of one layer, draw different masks. The first mask equals the mask of
// a single call.
TEST(SharedLayers, DrawAMaskForEachCall) {
  const auto masks = [](bool object) {
    Graph g(9);
    const Tensor x = g.input("x", f32, {64}), w = g.variable("w", f32, {64}, Initializer::constant(1));
    const nn::Dropout drop("d", 0.5);
    const Tensor first = object ? drop(x) : nn::dropout("d", x, 0.5);
    const Tensor second = object ? drop(x) : nn::dropout("d", x, 0.5);
    g.output("first", first);
    g.output("second", second);
    g.minimize(mean(w * first), {.learning_rate = 0});
    HostTensor ones({f32, {64}});
    for (int64_t i = 0; i < 64; ++i) ones.set(i, 1);
    return compile(g, {.devices = "reference:0"}).train({{"x", ones}});
  };
  const Outputs of_object = masks(true), of_name = masks(false);
  EXPECT_EQ(of_object.at("first"), of_name.at("first"));
  EXPECT_EQ(of_object.at("second"), of_name.at("second"));
  int same = 0;
  for (int64_t i = 0; i < 64; ++i) same += of_name.at("first").at(i) == of_name.at("second").at(i);
  EXPECT_GT(same, 12);  // 32 are expected, with a standard deviation of 4
  EXPECT_LT(same, 52);
}

TEST(SharedLayers, RefuseWhatDoesNotFit) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3}), wide = g.input("wide", f32, {2, 4});
  const nn::Dense fc("fc", 2);
  EXPECT_ERROR_HERE("", fc(Tensor()));
  (void)fc(x);
  EXPECT_ERROR_HERE("needs the variable 'fc.weight' as 2x4xf32, and an earlier call made it as 2x3xf32",
                    fc(wide));
  EXPECT_ERROR_HERE("nn::Dense fc(", nn::dense("fc", x, 2));
  const nn::Dense other("fc", 2);
  EXPECT_ERROR_HERE("there is a variable 'fc.weight' already", other(x));
  EXPECT_THAT(names_in(g, {fc(x)}), UnorderedElementsAre("fc.weight", "fc.bias"));
}

// A name that is used twice by mistake shares nothing: inside of one call, after a call in another graph, and
// after a call that failed.
TEST(SharedLayers, RefuseANameThatAnotherLayerHas) {
  Graph g, h;
  const Tensor x = g.input("x", f32, {2, 3}), of_h = h.input("x", f32, {2, 3}),
               scalar = h.input("s", f32, {});
  const nn::Shared twice([](const Tensor& in) { return nn::dense("a", relu(nn::dense("a", in, 3)), 3); });
  EXPECT_THAT(error_of([&] { twice(x); }), HasSubstr("there is a variable 'a.weight' already"));
  const nn::Dense fc("fc", 3);
  (void)fc(x);
  (void)nn::dense("fc", of_h, 3);
  EXPECT_THAT(error_of([&] { fc(of_h); }), HasSubstr("there is a variable 'fc.weight' already"));
  const nn::Dense failed("late", 3);
  EXPECT_NE(error_of([&] { failed(scalar); }), "no error");
  (void)nn::dense("late", of_h, 3);
  EXPECT_THAT(error_of([&] { failed(of_h); }), HasSubstr("there is a variable 'late.weight' already"));
}

// A moved-from layer is a copy.
TEST(SharedLayers, AreCopiedByMoves) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3, 4});
  nn::MultiHeadAttention attention("mha", {.heads = 2});
  nn::Dense fc("fc", 2);
  const nn::MultiHeadAttention moved = std::move(attention);
  const nn::Dense other = std::move(fc);
  EXPECT_EQ(names_in(g, {attention(x) + moved(x), fc(x) + other(x)}).size(), 6u);
}

// A call that fails leaves what its layers have made, and the next call finds it.
TEST(SharedLayers, CanBeCalledAfterAFailure) {
  Graph g;
  const Tensor x = g.input("x", f32, {2, 3}), scalar = g.input("s", f32, {});
  const nn::Shared block([&](const Tensor& in, bool fails) {
    const Tensor h = nn::dense("fc", nn::batch_norm("bn", in), 2);
    return fails ? matmul(x, x) : h;
  });
  EXPECT_NE(error_of([&] { block(x, true); }), "no error");
  const Tensor y = block(x, false);
  const nn::Dense fc("other", 2);
  EXPECT_NE(error_of([&] { fc(scalar); }), "no error");
  EXPECT_EQ(fc(x).shape(), (Shape{2, 2}));
  g.minimize(mean(y), {.learning_rate = 0});
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(session.variables(), ::testing::IsSupersetOf({"fc.weight", "fc.bias", "bn.running_mean"}));
  const HostTensor batch = sines({2, 3}, 1);
  session.train({{"x", batch}});
  for (int64_t c = 0; c < 3; ++c)  // the statistics move once
    EXPECT_NEAR(session.variable("bn.running_mean").at(c), 0.05 * (batch.at(c) + batch.at(3 + c)), 1e-6);
}

}  // namespace
}  // namespace cutset

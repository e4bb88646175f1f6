// SPDX-License-Identifier: Apache-2.0
// Tests the functions of a graph: their inputs, their results, and when they are compiled again.
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

HostTensor numbers(const Shape& shape, float first = 0) {
  HostTensor t({f32, shape});
  for (int64_t i = 0; i < t.type().elements(); ++i)
    t.as<float>()[i] = first + 0.25f * static_cast<float>(i % 7);
  return t;
}
HostTensor labels(int64_t n) {
  HostTensor t({i32, {n}});
  for (int64_t i = 0; i < n; ++i) t.as<int32_t>()[i] = static_cast<int32_t>(i % 3);
  return t;
}
Batch examples(int64_t n) { return {{"x", numbers({n, 6})}, {"y", labels(n)}}; }

// Returns a classifier of rows with two functions besides "train" and "evaluate".
Graph classifier(int64_t batch = 4) {
  Graph g(3);
  Tensor x = g.input("x", f32, {batch, 6}), y = g.input("y", i32, {batch}), scale = g.input("scale", f32, {});
  Tensor hidden = tanh(nn::dense("a", x, 5)), logits = nn::dense("b", hidden, 3);
  g.output("hidden", hidden);
  g.minimize(mean(softmax_cross_entropy(logits, y)), {.learning_rate = 0.1, .momentum = 0.9});
  g.function("predict", {x}, {{"logits", logits}, {"class", argmax(logits)}});
  g.function("scaled", {x, scale}, {{"logits", logits * scale}});
  return g;
}

TEST(Functions, NeedTheirOwnInputsAlone) {
  Session session = compile(classifier(), {.devices = "reference:0,sim:0"});
  const Batch image = {{"x", numbers({4, 6})}};
  const auto predicted = session.predict(image);
  EXPECT_EQ(predicted.size(), 2u);
  EXPECT_EQ(predicted.at("logits").type(), (TensorType{f32, {4, 3}}));
  EXPECT_EQ(predicted.at("class").type(), (TensorType{i64, {4}}));
  Batch with_scale = image;
  with_scale.emplace("scale", HostTensor({f32, {}})).first->second.as<float>()[0] = 2;
  const auto scaled = session.run("scaled", with_scale);
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(scaled.at("logits").at(i), 2 * predicted.at("logits").at(i));
  EXPECT_THAT(error_of([&] { session.train(image); }),
              HasSubstr("the batch has no 'y', an input of 'train'"));
  EXPECT_THAT(error_of([&] { session.run("scaled", image); }), HasSubstr("no 'scale', an input of 'scaled'"));
}

TEST(Functions, OfTheGraphReturnEveryOutput) {
  Session session = compile(classifier(), {.devices = "reference:0"});
  const auto evaluated = session.evaluate(examples(4)), trained = session.train(examples(4));
  ASSERT_EQ(evaluated.size(), 2u);
  ASSERT_EQ(trained.size(), 2u);
  EXPECT_EQ(trained.at("hidden"), evaluated.at("hidden"));
  EXPECT_EQ(trained.at("loss"), evaluated.at("loss"));
  EXPECT_NE(session.evaluate(examples(4)).at("loss"), evaluated.at("loss"))
      << "the training step has changed the variables";
}

TEST(Functions, EvaluateMayBeTheUsers) {
  Graph g;
  Tensor x = g.input("x", f32, {3}), w = g.variable("w", f32, {3}, Initializer::uniform(0, 1));
  g.output("product", x * w);
  g.minimize(sum(x * w), {});
  g.function("evaluate", {}, {{"weights", w}});
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(session.evaluate({}).at("weights"), session.variable("w"));
  EXPECT_EQ(session.train({{"x", numbers({3})}}).size(), 2u);
}

// A function is compiled for a new batch size when it runs with that size, and not when another function runs
// with it.
TEST(Functions, AnotherBatchSizeIsCompiledForTheFunctionThatMeetsIt) {
  for (const char* strategy : {"pipeline(2, micro_batches=1)", "data(2, shares=2:1)"}) {
    Session session = compile(classifier(), {.devices = "reference:0,sim:0", .strategy = strategy});
    Session one = compile(classifier(7), {.devices = "reference:0"});
    for (const char* v : {"a.weight", "a.bias", "b.weight", "b.bias"})
      session.set_variable(v, one.variable(v));
    const Batch seven = {{"x", numbers({7, 6})}};
    const auto want = one.run("predict", seven), got = session.run("predict", seven);
    EXPECT_EQ(got.at("logits"), want.at("logits")) << strategy;
    EXPECT_EQ(got.at("class"), want.at("class")) << strategy;
    for (int64_t n : {7, 4, 1, 7}) {  // both functions read the same variables
      const auto logits = session.run("predict", {{"x", numbers({n, 6})}}).at("logits");
      one.run("train", examples(n));
      session.train(examples(n));
      EXPECT_NE(session.run("predict", {{"x", numbers({n, 6})}}).at("logits"), logits);
    }
    EXPECT_LE(std::abs(session.variable("b.weight").at(0) - one.variable("b.weight").at(0)), 1e-6)
        << strategy;
  }
}

TEST(Functions, ABatchMayHaveInputsThatAFunctionDoesNotRead) {
  Session session = compile(classifier(), {.devices = "reference:0"});
  EXPECT_EQ(error_of([&] { session.run("predict", examples(4)); }), "no error");
  Batch misspelt = examples(4);
  misspelt.emplace("z", labels(4));
  EXPECT_THAT(error_of([&] { session.train(misspelt); }),
              HasSubstr("'z', which is not an input of the graph"));
  EXPECT_THAT(error_of([&] { session.train(misspelt); }), HasSubstr("scale, x, y"));
}

TEST(Functions, AnInputThatNoResultDependsOnIsNotDemanded) {
  Graph g;
  Tensor x = g.input("x", f32, {3});
  g.input("unused", f32, {5, 3});
  g.output("y", relu(x));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_EQ(error_of([&] { session.evaluate({{"x", numbers({3})}}); }), "no error");
  // The unused input may have any shape, because no op reads it.
  EXPECT_EQ(error_of([&] { session.evaluate({{"x", numbers({5})}, {"unused", numbers({2})}}); }), "no error");
  EXPECT_SAME_ON(g, "reference:0,sim:0",
                 "data(2)");  // the unused input has another number of rows than the batch
}

TEST(Functions, MistakesAreErrorsAtTheirLine) {
  Graph g, other;
  Tensor x = g.input("x", f32, {3}), y = g.input("y", f32, {3}), z = x * y;
  EXPECT_THAT(error_of([&] { g.function("f", {x}, {{"z", z}}); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { g.function("f", {x}, {{"z", z}}); }), HasSubstr("depends on the input 'y'"));
  EXPECT_THAT(error_of([&] { g.function("f", {x, x}, {{"x", x}}); }), HasSubstr("lists the input 'x' twice"));
  EXPECT_THAT(error_of([&] { g.function("f", {z}, {{"z", z}}); }), HasSubstr("not an input of the graph"));
  EXPECT_THAT(error_of([&] { g.function("f", {x, y}, {{"z", z}, {"z", x}}); }), HasSubstr("two outputs 'z'"));
  EXPECT_THAT(error_of([&] { g.function("f", {x, y}, {}); }), HasSubstr("has no output"));
  EXPECT_THAT(error_of([&] { g.function("", {x, y}, {{"z", z}}); }),
              HasSubstr("the name of a function is empty"));
  EXPECT_THAT(error_of([&] { g.function("train", {x, y}, {{"z", z}}); }),
              HasSubstr("minimize() makes 'train'"));
  EXPECT_THAT(error_of([&] { g.function("f", {x, y}, {{"z", Tensor()}}); }), HasSubstr("empty Tensor"));
  EXPECT_THAT(error_of([&] { g.function("f", {other.input("x", f32, {3})}, {{"x", x}}); }),
              HasSubstr("another graph"));
  EXPECT_EQ(error_of([&] { g.function("f", {y, x}, {{"z", z}}); }), "no error")
      << "no failed call has made the function";
  EXPECT_THAT(error_of([&] { g.function("f", {x}, {{"x", x}}); }),
              HasSubstr("there is a function 'f' already"));
  g.output("z", z);
  EXPECT_THAT(error_of([&] { g.output("z", x); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { g.output("z", x); }), HasSubstr("there is an output 'z' already"));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(error_of([&] { session.run("g", {}); }), HasSubstr("no function 'g' (it has: evaluate, f; "));
}

// An output may be an input or a variable, which no op computes.
TEST(Outputs, AreInputsVariablesAndConstantsToo) {
  Graph g(5);
  Tensor x = g.input("x", f32, {6, 2}), rate = g.input("rate", f32, {});
  Tensor w = g.variable("w", f32, {2}, Initializer::uniform(0, 1));
  Tensor y = x * w;
  g.output("x", x);
  g.output("rate", rate);
  g.output("w", w);
  g.output("again", w);
  g.output("ones", ops::full_like(w, {.value = 1}));
  g.output("count", ops::count(x, {.axes = {0}}));
  g.output("same", -(-x));
  g.output("view", reshape(x, {.shape = {-1}}));
  g.minimize(sum(y), {.learning_rate = 1});
  g.function("state", {x}, {{"w", w}, {"x", x}});
  Batch batch = {{"x", numbers({6, 2})}, {"rate", HostTensor({f32, {}})}};
  batch.at("rate").as<float>()[0] = 7;
  for (auto [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("sim:0,reference:0", "pipeline(2, micro_batches=1)"),
        std::pair("reference:0,sim:0", "data(2, shares=2:1)"),
        std::pair("reference:0,sim:0,reference:1,sim:1", "data(2) * pipeline(2, micro_batches=1)")}) {
    SCOPED_TRACE(std::string(devices) + " " + strategy);
    Session session = compile(g, {.devices = devices, .strategy = strategy});
    for (const char* function : {"evaluate", "train"}) {
      const HostTensor before = session.variable("w");
      const auto got = session.run(function, batch);
      ASSERT_EQ(got.size(), 9u);
      EXPECT_EQ(got.at("x"), batch.at("x"));
      EXPECT_EQ(got.at("same"), batch.at("x"));
      EXPECT_EQ(got.at("view").reshaped({6, 2}), batch.at("x"));
      EXPECT_EQ(got.at("rate").at(0), 7);
      EXPECT_EQ(got.at("w"), before) << "before the step";
      EXPECT_EQ(got.at("again"), before);
      EXPECT_EQ(got.at("ones").at(1), 1);
      EXPECT_EQ(got.at("count").at(0), 6);
    }
    EXPECT_EQ(session.run("state", {{"x", batch.at("x")}}).at("w"), session.variable("w"));
    EXPECT_SAME_ON(g, devices, strategy);
  }
}

TEST(Functions, AnIdentityHasNoOpAtAll) {
  Graph g;
  Tensor x = g.input("x", f32, {3});
  g.function("identity", {x}, {{"x", x}});
  Session session = compile(g, {.devices = "sim:0"});
  EXPECT_EQ(session.run("identity", {{"x", numbers({3}, 1)}}).at("x"), numbers({3}, 1));
}

TEST(Functions, AreAllVerified) {
  for (const std::string other : {"cpu:0", "sim:0"}) {
    if (!testing::have_devices(other)) continue;
    EXPECT_SAME_ON(classifier(), "reference:0," + other, "data(2, shares=3:1)");
    EXPECT_SAME_ON(classifier(), "reference:0," + other, "pipeline(2, micro_batches=1)");
  }
  const Batch batches[] = {testing::random_batch(classifier(), 1)};
  const VerifyResult all = verify(classifier(), {.devices = "reference:0"}, batches);
  Graph less(3);
  Tensor x = less.input("x", f32, {4, 6});
  less.function("predict", {x}, {{"h", tanh(nn::dense("a", x, 5))}});
  const Batch x_alone[] = {testing::random_batch(less, 1)};
  const VerifyResult few = verify(less, {.devices = "reference:0"}, x_alone);
  EXPECT_TRUE(few.same);
  EXPECT_EQ(few.ops, 3) << "matmul, add and tanh of 'predict', which is the only function";
  EXPECT_GT(all.ops, 4 * few.ops);
}

TEST(SavedFunctions, AreAllThere) {
  const TemporaryFolder folder;
  const std::string path = folder.path("functions.cutset");
  const CompileOptions options{.devices = "reference:0,sim:0", .strategy = "data(2)"};
  EXPECT_TRUE(save_program(classifier(), options, path).complete());
  SavedProgram saved = load_program(path);
  EXPECT_EQ(saved.functions(), (std::vector<std::string>{"train", "evaluate", "predict", "scaled"}));
  ASSERT_EQ(saved.inputs("predict").size(), 1u);
  EXPECT_EQ(saved.inputs("predict")[0].name, "x");
  Session session = compile(classifier(), options);
  EXPECT_EQ(saved.run("predict", examples(4)).at("logits"), session.run("predict", examples(4)).at("logits"));
  Batch misspelt = examples(4);
  misspelt.emplace("z", labels(4));
  EXPECT_THAT(error_of([&] { saved.run("predict", misspelt); }), HasSubstr("'z', which is not an input"));
  EXPECT_THAT(error_of([&] { saved.run("g", {}); }), HasSubstr("no function 'g'"));
}

// A session keeps the graph as it was when it was compiled. Ops that are added later are not part of it, for
// any batch size.
TEST(Snapshot, WhatIsAddedAfterCompileIsNotInTheSession) {
  Graph g(3);
  Tensor x = g.input("x", f32, {4, 6}), w = g.variable("w", f32, {6}, Initializer::uniform(1, 2));
  g.output("y", x * w);
  Session before = compile(g, {.devices = "reference:0"});
  Tensor late = g.input("late", f32, {6}), v = g.variable("v", f32, {6}, Initializer::uniform(10, 12));
  g.output("z", x * v * late);
  g.function("f", {x}, {{"y", x * v}});
  const auto got = before.run("evaluate", {{"x", numbers({9, 6})}});
  EXPECT_EQ(got.size(), 1u);
  EXPECT_EQ(before.variables(), std::vector<std::string>{"w"});
  EXPECT_THAT(error_of([&] { before.run("f", {}); }), HasSubstr("no function 'f'"));
  EXPECT_THAT(error_of([&] { before.run("evaluate", {{"x", numbers({4, 6})}, {"late", numbers({6})}}); }),
              HasSubstr("'late', which is not an input"));
  Session after = compile(g, {.devices = "reference:0"});
  const auto both = after.run("evaluate", {{"x", numbers({9, 6})}, {"late", numbers({6}, 1)}});
  EXPECT_EQ(both.size(), 2u);
  EXPECT_EQ(both.at("y"), got.at("y"));
}

TEST(Graph, CopiesAreHandlesOfOneGraph) {
  Graph g;
  Graph copy = g;
  copy.output("y", relu(g.input("x", f32, {3})));
  EXPECT_EQ(g.inputs().size(), 1u);
  EXPECT_EQ(compile(g, {.devices = "reference:0"}).run("evaluate", {{"x", numbers({3})}}).size(), 1u);
}

}  // namespace
}  // namespace cutset

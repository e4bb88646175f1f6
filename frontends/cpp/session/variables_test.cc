// SPDX-License-Identifier: Apache-2.0
// Tests variables: training, assignment, names, saving and loading.
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>

#include <cmath>

#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset {
namespace {

using testing::error_of;
using ::testing::HasSubstr;

Batch rows(int64_t n, uint64_t step) {
  HostTensor x({f32, {n, 3}});
  for (int64_t i = 0; i < x.type().elements(); ++i)
    x.as<float>()[i] = std::sin(static_cast<float>(i + 1) * 1.7f + static_cast<float>(step));
  return {{"x", std::move(x)}};
}

TEST(Variables, ThatAreNotTrainableStay) {
  Graph g(1);
  Tensor x = g.input("x", f32, {4, 3});
  Tensor w = g.variable("w", f32, {3}, Initializer::uniform(1, 2));
  Tensor fixed = g.variable("fixed", f32, {3}, Initializer::uniform(1, 2), {.trainable = false});
  g.minimize(mean(tanh(x * w * fixed)), {.learning_rate = 0.1, .momentum = 0.9});
  Session session = compile(g, {.devices = "reference:0", .gradients = true});
  const HostTensor before = session.variable("fixed"), trained = session.variable("w");
  EXPECT_FALSE(session.train(rows(4, 0)).contains("gradient:fixed"));
  EXPECT_EQ(session.variable("fixed"), before);
  EXPECT_NE(session.variable("w"), trained);
  EXPECT_THAT(session.variables(), ::testing::Not(::testing::Contains("fixed/velocity")));
  EXPECT_GRADIENTS(g);
  EXPECT_SAME_ON(g, "reference:0,sim:0", "data(2)");
}

// A variable starts with the given elements in every session of the graph, in f64, in replicas, in a saved
// program and in a verification.
TEST(Variables, StartWithTheElementsThatTheyAreGiven) {
  Graph g(4);
  Tensor x = g.input("x", f32, {4, 3});
  Tensor w = g.variable("w", HostTensor({3}, {1.5f, -2.0f, 0.25f}));
  Tensor n = g.variable("n", HostTensor({2}, {int64_t{1} << 40, int64_t{-3}}), {.trainable = false});
  g.output("n", n);
  g.minimize(mean(x * w), {.learning_rate = 0.5, .momentum = 0.9});
  for (const auto& [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("cpu:0", ""), std::pair("reference:0,sim:0", "data(2)"),
        std::pair("reference:0,sim:0", "tensor(2)")}) {
    Session session = compile(g, {.devices = devices, .strategy = strategy});
    EXPECT_EQ(session.variable("w"), HostTensor({3}, {1.5f, -2.0f, 0.25f})) << strategy;
    EXPECT_EQ(session.variable("n").at(0), 0x1p40);
    session.train(rows(4, 0));
    EXPECT_NE(session.variable("w").at(0), 1.5);
    EXPECT_EQ(session.variable("n").at(1), -3);
  }
  EXPECT_EQ(compile(g, {.devices = "reference:0", .f64 = true}).variable("w"),
            HostTensor({3}, {1.5, -2.0, 0.25}));
  const TemporaryFile file("elements.cutset");
  save_program(g, {.devices = "reference:0"}, file.path);
  EXPECT_EQ(load_program(file.path).run("evaluate", rows(4, 0))["n"].at(0), 0x1p40);
  EXPECT_SAME_ON(g, "reference:0,sim:0", "data(2)");
  EXPECT_THAT(error_of([&] { g.variable("w", HostTensor({1}, {1.0f})); }),
              HasSubstr("there is a variable 'w' already"));
  EXPECT_THAT(error_of([&] { g.variable("a b", HostTensor({1}, {1.0f})); }),
              HasSubstr("the name 'a b' of a variable"));
}

// A variable may have one row per sample of the batch. Each replica then updates all of it.
TEST(Variables, MayBeAsLongAsTheBatch) {
  Graph g(1);
  Tensor x = g.input("x", f32, {6, 3}), w = g.variable("w", f32, {6, 3}, Initializer::uniform(1, 2));
  g.minimize(mean(tanh(x * w)), {.learning_rate = 1, .momentum = 0.9});
  Session one = compile(g, {.devices = "reference:0"}),
          two = compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2, shares=2:1)"});
  for (uint64_t step = 0; step < 3; ++step) {
    one.run("train", rows(6, step));
    two.run("train", rows(6, step));
  }
  EXPECT_EQ(one.variable("w"), two.variable("w"));
  EXPECT_EQ(two.variable("w"), two.variable("w", 1));
  EXPECT_SAME_ON(g, "reference:0,sim:0", "data(2, shares=2:1)");
}

TEST(Variables, NamesThatFunctionsHaveAreRefused) {
  Graph g;
  Tensor x = g.input("x", f32, {3});
  g.function("f", {x}, {{"x", x}});
  for (const char* name : {"train", "evaluate", "graph", "f"}) {
    EXPECT_THAT(error_of([&] { g.variable(name, f32, {3}, {}); }), HasSubstr(CUTSET_HERE));
    EXPECT_THAT(error_of([&] { g.variable(name, f32, {3}, {}); }),
                HasSubstr("because a function has that name"));
  }
  g.variable("v", f32, {3}, {});
  EXPECT_THAT(error_of([&] { g.function("v", {x}, {{"x", x}}); }),
              HasSubstr("because a variable has that name"));
}

TEST(Variables, OtherNamesWork) {
  Graph g(1);
  Tensor loss;
  for (const char* name : {"a/b", "a", "train/reference:0", "train/reference:0/forward0",
                           "train/reference:0/update", "cutset.w", "w-1", "0", "velocity"}) {
    Tensor v = g.variable(name, f32, {3}, Initializer::uniform(1, 2));
    loss = loss.defined() ? loss + sum(v * v) : sum(v * v);
  }
  g.minimize(loss, {.learning_rate = 0.1, .momentum = 0.9});
  Session session = compile(g, {.devices = "reference:0"});
  const HostTensor before = session.variable("train/reference:0/forward0");
  session.train({});
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(session.variable("train/reference:0/forward0").at(i), 0.8 * before.at(i), 1e-6);
  const TemporaryFile file("names.safetensors");
  session.save(file.path);
  EXPECT_TRUE(session.load(file.path).complete());
  EXPECT_SAME_ON(g, "reference:0,sim:0", "pipeline(2, micro_batches=1)");
}

TEST(Variables, AFileHoldsNotes) {
  Graph g;
  const Tensor v = g.variable("v", f32, {2}, Initializer::uniform(1, 2));
  g.minimize(sum(v * v), {.learning_rate = 0.1});
  Session session = compile(g, {.devices = "reference:0"});
  session.train({});
  const TemporaryFile file("notes.safetensors");
  const std::map<std::string, std::string> notes = {{"epoch", "3"}, {"text", "a \"b\" \n c"}};
  session.save(file.path, notes);
  EXPECT_EQ(read_notes(file.path), notes);
  EXPECT_THAT(testing::error_of([&] { session.save(file.path, {{"cutset.step", "7"}}); }),
              ::testing::HasSubstr("reserved"));
  EXPECT_EQ(read_notes(file.path), notes) << "a save that throws leaves the file as it was";
  Session other = compile(g, {.devices = "reference:0"});
  EXPECT_TRUE(other.load(file.path).complete());
  EXPECT_EQ(other.step(), 1u);
  EXPECT_EQ(other.variable("v"), session.variable("v"));
  session.save(file.path);
  EXPECT_TRUE(read_notes(file.path).empty());
  EXPECT_NE(testing::error_of([&] { read_notes(file.path + ".missing"); }), "no error");
}

// A checkpoint holds whole tensors, so a session can continue under another strategy than the strategy of the
// session that saved it.
TEST(Variables, PiecesOfATensorAxisAreSavedAndLoadedAsWholeTensors) {
  const auto graph = [] {
    Graph g(5);
    Tensor x = g.input("x", f32, {6, 8});
    Tensor h = tanh(nn::dense("up", x, 31));
    g.minimize(mean(nn::dense("down", h, 9)), {.learning_rate = 0.1, .momentum = 0.9});
    return g;
  }();
  HostTensor x({f32, {6, 8}});
  for (int64_t i = 0; i < 48; ++i) x.set(i, 0.1 * static_cast<double>(i % 7));
  Session one = compile(graph, {.devices = "reference:0"}),
          divided = compile(graph, {.devices = "sim:0,reference:0", .strategy = "tensor(2)"}),
          other = compile(graph, {.devices = "sim:0,sim:1,reference:0", .strategy = "tensor(3)"});
  EXPECT_EQ(divided.variable("up.weight"), one.variable("up.weight")) << "the initial values are the same";
  EXPECT_EQ(divided.replicas(), 1);
  EXPECT_EQ(divided.copies("up.weight"), 1);
  EXPECT_THAT(error_of([&] { divided.copies("w"); }), HasSubstr("there is no variable 'w'"));
  for (int i = 0; i < 3; ++i) {
    one.train({{"x", x}});
    divided.train({{"x", x}});
  }
  const TemporaryFile file("pieces.safetensors");
  divided.save(file.path);
  EXPECT_TRUE(one.load(file.path).complete());
  EXPECT_TRUE(other.load(file.path).complete());
  for (const std::string& name : divided.variables()) {
    EXPECT_EQ(one.variable(name), divided.variable(name)) << name;
    EXPECT_EQ(other.variable(name), divided.variable(name)) << name;
  }
  const double want = one.train({{"x", x}})["loss"].item<double>();
  EXPECT_NEAR(divided.train({{"x", x}})["loss"].item<double>(), want, 1e-6);
  EXPECT_NEAR(other.train({{"x", x}})["loss"].item<double>(), want, 1e-6);
  EXPECT_THAT(error_of([&] { divided.set_variable("up.weight", HostTensor({f32, {2}})); }),
              HasSubstr("not 2xf32"));
}

TEST(Variables, TheNameOfAnOptimizersStateIsRefusedWhereItIsTrained) {
  Graph g;
  Tensor w = g.variable("w", f32, {3}, Initializer::uniform(1, 2));
  Tensor v = g.variable("w/velocity", f32, {3}, Initializer::uniform(1, 2));
  const int line = __LINE__ - 1;
  g.minimize(sum(w * v), {.learning_rate = 0.1, .momentum = 0.9});
  const std::string error = error_of([&] { compile(g, {.devices = "reference:0"}); });
  EXPECT_THAT(
      error,
      HasSubstr("'w/velocity' has the name of the velocity that the optimizer 'sgd' keeps of variable 'w'"));
  EXPECT_THAT(error, HasSubstr("variables_test.cc:" + std::to_string(line)));
}

Graph net(bool trains, const char* extra = nullptr) {
  Graph g(7);
  Tensor x = g.input("x", f32, {4, 3}), y = nn::dense("a", x, 2);
  if (extra) y = nn::dense(extra, y, 2);
  g.function("predict", {x}, {{"y", y}});
  if (trains) g.minimize(mean(y * y), {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}

TEST(Checkpoint, OfTrainingIsLoadedByAGraphThatPredicts) {
  const TemporaryFile file("ck.safetensors"), program("ck.cutset"), poor("poor.safetensors");
  Session training = compile(net(true), {.devices = "reference:0"});
  training.run("train", rows(4, 0));
  training.save(file.path);
  const auto want = training.run("predict", rows(4, 1)).at("y");
  Session predicting = compile(net(false), {.devices = "reference:0"});
  EXPECT_TRUE(predicting.load(file.path).complete());
  EXPECT_EQ(predicting.run("predict", rows(4, 1)).at("y"), want);
  EXPECT_TRUE(
      save_program(net(false), {.devices = "reference:0"}, program.path, {.weights = file.path}).complete());
  EXPECT_EQ(load_program(program.path).run("predict", rows(4, 1)).at("y"), want);
  // If the file has fewer tensors than the graph has variables, load returns the names of the others.
  predicting.save(poor.path);
  EXPECT_EQ(training.load(poor.path).missing_states,
            (std::vector<std::string>{"a.bias/velocity", "a.weight/velocity"}));
  Session deeper = compile(net(false, "b"), {.devices = "reference:0"});
  EXPECT_EQ(deeper.load(file.path).missing, (std::vector<std::string>{"b.bias", "b.weight"}));
  // A tensor that is not a variable, and the state of a variable that does not exist, are refused.
  Session other = compile(net(true, "b"), {.devices = "reference:0"});
  other.save(file.path);
  EXPECT_THAT(error_of([&] { predicting.load(file.path); }), HasSubstr("'b.bias', which is not a variable"));
}

TEST(Variables, ThatCannotStartAreRefusedAndLeaveNothing) {
  Graph g;
  for (const Initializer& bad : {Initializer::uniform(1, 0), Initializer::normal(0, -1)}) {
    EXPECT_THAT(error_of([&] { g.variable("w", f32, {3}, bad); }), HasSubstr("variable 'w': "));
    EXPECT_THAT(error_of([&] { g.variable("w", f32, {3}, bad); }), HasSubstr(CUTSET_HERE));
  }
  EXPECT_THAT(error_of([&] { g.variable("w", i32, {3}, Initializer::uniform(0, 1)); }),
              HasSubstr("draws numbers of a floating-point type only"));
  EXPECT_THAT(error_of([&] { g.variable("w", f32, {-3}, {}); }), HasSubstr(CUTSET_HERE));
  g.output("w", g.variable("w", f32, {3}, Initializer::uniform(2, 3)));
  EXPECT_GE(compile(g, {.devices = "reference:0"}).variable("w").at(0), 2);
}

}  // namespace
}  // namespace cutset

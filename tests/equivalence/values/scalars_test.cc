// SPDX-License-Identifier: Apache-2.0
// Tests the scalars that a session feeds to every run: the step number, on which random numbers depend, and
// the hyper-parameters. Also tests optimizer state and values with many uses.
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

using ::testing::AllOf;
using ::testing::HasSubstr;

Tensor dropout(Graph& g, const Tensor& x, double rate, int64_t stream) {
  Tensor u = random_uniform(x, g.step(), {.seed = 3, .stream = stream});
  Tensor kept = cast(greater(u, ops::full_like(u, {.value = rate})), {.dtype = f32});
  return x * kept / ops::full_like(x, {.value = 1 - rate});
}

// Returns a graph with dropout. The output h shows the mask of the first dropout. It has three dimensions, so
// that a row has more than one element.
Graph with_dropout(int64_t batch) {
  Graph g(7);
  Tensor x = g.input("x", f32, {batch, 5, 3}), y = g.input("y", i32, {batch});
  Tensor h = dropout(g, tanh(x), 0.4, 1);
  g.output("h", h);
  Tensor hidden = dropout(g, tanh(nn::dense("a", flatten(h), 9)), 0.25, 2);
  g.minimize(mean(softmax_cross_entropy(nn::dense("b", hidden, 4), y)),
             {.learning_rate = 0.1, .momentum = 0.9});
  return g;
}
Batch batch_of(int64_t batch) { return random_batch(with_dropout(batch), 1); }

TEST(Step, DropoutDrawsOtherMasksInEachStepAndTheSameUnderEveryStrategy) {
  struct Setting {
    const char *devices, *strategy;
  };
  std::vector<std::vector<unsigned char>> want;
  std::vector<double> losses;
  for (const Setting& s :
       {Setting{"reference:0", ""}, Setting{"reference:0,reference:1", "data(2)"},
        Setting{"reference:0,reference:1,reference:2", "data(3, shares=5:2:1)"},
        Setting{"reference:0,sim:0", "pipeline(2, micro_batches=1)"}, Setting{"sim:0", ""},
        Setting{"cpu:0", ""}, Setting{"opencl:0", ""}, Setting{"reference:0,opencl:0", "data(2)"}}) {
    if (!have(s.devices)) continue;
    SCOPED_TRACE(std::string(s.devices) + " " + s.strategy);
    Session session = compile(with_dropout(11), {.devices = s.devices, .strategy = s.strategy});
    std::vector<std::vector<unsigned char>> masks;
    for (int step = 0; step < 4; ++step) {
      const double loss = session.train(batch_of(11))["loss"].item<double>();
      const HostTensor h = session.evaluate(batch_of(11)).at("h");
      auto& mask = masks.emplace_back();
      for (int64_t i = 0; i < h.elements(); ++i) mask.push_back(h.at(i) != 0);
      if (want.empty()) losses.push_back(loss);
      EXPECT_NEAR(loss, losses[static_cast<size_t>(step)], 1e-5) << "step " << step;
    }
    if (want.empty()) want = masks;
    EXPECT_EQ(masks, want);
    EXPECT_EQ(std::set(masks.begin(), masks.end()).size(), 4u) << "each step has a mask of its own";
    const int64_t kept = std::count(masks[0].begin(), masks[0].end(), 1);
    EXPECT_GT(kept, 11 * 15 * 0.6 * 0.7);
    EXPECT_LT(kept, 11 * 15 * 0.6 * 1.3);
  }
}

TEST(Step, VerifyAgreesOnDropout) {
  EXPECT_SAME_ON(with_dropout(11), "reference:0,sim:0", "data(2)");
  EXPECT_SAME_ON(with_dropout(11), "reference:0,sim:0", "pipeline(2, micro_batches=1)");
  EXPECT_GRADIENTS(with_dropout(6));
}

TEST(Step, IsOneCountOfCommittedTrainingSteps) {
  Session session = compile(with_dropout(6), {.devices = "reference:0"});
  EXPECT_EQ(session.step(), 0u);
  session.evaluate(batch_of(6));
  EXPECT_EQ(session.step(), 0u) << "nothing was trained";
  session.train(batch_of(6));
  session.train(batch_of(4));
  EXPECT_EQ(session.step(), 2u) << "one count for all shapes";
  Batch bad = batch_of(6);
  bad.at("x").as<float>()[0] = std::nanf("");
  EXPECT_THAT(error_of([&] { session.train(bad); }), HasSubstr("step 3"));
  EXPECT_EQ(session.step(), 2u) << "a step that is not committed does not count";
  const TemporaryFile file("scalars");
  session.save(file.path);
  Session other = compile(with_dropout(6), {.devices = "reference:0"});
  other.load(file.path);
  EXPECT_EQ(other.step(), 2u);
  EXPECT_EQ(session.train(batch_of(6)).at("loss"), other.run("train", batch_of(6)).at("loss"))
      << "both sessions draw the same masks";
}

TEST(Step, WrongMetadataIsRefusedAndMissingMetadataKeepsTheCount) {
  const TemporaryFile file("scalars");
  Session session = compile(with_dropout(6), {.devices = "reference:0"});
  session.train(batch_of(6));
  ASSERT_TRUE(write_safetensors(file.path, {}, {{"cutset.step", "-3"}}).ok());
  EXPECT_THAT(error_of([&] { session.load(file.path); }), HasSubstr("'-3', not a number of steps"));
  ASSERT_TRUE(write_safetensors(file.path, {}, {{"format", "pt"}}).ok());
  session.load(file.path);
  EXPECT_EQ(session.step(), 1u);
}

// The tensor is so small that a constant of its size would be folded.
TEST(Step, SmallRandomTensorsAreNotFoldedToConstants) {
  Graph g;
  Tensor x = g.input("x", f32, {4});
  g.output("u", random_uniform(x, g.step(), {.seed = 1, .stream = 2}));
  g.minimize(sum(x * g.variable("w", f32, {4}, Initializer::uniform(0, 1))), {});
  Session session = compile(g, {.devices = "reference:0"});
  const Batch batch{{"x", HostTensor({f32, {4}})}};
  const auto before = session.evaluate(batch).at("u");
  EXPECT_EQ(session.evaluate(batch).at("u"), before);
  session.train(batch);
  EXPECT_NE(session.evaluate(batch).at("u"), before);
}

Graph quadratic(const Sgd& sgd) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {4}, Initializer::normal(0, 1)), target = g.input("target", f32, {4});
  Tensor d = w - target;
  g.minimize(sum(d * d), sgd);
  return g;
}
Batch target(float value) {
  HostTensor t({f32, {4}});
  for (int i = 0; i < 4; ++i) t.as<float>()[i] = value;
  return {{"target", t}};
}

TEST(HyperParameter, ANewValueActsLikeAnInitialOneWithoutACompilation) {
  for (const char* devices : {"reference:0", "cpu:0", "sim:0", "opencl:0"}) {
    if (!have(devices)) continue;
    Session changed = compile(quadratic({.learning_rate = 0.1}), {.devices = devices}),
            given = compile(quadratic({.learning_rate = 0.02, .momentum = 0.75}), {.devices = devices});
    EXPECT_EQ(changed.hyper_parameters(),
              (std::map<std::string, double>{{"learning_rate", 0.1}, {"momentum", 0}}));
    changed.set_hyper_parameter("learning_rate", 0.02);
    changed.set_hyper_parameter("momentum", 0.75);
    EXPECT_EQ(changed.hyper_parameter("learning_rate"), 0.02);
    for (int i = 0; i < 3; ++i) {
      changed.run("train", target(1));
      given.run("train", target(1));
    }
    EXPECT_EQ(changed.variable("w"), given.variable("w")) << devices;
    const auto before = changed.variable("w");
    changed.set_hyper_parameter("learning_rate", 0);
    changed.run("train", target(1));
    EXPECT_EQ(changed.variable("w"), before) << devices;
    EXPECT_EQ(changed.compilations(), 1);
  }
}

TEST(HyperParameter, IsAScalarThatAnyOpMayRead) {
  Graph g(1);
  Tensor x = g.input("x", f32, {3});
  Tensor scale = g.hyper_parameter("scale", 2);
  g.output("y", x * scale);
  g.output("z", x + g.hyper_parameter("scale", 2));
  Session session = compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  HostTensor x3({f32, {3}});
  for (int i = 0; i < 3; ++i) x3.as<float>()[i] = static_cast<float>(i);
  EXPECT_EQ(session.evaluate({{"x", x3}}).at("y").at(2), 4);
  session.set_hyper_parameter("scale", -1);
  const auto out = session.evaluate({{"x", x3}});
  EXPECT_EQ(out.at("y").at(2), -2);
  EXPECT_EQ(out.at("z").at(2), 1);
  EXPECT_EQ(session.compilations(), 1);
}

TEST(HyperParameter, UnknownNamesAndValuesThatAreNotFiniteAreRefused) {
  Graph g = quadratic({});
  const double infinite = std::numeric_limits<double>::infinity();
  const int line = __LINE__ + 1;
  const std::string not_finite = error_of([&] { g.hyper_parameter("scale", std::nan("")); });
  EXPECT_THAT(not_finite,
              AllOf(HasSubstr("not a finite f32"), HasSubstr("scalars_test.cc:" + std::to_string(line))));
  EXPECT_THAT(error_of([&] { quadratic({.learning_rate = infinite}); }), HasSubstr("'learning_rate' is inf"));
  EXPECT_THAT(error_of([&] { g.hyper_parameter("target", 1); }), HasSubstr("already"));
  g.hyper_parameter("scale", 1);
  EXPECT_THAT(error_of([&] { g.hyper_parameter("scale", 2); }), HasSubstr("'scale' exists already"));
  Session session = compile(g, {.devices = "reference:0"});
  EXPECT_THAT(error_of([&] { session.set_hyper_parameter("learning_rate", infinite); }), HasSubstr("finite"));
  EXPECT_THAT(error_of([&] { session.set_hyper_parameter("learning_rate", 1e39); }),
              HasSubstr("not a finite f32"));
  EXPECT_THAT(error_of([&] { session.set_hyper_parameter("rate", 1); }),
              AllOf(HasSubstr("no hyper-parameter 'rate'"), HasSubstr("learning_rate, momentum")));
  EXPECT_EQ(session.hyper_parameter("learning_rate"), 0.01);
  Session wide = compile(quadratic({}), {.devices = "reference:0", .f64 = true});
  wide.set_hyper_parameter("learning_rate", 1e39);
  EXPECT_EQ(wide.hyper_parameter("learning_rate"), 1e39);
}

// Sessions and saved programs refuse the same values as minimize, clip_gradients and average_weights do.
TEST(HyperParameter, ValuesOutsideTheirRangesAreRefused) {
  const double infinite = std::numeric_limits<double>::infinity();
  struct Row {
    Optimizer optimizer;
    std::string name;
    std::vector<double> bad, good;
  };
  const Row rows[] = {
      {Adam{}, "learning_rate", {-1e-9, -5}, {0, 2}},
      {Adam{}, "beta1", {1, 0.99999999, 2, -0.1}, {0, 0.5}},
      {AdamW{}, "beta2", {1, -3}, {0.9999}},
      {Lamb{}, "epsilon", {-1}, {0, 1e-3}},
      {Adagrad{}, "learning_rate_decay", {-1}, {0.1}},
      {RmsProp{}, "alpha", {1, -0.5}, {0.5}},
      {RmsProp{}, "momentum", {-0.5}, {0.5, 1}},
      {Sgd{}, "momentum", {-1}, {0, 0.9}},
      {Sgd{.weight_decay = 0.1}, "weight_decay", {-0.1}, {0}},
      {Sgd{.momentum = 0.9, .nesterov = true}, "momentum", {0, -1}, {0.5}},
      {Sgd{.momentum = 0.9, .nesterov = true}, "dampening", {0.1, -1}, {0}},
      {Adam{}, "clip_value", {0, -1}, {1e-3}},
      {Adam{}, "clip_norm", {0, -1}, {5}},
      {Adam{}, "average_decay", {1, 2, -1}, {0, 0.5}},
      {Adam{}, "own", {infinite}, {-3, 1}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Graph g(1);
    Tensor w = g.variable("w", f32, {}, Initializer::uniform(1, 2));
    g.minimize(w * w * g.hyper_parameter("own", 1), row.optimizer);
    g.clip_gradients({.value = 1, .norm = 1});
    g.average_weights({.functions = {}});
    const TemporaryFile file("ranges");
    save_program(g, {.devices = "reference:0"}, file.path);
    Session session = compile(g, {.devices = "reference:0"});
    SavedProgram saved = load_program(file.path);
    const double before = session.hyper_parameter(row.name);
    for (const double bad : row.bad) {
      EXPECT_THAT(error_of([&] { session.set_hyper_parameter(row.name, bad); }),
                  HasSubstr("'" + row.name + "'"))
          << bad;
      EXPECT_THAT(error_of([&] { saved.set_hyper_parameter(row.name, bad); }),
                  HasSubstr("'" + row.name + "'"))
          << bad;
    }
    EXPECT_EQ(session.hyper_parameter(row.name), before);
    EXPECT_EQ(saved.hyper_parameters().at(row.name), before);
    for (const double good : row.good) {
      session.set_hyper_parameter(row.name, good);
      saved.set_hyper_parameter(row.name, good);
      EXPECT_EQ(session.hyper_parameter(row.name), good);
      EXPECT_EQ(session.train({}).at("loss"), saved.run("train", {}).at("loss"));
    }
  }
}

TEST(SavedPrograms, KeepWhatTheyHaveLearnt) {
  const TemporaryFile program("program"), checkpoint("checkpoint");
  save_program(with_dropout(6), {.devices = "reference:0"}, program.path);
  SavedProgram trained = load_program(program.path), fresh = load_program(program.path);
  Session session = compile(with_dropout(6), {.devices = "reference:0"});
  for (int i = 0; i < 3; ++i) {
    trained.run("train", batch_of(6));
    session.train(batch_of(6));
  }
  EXPECT_EQ(trained.variables(), session.variables());
  for (const std::string& v : trained.variables()) EXPECT_EQ(trained.variable(v), session.variable(v)) << v;
  trained.save(checkpoint.path, {{"epoch", "7"}});
  EXPECT_EQ(read_notes(checkpoint.path).at("epoch"), "7");
  EXPECT_TRUE(fresh.load(checkpoint.path).complete());
  EXPECT_EQ(fresh.step(), 3u);
  EXPECT_EQ(fresh.run("train", batch_of(6)).at("loss"), session.train(batch_of(6)).at("loss"));
  EXPECT_THAT(error_of([&] { fresh.variable("w2"); }), HasSubstr("there is no variable 'w2'"));
  // A move assignment replaces the program of `fresh` by the program of `trained`.
  fresh = std::move(trained);
  EXPECT_EQ(fresh.step(), 3u);
  EXPECT_THAT(error_of([&] { trained.step(); }), HasSubstr("moved from"));
  trained = load_program(program.path);
  EXPECT_EQ(trained.step(), 0u);
}

TEST(Sessions, AreAssigned) {
  Session session = compile(with_dropout(6), {.devices = "reference:0"}),
          other = compile(quadratic({}), {.devices = "sim:0"});
  session.train(batch_of(6));
  other = std::move(session);
  EXPECT_EQ(other.step(), 1u);
  EXPECT_THAT(error_of([&] { session.step(); }), HasSubstr("moved from"));
  PrefetchedBatch ahead = other.prefetch("train", batch_of(6)), later = other.prefetch("train", batch_of(6));
  ahead = std::move(later);
  other.run(std::move(ahead));
  Session& itself = other;
  other = std::move(itself);
  EXPECT_EQ(other.step(), 2u);
  std::optional<Session> maybe;
  maybe = compile(quadratic({}), {.devices = "reference:0"});
  EXPECT_EQ(maybe->step(), 0u);
}

TEST(HyperParameter, TheGraphAndTheOptimizerShareOne) {
  Graph g(1);
  Tensor w = g.variable("w", f32, {}, Initializer::uniform(1, 2));
  Tensor rate = g.hyper_parameter("learning_rate", 0.5);
  g.output("rate", rate * rate);
  g.minimize(w * w, {.learning_rate = 0.5});
  Session session = compile(g, {.devices = "reference:0"});
  session.train({});
  EXPECT_EQ(session.variable("w").at(0), 0) << "w - 0.5 * 2 w";
  EXPECT_EQ(session.evaluate({})["rate"].item<double>(), 0.25);
  Graph other(1);
  Tensor v =
      other.variable("v", f32, {}, Initializer::uniform(1, 2)) * other.hyper_parameter("momentum", 0.25);
  other.minimize(v, {.momentum = 0.5});
  EXPECT_THAT(error_of([&] { compile(other, {.devices = "reference:0"}); }), HasSubstr("0.250000 here and"));
  Graph taken(1);
  Tensor rate_of_the_user = taken.input("learning_rate", f32, {});
  taken.minimize(taken.variable("v", f32, {}, Initializer::uniform(1, 2)) * rate_of_the_user, {});
  EXPECT_THAT(error_of([&] { compile(taken, {.devices = "reference:0"}); }),
              HasSubstr("input 'learning_rate' has the name of a hyper-parameter"));
}

TEST(HyperParameter, SavedProgramsAreFedToo) {
  const TemporaryFile file("scalars");
  save_program(with_dropout(6), {.devices = "reference:0,sim:0", .strategy = "data(2)"}, file.path);
  Session session = compile(with_dropout(6), {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  SavedProgram saved = load_program(file.path);
  EXPECT_EQ(saved.inputs("train").size(), 2u);
  for (double rate : {0.1, 0.5}) {
    session.set_hyper_parameter("learning_rate", rate);
    saved.set_hyper_parameter("learning_rate", rate);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(session.train(batch_of(6)).at("loss"), saved.run("train", batch_of(6)).at("loss"));
  }
  EXPECT_EQ(saved.step(), 4u);
  EXPECT_EQ(saved.hyper_parameters(), session.hyper_parameters());
}

}  // namespace
}  // namespace cutset::testing

// SPDX-License-Identifier: Apache-2.0
// Tests assignments to variables: when they take effect, what they read, and which are refused.
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

// Returns a graph with a running mean of the columns of x, a counter, and the weights of the step before.
Graph running(int64_t batch) {
  Graph g(2);
  Tensor x = g.input("x", f32, {batch, 3});
  Tensor w = g.variable("w", f32, {3}, Initializer::uniform(0.5, 1));
  Tensor average = g.variable("average", f32, {3}, Initializer::zeros(), {.trainable = false});
  Tensor steps = g.variable("steps", f32, {}, Initializer::zeros(), {.trainable = false});
  Tensor last = g.variable("last", f32, {3}, Initializer::zeros(), {.trainable = false});
  Tensor tenth = ops::full_like(steps, {.value = 0.1});
  g.assign(average, average + tenth * (mean(x, {0}) - average));
  g.assign(steps, steps + ops::full_like(steps, {.value = 1}));
  g.assign(last, w);
  g.output("average", average);
  g.minimize(mean(x * w * w), {.learning_rate = 0.5});
  return g;
}

TEST(Assign, TakesEffectAtTheEndOfATrainingStep) {
  for (auto [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("cpu:0,sim:0", "pipeline(2, micro_batches=1)"),
        std::pair("opencl:0", ""), std::pair("cpu:0,reference:0", "data(2, shares=3:2)"),
        std::pair("cpu:0,opencl:0", "data(2)"),
        std::pair("sim:0,sim:1,reference:0,reference:1", "data(2) * pipeline(2, micro_batches=1)")}) {
    if (!testing::have_devices(devices)) continue;
    SCOPED_TRACE(std::string(devices) + " " + strategy);
    Session session = compile(running(9), {.devices = devices, .strategy = strategy});
    double average[3] = {};
    for (uint64_t step = 0; step < 4; ++step) {
      const int64_t n = step == 2 ? 5 : 9;  // another batch size has the same variables
      const Batch batch = rows(n, step);
      session.evaluate(batch);
      EXPECT_EQ(session.variable("steps").at(0), static_cast<double>(step)) << "evaluate assigns nothing";
      const HostTensor w = session.variable("w"), before = session.variable("average");
      const auto got = session.train(batch);
      EXPECT_EQ(got.at("average"), before) << "a step reads the value before it";
      EXPECT_EQ(session.variable("last"), w);
      EXPECT_NE(session.variable("w"), w);
      for (int c = 0; c < 3; ++c) {
        double sum = 0;
        for (int64_t r = 0; r < n; ++r) sum += batch.at("x").at(r * 3 + c);
        average[c] += 0.1 * (sum / static_cast<double>(n) - average[c]);
        EXPECT_NEAR(session.variable("average").at(c), average[c], 1e-6);
      }
      for (const std::string& v : session.variables())
        for (int64_t r = 1; r < session.copies(v); ++r)
          EXPECT_EQ(session.variable(v), session.variable(v, r)) << v;
    }
    EXPECT_SAME_ON(running(9), devices, strategy);
  }
}

TEST(Assign, IsSavedWithTheProgram) {
  const TemporaryFile file("assign.cutset");
  save_program(running(9), {.devices = "reference:0"}, file.path);
  SavedProgram saved = load_program(file.path);
  Session session = compile(running(9), {.devices = "reference:0"});
  for (uint64_t step = 0; step < 3; ++step)
    EXPECT_EQ(saved.run("train", rows(9, step)).at("average"), session.train(rows(9, step)).at("average"));
}

TEST(Assign, OfAFailedStepHasNoEffect) {
  Session session =
      compile(running(9), {.devices = "reference:0,sim:0", .strategy = "pipeline(2, micro_batches=1)"});
  session.train(rows(9, 0));
  std::map<std::string, HostTensor> before;
  for (const auto& v : session.variables()) before.emplace(v, session.variable(v));
  Batch bad = rows(9, 1);
  bad.at("x").as<float>()[4] = std::nanf("");
  EXPECT_NE(error_of([&] { session.train(bad); }), "no error");
  for (const auto& [name, value] : before) EXPECT_EQ(session.variable(name), value) << name;
}

// Assigned values are read before the step writes any variable, even through views.
TEST(Assign, ReadsTheValuesBeforeTheStep) {
  Graph g;
  Tensor x = g.input("x", f32, {2, 3});
  auto variable = [&](const char* name, const Shape& shape, bool trainable = false) {
    return g.variable(name, f32, shape, Initializer::uniform(1, 2), {.trainable = trainable});
  };
  Tensor a = variable("a", {3}), b = variable("b", {3}), c = variable("c", {6}), d = variable("d", {2, 3});
  Tensor w = variable("w", {6}, true), was = variable("was", {2, 3}), input = variable("input", {2, 3});
  Tensor one = variable("one", {3});
  g.assign(a, b);
  g.assign(b, a);  // swapped
  g.assign(c, reshape(d, {.shape = {6}}));
  g.assign(d, reshape(c, {.shape = {2, 3}}));    // through views
  g.assign(was, reshape(w, {.shape = {2, 3}}));  // a view of a variable that the optimizer writes in place
  g.assign(input, x);
  g.assign(one, ops::full_like(one, {.value = 1}));
  g.minimize(sum(x * reshape(w, {.shape = {2, 3}})), {.learning_rate = 1});
  for (auto [devices, strategy] :
       {std::pair("reference:0", ""), std::pair("sim:0,reference:0", "pipeline(2, micro_batches=1)"),
        std::pair("reference:0,sim:0", "data(2)")}) {
    SCOPED_TRACE(std::string(devices) + " " + strategy);
    Session session = compile(g, {.devices = devices, .strategy = strategy});
    for (uint64_t step = 0; step < 3; ++step) {
      std::map<std::string, HostTensor> before;
      for (const auto& v : session.variables()) before.emplace(v, session.variable(v));
      const Batch batch = rows(2, step);
      session.train(batch);
      for (auto [now, then] : {std::pair("a", "b"), std::pair("b", "a"), std::pair("c", "d"),
                               std::pair("d", "c"), std::pair("was", "w")})
        EXPECT_EQ(session.variable(now), before.at(then).reshaped(session.variable(now).shape())) << now;
      EXPECT_EQ(session.variable("input"), batch.at("x"));
      EXPECT_EQ(session.variable("one").at(2), 1);
      EXPECT_NE(session.variable("w"), before.at("w"));
    }
    EXPECT_SAME_ON(g, devices, strategy);
  }
}

TEST(Assign, MistakesAreErrorsAtTheirLine) {
  Graph g, other;
  Tensor x = g.input("x", f32, {3}), w = g.variable("w", f32, {3}, Initializer::uniform(0, 1));
  Tensor n = g.variable("n", f32, {3}, Initializer::zeros(), {.trainable = false});
  EXPECT_THAT(error_of([&] { g.assign(x, w); }), HasSubstr(CUTSET_HERE));
  EXPECT_THAT(error_of([&] { g.assign(x, w); }), HasSubstr("the tensor is not a variable"));
  EXPECT_THAT(error_of([&] { g.assign(n, sum(x)); }),
              HasSubstr("'n' is 3xf32, but the value assigned to it is f32"));
  EXPECT_THAT(error_of([&] { g.assign(n, Tensor()); }), HasSubstr("empty Tensor"));
  EXPECT_THAT(error_of([&] { g.assign(n, other.input("x", f32, {3})); }), HasSubstr("another graph"));
  g.assign(n, x);
  EXPECT_THAT(error_of([&] { g.assign(n, w); }), HasSubstr("'n' is assigned already"));
  g.output("y", x * w);
  const std::string nobody = error_of([&] { compile(g, {.devices = "reference:0"}); });
  EXPECT_THAT(nobody, HasSubstr("takes effect in 'train', which this graph does not have"));
  EXPECT_THAT(nobody, HasSubstr("assign_test.cc:"));
  g.assign(w, x);
  const int line = __LINE__ - 1;
  g.minimize(sum(x * w), {});
  const std::string both = error_of([&] { compile(g, {.devices = "reference:0"}); });
  EXPECT_THAT(both, HasSubstr("sets the variable 'w', which minimize trains in the same step"));
  EXPECT_THAT(both, HasSubstr("assign_test.cc:" + std::to_string(line)));
}

}  // namespace
}  // namespace cutset

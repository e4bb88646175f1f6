// SPDX-License-Identifier: Apache-2.0
// Runs every function with other sizes than its graph was built with. The results are compared with a graph
// that was built with these sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "ir/ops/elementwise/elementwise_bodies.h"
#include "tests/errors.h"
#include "tests/sizes/size_case.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

std::vector<SizeCase> all_cases() {
  std::vector<SizeCase> all = size_cases_of_ops();
  for (auto more : {size_cases_of_shapes(), size_cases_of_functions(), size_cases_of_layers()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// covered.py takes the elementwise ops from the same list.
TEST(SizeCases, HaveAllElementwiseOps) {
  std::set<std::string> names;
  for (const SizeCase& c : all_cases()) names.insert(c.name);
  for (const ElementwiseBody& body : elementwise_bodies()) EXPECT_TRUE(names.contains(body.op)) << body.op;
}

std::vector<SizeCase> cases_that_train() {
  std::vector<SizeCase> all = all_cases();
  std::erase_if(all, [](const SizeCase& c) { return !c.trains; });
  return all;
}

std::string input_name(size_t i) { return "x" + std::to_string(i); }
std::string output_name(size_t i) { return "y" + std::to_string(i); }

// Returns the graph of a case. The loss depends on each result with a gradient, and on a variable that scales
// the first input.
Graph graph_of(const SizeCase& c, const Sizes& sizes, bool trains) {
  Graph g(1);
  std::vector<Tensor> inputs, given;
  const std::vector<SizedInput> wanted = c.inputs(sizes);
  for (size_t i = 0; i < wanted.size(); ++i)
    inputs.push_back(g.input(input_name(i), wanted[i].dtype, wanted[i].shape,
                             {.batch_dimension = wanted[i].batch_dimension}));
  given = inputs;
  if (trains && inputs[0].dtype() == f32)
    given[0] = inputs[0] * g.variable("w", f32, {}, Initializer::constant(1));
  const std::vector<Tensor> results = c.build(g, given);
  for (size_t i = 0; i < results.size(); ++i) g.output(output_name(i), results[i]);
  if (trains) g.minimize(mean(results[0] * results[0]), {.learning_rate = 0.01, .momentum = 0});
  return g;
}

Batch batch_of(const SizeCase& c, const Sizes& sizes) {
  std::mt19937_64 random(7);
  Batch batch;
  const std::vector<SizedInput> wanted = c.inputs(sizes);
  for (size_t i = 0; i < wanted.size(); ++i) {
    HostTensor x({wanted[i].dtype, wanted[i].shape});
    std::uniform_real_distribution<double> real(wanted[i].low, wanted[i].high);
    for (int64_t e = 0; e < x.type().elements(); ++e)
      x.set(e, is_float(wanted[i].dtype) ? real(random) : std::floor(real(random)));
    batch.emplace(input_name(i), std::move(x));
  }
  return batch;
}

void expect_same(const HostTensor& got, const HostTensor& wanted, const std::string& what) {
  ASSERT_EQ(got.type(), wanted.type()) << what;
  EXPECT_TRUE(std::ranges::equal(got.bytes(), wanted.bytes())) << what;
}

std::vector<Sizes> other_sizes(const SizeCase& c) {
  if (!c.any_size) return {{.batch = 1}, {.batch = 3}, {.batch = 7}};
  return {{.batch = 1},
          {.batch = 3},
          {.batch = 7, .length = 9, .height = 9, .width = 12},
          {.batch = 4, .length = 4, .height = 5, .width = 6},
          {.batch = 2, .length = 3, .height = 6, .width = 8}};
}
std::string text(const Sizes& s) { return to_string(Shape{s.batch, s.length, s.height, s.width}); }

class OtherSizes : public ::testing::TestWithParam<SizeCase> {};

TEST_P(OtherSizes, AreComputedAsInAGraphOfTheseSizes) {
  const SizeCase& c = GetParam();
  std::weak_ptr<GraphState> graph;
  std::optional<Session> session;
  {
    const Graph g = graph_of(c, {}, false);
    graph = g.state();
    session.emplace(compile(g, {.devices = "reference:0", .threads = 1}));
  }
  EXPECT_TRUE(graph.expired()) << "the calls that a graph keeps must not hold the graph";
  Session& built = *session;
  for (const Sizes& sizes : other_sizes(c)) {
    Session wanted = compile(graph_of(c, sizes, false), {.devices = "reference:0", .threads = 1});
    const Batch batch = batch_of(c, sizes);
    const Outputs right = wanted.evaluate(batch), outputs = built.evaluate(batch);
    ASSERT_EQ(outputs.size(), right.size());
    for (size_t i = 0; i < right.size(); ++i)
      expect_same(outputs[output_name(i)], right[output_name(i)], output_name(i) + " for " + text(sizes));
  }
}

// "evaluate" does not need the value for training, so that value may have another size.
TEST(OtherSizesOfFunctions, ReadTheValueThatTheyChoose) {
  Graph g;
  const Tensor x = g.input("x", f32, {4, 2}), fixed = g.constant(HostTensor({f32, {4, 2}}));
  g.output("y", flip(g.when_training(fixed, x), {0}));
  g.minimize(mean(g.when_training(fixed, x) * g.variable("w", f32, {}, Initializer::constant(1))), {});
  Session session = compile(g, {.devices = "reference:0"});
  for (const int64_t n : {1, 3, 11}) {
    HostTensor values({f32, {n, 2}});
    for (int64_t i = 0; i < 2 * n; ++i) values.set(i, static_cast<double>(i));
    const HostTensor y = session.evaluate({{"x", values}})["y"];
    ASSERT_EQ(y.shape(), (Shape{n, 2}));
    for (int64_t r = 0; r < n; ++r)
      EXPECT_EQ(y.at(2 * r), 2.0 * static_cast<double>(n - 1 - r)) << n << " " << r;
  }
}

// Training runs whose last batch is smaller.
class LastBatches : public ::testing::TestWithParam<SizeCase> {};

TEST_P(LastBatches, AreTrained) {
  const SizeCase& c = GetParam();
  const Sizes last{.batch = 2};
  Graph g = graph_of(c, {}, true), h = graph_of(c, last, true);
  Session session = compile(g, {.devices = "reference:0", .threads = 1});
  Session wanted = compile(h, {.devices = "reference:0", .threads = 1});
  session.train(batch_of(c, {}));
  wanted.train(batch_of(c, last));  // both are at step 1
  for (const std::string& name : session.variables()) wanted.set_variable(name, session.variable(name));
  wanted.train(batch_of(c, last));
  session.train(batch_of(c, last));
  for (const std::string& name : session.variables())
    expect_same(session.variable(name), wanted.variable(name), name);
}

// Does the same over several devices: a session that was compiled for the larger batch trains the smaller
// batch as one device does.
class DividedLastBatches : public ::testing::TestWithParam<std::pair<SizeCase, std::string>> {};

TEST_P(DividedLastBatches, AreTrained) {
  const auto& [c, strategy] = GetParam();
  const Sizes last{.batch = 3};
  Graph g = graph_of(c, {}, true), h = graph_of(c, last, true);
  const CompileOptions options{.devices = "reference:0,reference:1", .strategy = strategy, .threads = 1};
  if (c.joins_samples && strategy.starts_with("pipeline")) {
    EXPECT_THAT(testing::error_of([&] { compile(g, options); }),
                HasSubstr("needs the rows of all micro-batches at once"));
    return;
  }
  Session session = compile(g, options);
  Session wanted = compile(h, {.devices = "reference:0", .threads = 1});
  session.train(batch_of(c, {}));
  wanted.train(batch_of(c, last));
  for (const std::string& name : session.variables()) wanted.set_variable(name, session.variable(name));
  const double loss = session.train(batch_of(c, last))["loss"].at(0),
               right = wanted.train(batch_of(c, last))["loss"].at(0);
  EXPECT_NEAR(loss, right, 1e-5 * std::fabs(right));
  for (const std::string& name : session.variables()) {
    const HostTensor got = session.variable(name), expected = wanted.variable(name);
    for (int64_t i = 0; i < got.type().elements(); ++i)
      EXPECT_NEAR(got.at(i), expected.at(i), 1e-5 * std::max(1.0, std::fabs(expected.at(i))))
          << name << " " << i;
  }
}

// Returns the cases of functions that change shapes, and of functions that networks are made of.
std::vector<std::pair<SizeCase, std::string>> divided_cases() {
  std::vector<std::pair<SizeCase, std::string>> all;
  for (const auto& cases : {size_cases_of_shapes(), size_cases_of_layers()})
    for (const SizeCase& c : cases)
      for (const char* strategy : {"data(2)", "pipeline(2, micro_batches=2)", "tensor(2)"})
        if (c.trains) all.emplace_back(c, strategy);
  return all;
}

std::string name_of_case(const ::testing::TestParamInfo<SizeCase>& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, OtherSizes, ::testing::ValuesIn(all_cases()), name_of_case);
INSTANTIATE_TEST_SUITE_P(All, DividedLastBatches, ::testing::ValuesIn(divided_cases()), [](const auto& info) {
  return name_of_case({info.param.first, info.index}) + "_" +
         info.param.second.substr(0, info.param.second.find('('));
});
INSTANTIATE_TEST_SUITE_P(All, LastBatches, ::testing::ValuesIn(cases_that_train()), name_of_case);

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests inputs and outputs whose batch is not the first dimension, or that have several rows per sample.
// Strategies that split the batch give the results of one device, `verify` confirms this, and mistakes are
// errors at the user's line. The tests of replicas, micro-batches and pipelines train the same models
// (loss_forms.cc).
#include <cutset/explain.h>
#include <cutset/saved.h>
#include <cutset/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontends/cpp/inspect/verification.h"
#include "ir/core/philox.h"
#include "runtime/verify/mutate.h"
#include "tests/equivalence/support/as_on_one_device.h"
#include "tests/equivalence/support/batch_forms.h"
#include "tests/equivalence/support/compiled.h"
#include "tests/equivalence/support/loss_forms.h"
#include "tests/errors.h"
#include "tests/temporary_folder.h"

namespace cutset::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string here(int line) { return "batch_dimensions_test.cc:" + std::to_string(line); }

struct Form {
  Graph (*build)(int64_t batch, uint64_t seed);
  Batch (*feed)(int64_t batch, uint64_t seed, uint64_t step);
  const char* output;
};
constexpr Form kForms[] = {{language_model, tokens_and_labels, "logits"}, {time_major, sequences, "states"}};

constexpr Split kSplits[] = {
    {"sim:0,reference:0", "data(2, shares=5:2)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4)"},
    {"sim:0,reference:0", "pipeline(2, micro_batches=4, schedule=zb-h1)"},
    {"sim:0,reference:0", "tensor(2)"},
    {"sim:0,reference:0", "data(2, shares=5:2, shard=parameters)"},
    {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2) * pipeline(2, micro_batches=4)"},
    {"sim:0,reference:0,sim:1,reference:1", "data(2, shares=5:2) * tensor(2)"},
    {"sim:0,reference:0,sim:1,reference:1", "pipeline(2, micro_batches=4) * tensor(2)"},
    {"sim:0,reference:0,sim:1,reference:1,sim:2,sim:3,sim:4,sim:5",
     "data(2, shares=5:2) * pipeline(2, micro_batches=2) * tensor(2)"}};

TEST(BatchDimensions, ModelsTrainAsOnOneDevice) {
  for (const Form& f : kForms) {
    const LossForm form{"", f.build, {7, 7, 3, 1}, "", "", f.feed};
    expect_as_on_one_device(form, kSplits);
  }
}

TEST(BatchDimensions, ModelsAreVerified) {
  for (const Form& f : kForms)
    for (const auto& [devices, strategy] : kSplits) EXPECT_SAME_ON(f.build(7, 7), devices, strategy);
  if (have("cpu:0,opencl:0"))
    for (const Form& f : kForms) EXPECT_SAME_ON(f.build(7, 7), "cpu:0,opencl:0", "data(2, shares=5:2)");
}

// `verify` finds every input and output that begins at a wrong row.
TEST(BatchDimensions, WrongRowsAreFound) {
  for (const Form& f : kForms)
    for (const auto& [devices, strategy] : {Split{"reference:0,sim:0", "data(2, shares=5:2)"},
                                            Split{"sim:0", "pipeline(1, micro_batches=3)"}}) {
      const std::vector<Batch> batches = {f.feed(7, 1, 0)};
      const Graph graph = f.build(7, 7);
      const Verification v =
          check(Verification::prepare(*graph.state(), {.devices = devices, .strategy = strategy}, batches));
      const auto sites = mutation_sites(v.program(), Mutation::kWrongShare, v.devices());
      EXPECT_GE(sites.size(), 10u);
      for (size_t s = 0; s < sites.size(); s += 3) {
        const Mutant mutant = mutate(v.program(), Mutation::kWrongShare, sites[s], v.devices());
        const auto report = v.run(mutant.program, batches);
        ASSERT_TRUE(report.ok()) << mutant.description << ": " << report.error().text();
        EXPECT_FALSE(report->differences.empty()) << mutant.description;
      }
    }
}

TEST(BatchDimensions, DeterministicRunsHaveTheSameBits) {
  for (const Form& f : kForms) {
    const LossForm form{"", f.build, {13, 13, 5}, "", "", f.feed};
    const FormRun want = train(form, {.devices = "sim:0", .deterministic = true}, 7);
    for (const auto& [devices, strategy] :
         {Split{"sim:0,sim:1", "data(2, shares=5:2)"}, Split{"sim:0,sim:1", "pipeline(2, micro_batches=4)"},
          Split{"sim:0", "pipeline(1, micro_batches=3)"},
          Split{"sim:0,sim:1,sim:2,sim:3", "data(2, shares=5:2) * pipeline(2, micro_batches=2)"}}) {
      const FormRun got = train(form, {.devices = devices, .strategy = strategy, .deterministic = true}, 7);
      EXPECT_EQ(got.loss, want.loss) << f.output << ", " << strategy;
      EXPECT_EQ(got.after, want.after) << f.output << ", " << strategy;
    }
  }
}

// Sessions and saved programs return the rows of an output in the order of the samples.
TEST(BatchDimensions, OutputsHaveTheRowsOfAllSamples) {
  const TemporaryFolder folder;
  const std::string path = folder.path("batch_dimensions.cutset");
  for (const Form& f : kForms) {
    const Batch batch = f.feed(7, 4, 0);
    const HostTensor want =
        compile(f.build(7, 7), {.devices = "reference:0"}).run("evaluate", batch).at(f.output);
    for (const auto& [devices, strategy] :
         {Split{"reference:0,reference:1", "data(2, shares=5:2)"},
          Split{"reference:0", "pipeline(1, micro_batches=3)"},
          Split{"reference:0,reference:1", "pipeline(2, micro_batches=4)"}}) {
      const CompileOptions options{.devices = devices, .strategy = strategy};
      EXPECT_EQ(compile(f.build(7, 7), options).run("evaluate", batch).at(f.output), want) << strategy;
      save_program(f.build(7, 7), options, path);
      EXPECT_EQ(load_program(path).run("evaluate", batch).at(f.output), want) << strategy;
    }
  }
}

// A data set prefetches batches with several rows per sample and batches in the second dimension.
TEST(BatchDimensions, PrefetchedBatchesTrainAsThoseOfTheCaller) {
  for (const Form& f : kForms) {
    const auto losses = [&](const CompileOptions& options) {
      Session session = compile(f.build(5, 7), options);
      data::Dataset set(12, [&](const std::vector<int64_t>& samples) {
        return f.feed(static_cast<int64_t>(samples.size()), 7, static_cast<uint64_t>(samples[0]));
      });
      std::vector<double> list;
      for (auto& batch : set.batch(5).prefetch(3))
        list.push_back(session.train(batch)["loss"].item<double>());
      return list;
    };
    const auto want = losses({.devices = "reference:0", .f64 = true});
    ASSERT_EQ(want.size(), 3u);  // the batches have 5, 5 and 2 samples
    const auto got = losses({.devices = "sim:0,reference:0", .strategy = "data(2, shares=5:2)", .f64 = true});
    EXPECT_LE(loss_difference(got, want), 1e-12);
  }
}

// The length of a sequence is not an attribute, so a session can run with other lengths.
TEST(BatchDimensions, TheNumberOfRowsPerSampleFollowsTheShapes) {
  const auto build = [](int64_t batch, int64_t length) {
    Graph g(3);
    Tensor tokens = g.input("tokens", i32, {batch, length}),
           label = g.input("label", i32, {batch * length}, {.several_rows_per_sample = true});
    Tensor words = nn::embedding("words", tokens, {.vocabulary = 5, .width = 4});
    g.minimize(mean(softmax_cross_entropy(reshape(words, {.shape = {-1, 4}}), label)),
               {.learning_rate = 0.5});
    return g;
  };
  const auto feed = [](int64_t batch, int64_t length) {
    HostTensor tokens({i32, {batch, length}}), label({i32, {batch * length}});
    for (int64_t i = 0; i < batch * length; ++i) {
      tokens.as<int32_t>()[i] = static_cast<int32_t>(i * 3 % 5);
      label.as<int32_t>()[i] = static_cast<int32_t>(i % 4);
    }
    return Batch{{"tokens", tokens}, {"label", label}};
  };
  Session one = compile(build(7, 3), {.devices = "reference:0", .f64 = true}),
          two = compile(build(7, 3),
                        {.devices = "reference:0,sim:0", .strategy = "data(2, shares=5:2)", .f64 = true});
  for (const auto& [batch, length] : {std::pair<int64_t, int64_t>(7, 3), {7, 5}, {4, 2}, {1, 6}, {7, 1}}) {
    const double want = one.train(feed(batch, length))["loss"].item<double>();
    EXPECT_NEAR(two.train(feed(batch, length))["loss"].item<double>(), want, 1e-12 * want)
        << batch << "x" << length;
  }
}

// An input that is also an output is copied to a device and back, by each replica and in each micro-batch,
// for every type.
TEST(BatchDimensions, RowsOfEveryTypeAreCopied) {
  for (const DType type : {DType::f32, DType::bf16, DType::f16, DType::f64, DType::i8, DType::i16, DType::i32,
                           DType::i64, DType::u8, DType::u16, DType::u32, DType::u64, DType::i1}) {
    Graph g;
    for (int d = 0; d < 3; ++d)
      g.output("y" + std::to_string(d),
               g.input("x" + std::to_string(d), type, Shape{7, 7, 7}, {.batch_dimension = d}));
    g.output("flat", g.input("rows", type, {2, 21}, {.batch_dimension = 1, .several_rows_per_sample = true}));
    Batch batch;
    PhiloxSequence random(3);
    for (const auto& [name, its] : g.inputs()) {
      HostTensor& t = batch.emplace(name, HostTensor(its)).first->second;
      for (unsigned char& byte : t.bytes())
        byte = static_cast<unsigned char>(random.below(type == DType::i1 ? 2 : 100));
    }
    for (const auto& [devices, strategy] : {Split{"sim:0,reference:0", "data(2, shares=5:2)"},
                                            Split{"sim:0", "pipeline(1, micro_batches=3)"}}) {
      const auto out = compile(g, {.devices = devices, .strategy = strategy}).run("evaluate", batch);
      for (int d = 0; d < 3; ++d)
        EXPECT_EQ(out.at("y" + std::to_string(d)), batch.at("x" + std::to_string(d)))
            << name_of(type) << " " << strategy;
      EXPECT_EQ(out.at("flat"), batch.at("rows")) << name_of(type) << " " << strategy;
    }
  }
}

TEST(BatchDimensions, ABatchMayBeEmpty) {
  Graph g;
  Tensor x = g.input("x", f32, {6, 3, 4}), y = g.input("y", f32, {3, 6}, {.batch_dimension = 1}),
         z = g.input("z", f32, {18}, {.several_rows_per_sample = true});
  g.output("rows", sum(reshape(exp(x), {.shape = {-1, 4}}), {1}) * z);
  g.output("y", exp(y));
  Session session = compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2)"});
  const auto out = session.run(
      "evaluate",
      {{"x", HostTensor({f32, {0, 3, 4}})}, {"y", HostTensor({f32, {3, 0}})}, {"z", HostTensor({f32, {0}})}});
  EXPECT_EQ(out.at("rows").type(), (TensorType{f32, {0}}));
  EXPECT_EQ(out.at("y").type(), (TensorType{f32, {3, 0}}));
}

TEST(BatchDimensions, MistakesAreErrorsAtTheUsersLine) {
  Graph g;
  EXPECT_ERROR_HERE("input 'a' is 4x3xf32, and its batch dimension is 2",
                    g.input("a", f32, {4, 3}, {.batch_dimension = 2}));
  EXPECT_ERROR_HERE("its batch dimension is -1", g.input("a", f32, {4, 3}, {.batch_dimension = -1}));
  EXPECT_ERROR_HERE("its batch dimension is 1", g.input("a", f32, {}, {.batch_dimension = 1}));
  EXPECT_ERROR_HERE(
      "input 'a' has no batch",
      g.input("a", f32, {4, 3}, {.batch_dimension = std::nullopt, .several_rows_per_sample = true}));
  EXPECT_ERROR_HERE("input 'a' has no batch", g.input("a", f32, {}, {.several_rows_per_sample = true}));
  Tensor x = g.input("a", f32, {8, 3});  // the name is still free
  const int line = __LINE__ + 1;
  Tensor y = g.input("b", f32, {25}, {.several_rows_per_sample = true});
  g.output("z", sum(x) + sum(y));
  EXPECT_THAT(
      error_of([&] { compile(g, {.devices = "reference:0,sim:0", .strategy = "data(2)"}); }),
      AllOf(HasSubstr(here(line)), HasSubstr("input 'b' has 25 rows, which cannot be the same number")));
}

// `explain` names the op at which the split of the batch ends, and gives the reason.
TEST(BatchDimensions, ExplainNamesTheOpThatEndsTheSplit) {
  Graph g(3);
  Tensor x = g.input("x", f32, {3, 8, 4}, {.batch_dimension = 1}), y = g.input("y", f32, {8, 3});
  const int mixed = __LINE__ + 1, paired = __LINE__ + 2;
  Tensor rows = reshape(tanh(x), {.shape = {-1, 4}});
  Tensor pairs = reshape(reshape(y, {.shape = {-1}}), {.shape = {12, 2}});
  g.output("a", exp(rows));
  g.output("b", exp(pairs));
  std::map<std::string, int> because;
  for (const Explanation& e :
       explain(g, {.devices = "reference:0,sim:0", .strategy = "data(2, shares=5:3)"}).ops)
    ++because[e.whole];
  const std::string first = "'reshape' (" + here(mixed) +
                            ") has no rule that splits it by dimension 1 of operand 0, which is the batch",
                    second = "'reshape' (" + here(paired) +
                             ") can be split by dimension 0 of operand 0 after each 2 rows, and a sample of "
                             "the batch has 3 of them";
  EXPECT_GE(because[first], 2) << "the reshape and the op that reads it";
  EXPECT_GE(because[second], 2);
}

}  // namespace
}  // namespace cutset::testing

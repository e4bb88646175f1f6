// SPDX-License-Identifier: Apache-2.0
#include <cutset/indexing.h>
#include <cutset/label_ranges.h>
#include <cutset/layers.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;

// Returns a model of sequences of 2 tokens of 5, with 3 classes.
Graph network() {
  Graph g;
  Tensor token = g.input("token", i32, {4, 2}), label = g.input("label", i32, {4});
  Tensor x = flatten(gather(g.variable("table", f32, {5, 6}, Initializer::normal(0, 1)), token));
  g.output("loss", mean(softmax_cross_entropy(nn::dense("out", x, 3), label)));
  return g;
}

// Returns the error of an epoch of six samples in which element `at` of `name` is `value`; empty without an
// error.
std::string error_with(const std::string& name, int64_t at, double value) {
  Batch all;
  all.emplace("token", HostTensor(TensorType{i32, {6, 2}}));
  all.emplace("label", HostTensor(TensorType{i32, {6}}));
  all.at(name).set(at, value);
  const data::Dataset samples = data::from_tensors(std::move(all))
                                    .order({5, 4, 3, 2, 1, 0})
                                    .map(data::check_label_ranges(network()))
                                    .batch(4);
  return testing::error_of([&] {
    for (Batch& batch : samples) (void)batch;
  });
}

TEST(LabelRanges, NameTheSampleTheValueAndTheRange) {
  EXPECT_EQ(error_with("label", 1, 2), "no error");
  EXPECT_EQ(error_with("token", 11, 4), "no error");
  EXPECT_THAT(error_with("label", 1, 3),
              HasSubstr("sample 1 has 3 in 'label', and the model takes numbers from 0 to 2"));
  EXPECT_THAT(error_with("label", 1, 3),
              HasSubstr("(samples are counted from 0; correct the sample, or give a model"));
  EXPECT_THAT(error_with("label", 5, -1), HasSubstr("sample 5 has -1 in 'label'"));
  EXPECT_THAT(error_with("label", 5, -100),
              HasSubstr("correct the sample, because the model ignores no label"));
  EXPECT_THAT(error_with("token", 7, 5),
              HasSubstr("sample 3 has 5 in 'token', and the model takes numbers from -5 to 4"));
}

TEST(LabelRanges, ANegativeIndexCountsFromTheEnd) {
  EXPECT_EQ(error_with("token", 7, -1), "no error");
  EXPECT_EQ(error_with("token", 7, -5), "no error");
  EXPECT_THAT(error_with("token", 7, -6),
              HasSubstr("sample 3 has -6 in 'token', and the model takes numbers from -5 to 4"));
  EXPECT_THAT(error_with("token", 7, -6),
              HasSubstr("or give a model with more classes or a larger vocabulary"));
}

TEST(LabelRanges, AnIndexThatIsALabelTooIsNotNegative) {
  for (const bool index_first : {false, true}) {
    Graph g;
    const Tensor both = g.input("both", i32, {2}),
                 table = g.variable("table", f32, {4, 3}, Initializer::zeros());
    if (index_first) gather(table, both);
    one_hot(both, {.depth = 6, .dtype = f32});
    if (!index_first) gather(table, both);
    Batch batch;
    batch.emplace("both", HostTensor(Shape{2}, {0, 3}));
    const auto check = data::check_label_ranges(g);
    EXPECT_EQ(testing::error_of([&] { check(batch, {0, 0, {7, 8}}); }), "no error");
    batch.at("both").set(1, -1);
    EXPECT_THAT(testing::error_of([&] { check(batch, {0, 0, {7, 8}}); }),
                HasSubstr("sample 8 has -1 in 'both', and the model takes numbers from 0 to 3"));
  }
}

TEST(LabelRanges, AcceptTensorsThatAreNoSamples) {
  const auto check = data::check_label_ranges(network());
  Batch batch;
  batch.emplace("label", HostTensor(TensorType{u64, {2}}));  // the batch has three samples
  EXPECT_EQ(testing::error_of([&] { check(batch, {0, 0, {7, 8, 9}}); }), "no error");
  batch.at("label").set(1, 0x1p63);
  EXPECT_THAT(testing::error_of([&] { check(batch, {0, 0, {7, 8, 9}}); }),
              HasSubstr("sample 8 has 9223372036854775808 in"));
}

// A sample is an index along the batch dimension, whichever dimension that is. Three samples have two tokens
// each, and the second token of the first sample is wrong.
TEST(LabelRanges, TheSampleIsTheIndexAlongTheBatch) {
  const auto sample_with = [](const Shape& shape, const InputOptions& options, int64_t at) {
    Graph g;
    gather(g.variable("table", f32, {5, 6}, Initializer::zeros()), g.input("token", i32, shape, options));
    Batch batch;
    batch.emplace("token", HostTensor(TensorType{i32, shape}));
    batch.at("token").set(at, 9);
    return testing::error_of([&] { data::check_label_ranges(g)(batch, {0, 0, {10, 11, 12}}); });
  };
  EXPECT_THAT(sample_with({3, 2}, {}, 1), HasSubstr("sample 10 has 9 in 'token'"));
  EXPECT_THAT(sample_with({2, 3}, {.batch_dimension = 1}, 3), HasSubstr("sample 10 has 9 in 'token'"));
  EXPECT_THAT(sample_with({2, 3}, {.batch_dimension = 1}, 2), HasSubstr("sample 12 has 9 in 'token'"));
  EXPECT_THAT(sample_with({2, 3, 4}, {.batch_dimension = 1}, 19), HasSubstr("sample 11 has 9 in 'token'"));
  EXPECT_THAT(sample_with({2, 2, 3}, {.batch_dimension = 2}, 7), HasSubstr("sample 11 has 9 in 'token'"));
  EXPECT_THAT(sample_with({6}, {.several_rows_per_sample = true}, 3),
              HasSubstr("sample 11 has 9 in 'token'"));
  EXPECT_THAT(sample_with({2, 6}, {.batch_dimension = 1, .several_rows_per_sample = true}, 11),
              HasSubstr("sample 12 has 9 in 'token'"));
  EXPECT_THAT(sample_with({6}, {.batch_dimension = std::nullopt}, 3),
              HasSubstr("sample 11 has 9 in 'token'"));
}

// The ids of an embedding_bag with padding are checked. They may be the padding, even if it is no index of
// the table.
TEST(LabelRanges, ABagMayHoldItsPadding) {
  for (const int64_t padding : {-1, 5, 99}) {
    Graph g;
    embedding_bag(g.variable("table", f32, {5, 6}, Initializer::zeros()), g.input("history", i32, {2, 3}),
                  BagMode::kMean, padding);
    EXPECT_EQ(g.label_classes().at("history"), 5);
    Batch batch;
    batch.emplace("history", HostTensor(Shape{2, 3}, {4, 0, static_cast<int32_t>(padding), 1, 2, 3}));
    const auto check = data::check_label_ranges(g);
    EXPECT_EQ(testing::error_of([&] { check(batch, {0, 0, {7, 8}}); }), "no error");
    batch.at("history").set(4, 6);
    EXPECT_THAT(testing::error_of([&] { check(batch, {0, 0, {7, 8}}); }),
                HasSubstr("sample 8 has 6 in 'history', and the model takes numbers from -5 to 4"));
  }
}

}  // namespace
}  // namespace cutset

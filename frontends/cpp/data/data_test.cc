// SPDX-License-Identifier: Apache-2.0
#include <cutset/data.h>
#include <cutset/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/errors.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

HostTensor numbers(const std::vector<int32_t>& values, Shape shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(values.size())};
  return HostTensor(std::move(shape), values);
}
data::Dataset counted(int32_t n) {
  std::vector<int32_t> values(static_cast<size_t>(n));
  for (int32_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = i;
  return data::from_tensors({{"i", numbers(values)}});
}
std::vector<int32_t> epoch(const data::Dataset& d, const std::string& name = "i") {
  std::vector<int32_t> seen;
  for (const Batch& b : d) {
    const HostTensor& t = b.at(name);
    seen.insert(seen.end(), t.as<int32_t>().begin(), t.as<int32_t>().end());
  }
  return seen;
}

TEST(Data, RowsOfAllTensorsComeTogether) {
  const auto d =
      data::from_tensors({{"x", numbers({0, 1, 10, 11, 20, 21}, {3, 2})}, {"y", numbers({5, 6, 7})}});
  std::vector<Shape> shapes;
  for (const Batch& b : d.order({2, 0, 2}).batch(2)) shapes.push_back(b.at("x").shape());
  EXPECT_THAT(shapes, ElementsAre(Shape{2, 2}, Shape{1, 2}));
  EXPECT_THAT(epoch(d.order({2, 0, 2}).batch(2), "x"), ElementsAre(20, 21, 0, 1, 20, 21));
  EXPECT_THAT(epoch(d.order({2, 0, 2}).batch(2), "y"), ElementsAre(7, 5, 7));
}

TEST(Data, EveryEpochHasAnotherOrderThoughStagesReturnByValue) {
  const auto d = counted(50).shuffle(3);
  const auto first = epoch(d.batch(8).prefetch(2)), second = epoch(d.batch(8).prefetch(2)), third = epoch(d);
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  EXPECT_NE(first, third);
  auto sorted = second;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, epoch(counted(50)));
  const auto again = counted(50).shuffle(3);
  EXPECT_EQ(epoch(again), first) << "an epoch is a function of the seed and its number";
  EXPECT_EQ(epoch(again), second);
  EXPECT_EQ(epoch(d.shuffle(3)), first) << "a new call of shuffle begins with epoch 0";
  EXPECT_NE(epoch(counted(50).shuffle(4)), first);
}

TEST(Data, AnOrderDefinesTheEpoch) {
  const auto d = counted(10).order({7, 3, 3});
  EXPECT_EQ(d.size(), 3);
  EXPECT_EQ(d.batch(2).batches(), 2);
  EXPECT_THAT(epoch(d), ElementsAre(7, 3, 3));
  EXPECT_THAT(epoch(d), ElementsAre(7, 3, 3));
  EXPECT_THAT(epoch(counted(10).shuffle().order({1, 2})), ElementsAre(1, 2));
  EXPECT_THAT(epoch(d.shuffle(1)), ::testing::UnorderedElementsAre(7, 3, 3));
  EXPECT_THAT(error_of([] { counted(10).order({10}); }), HasSubstr("sample 10"));
  EXPECT_THAT(error_of([] { counted(10).order({-1}); }), HasSubstr("sample -1"));
  EXPECT_THAT(error_of([] { counted(10).order({}); }), HasSubstr("no sample"));
}

TEST(Data, AStartGivesTheRestOfAnUninterruptedRun) {
  const auto make = [] { return counted(10).order({9, 1, 1, 2, 3, 4, 5}).shuffle(6).batch(3); };
  const auto whole = make();
  std::vector<std::vector<int32_t>> epochs;
  for (int e = 0; e < 4; ++e) epochs.push_back(epoch(whole));
  for (int64_t e = 0; e < 3; ++e)
    for (int64_t b = 0; b < 3; ++b) {
      const auto& first = epochs[static_cast<size_t>(e)];
      const std::vector<int32_t> rest(first.begin() + 3 * b, first.end());
      const auto resumed = make().start_at(e, b);
      EXPECT_EQ(epoch(resumed), rest);
      EXPECT_EQ(epoch(resumed), epochs[static_cast<size_t>(e + 1)]) << "the next epoch is whole";
      EXPECT_EQ(
          epoch(counted(10).start_at(e, b).order({9, 1, 1, 2, 3, 4, 5}).batch(3).shuffle(6).prefetch(2)),
          rest)
          << "the methods may be called in any order";
    }
  EXPECT_THAT(epoch(counted(5).batch(2).start_at(7, 2)), ElementsAre(4)) << "without shuffle";
  std::vector<int64_t> made;
  const data::Dataset watched(8, [&](const std::vector<int64_t>& samples) {
    made.insert(made.end(), samples.begin(), samples.end());
    return Batch();
  });
  for (const Batch& b : watched.batch(2).start_at(0, 3)) (void)b;
  EXPECT_THAT(made, ElementsAre(6, 7)) << "the batches before the start are not made";
}
TEST(Data, AStartIsABatchOfTheEpoch) {
  const auto d = counted(5).start_at(1, 3);
  EXPECT_THAT(epoch(d), ElementsAre(3, 4));
  const auto beyond = counted(5).batch(2).start_at(1, 3);
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(error_of([&] { epoch(beyond); }),
                HasSubstr("cannot start at batch 3; an epoch has 3 batches"));
  EXPECT_THAT(error_of([] { counted(5).start_at(-1); }), HasSubstr("epoch -1, batch 0"));
  EXPECT_THAT(error_of([] { counted(5).start_at(0, -2); }), HasSubstr("epoch 0, batch -2"));
}

TEST(Data, TransformsGetThePositionsOfTheirBatches) {
  std::vector<data::BatchPosition> seen;
  const auto d = counted(9)
                     .order({8, 2, 5})
                     .map([&](Batch batch, const data::BatchPosition& position) {
                       seen.push_back(position);
                       batch.emplace("doubled", batch.at("i"));
                       for (int32_t& i : batch.at("doubled").as<int32_t>()) i *= 2;
                       return batch;
                     })
                     .map([](Batch batch, const data::BatchPosition&) {
                       for (int32_t& i : batch.at("doubled").as<int32_t>()) ++i;
                       return batch;
                     })
                     .batch(2)
                     .start_at(4);
  EXPECT_THAT(epoch(d, "doubled"), ElementsAre(17, 5, 11));
  EXPECT_THAT(epoch(d), ElementsAre(8, 2, 5));
  ASSERT_EQ(seen.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(seen[i].epoch, 4 + i / 2);
    EXPECT_EQ(seen[i].first, i % 2 ? 2 : 0);
    EXPECT_EQ(seen[i].samples, i % 2 ? std::vector<int64_t>{5} : (std::vector<int64_t>{8, 2}));
  }
  EXPECT_THAT(error_of([] { counted(4).map(nullptr); }), HasSubstr("map needs a function"));
  EXPECT_THAT(
      error_of([] {
        epoch(counted(4).map([](Batch, const data::BatchPosition&) -> Batch { throw std::bad_alloc(); }));
      }),
      HasSubstr("not enough memory"));
}

TEST(Data, AMovedOneStaysWhatItWas) {
  data::Dataset d = counted(4);
  const data::Dataset taken = std::move(d);
  EXPECT_EQ(epoch(d), epoch(taken));
}

TEST(Data, TensorsThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(error_of([] { data::from_tensors({}); }), HasSubstr("has no tensor"));
  EXPECT_THAT(error_of([] { data::from_tensors({{"x", numbers({1, 2})}, {"y", numbers({1})}}); }),
              HasSubstr("'y' has 1 rows, and 'x' has 2"));
  EXPECT_THAT(error_of([] { data::from_tensors({{"x", HostTensor({f32, {}})}}); }), HasSubstr("a scalar"));
  EXPECT_THAT(error_of([] { data::from_tensors({{"x", HostTensor({f32, {0, 3}})}}); }), HasSubstr("no row"));
  EXPECT_THAT(error_of([] { counted(4).batch(0); }), HasSubstr("1 or more"));
  EXPECT_THAT(error_of([] { counted(4).prefetch(-1); }), HasSubstr("1 or more"));
  EXPECT_THAT(error_of([] { data::Dataset(3, nullptr); }), HasSubstr("needs a function"));
  EXPECT_THAT(error_of([] { data::from_function(3, nullptr); }), HasSubstr("needs a function"));
  EXPECT_THAT(error_of([] { data::from_function(0, [](int64_t) { return Batch(); }); }),
              HasSubstr("0 samples"));
}

TEST(Data, AFunctionGivesSamples) {
  const auto d = data::from_function(5, [](int64_t i) {
    return Batch{{"i", numbers({static_cast<int32_t>(i), -static_cast<int32_t>(i)}, {2})}};
  });
  EXPECT_THAT(epoch(d.order({4, 1}).batch(2)), ElementsAre(4, -4, 1, -1));
  EXPECT_EQ((*d.batch(3).begin()).at("i").shape(), (Shape{3, 2}));
}

// Samples that are generated take no memory before they are asked for. Settings that take memory per sample
// are refused, because the system might grant the memory and end the process later.
TEST(Data, MoreSamplesThanMemoryAreGenerated) {
  const auto number = [](int64_t i) {
    Batch b;
    HostTensor x({f64, {}});
    x.set(0, static_cast<double>(i));
    b.emplace("x", x);
    return b;
  };
  constexpr int64_t kMany = int64_t{1} << 45;
  const data::Dataset many = data::from_function(kMany, number).batch(3);
  data::Dataset::Iterator it = many.begin();
  for (int64_t batch = 0; batch < 2; ++batch, ++it)
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ((*it).at("x").at(i), static_cast<double>(3 * batch + i));
  data::Dataset::Iterator last = many.start_at(0, kMany / 3).begin();
  EXPECT_EQ((*last).at("x").at(0), static_cast<double>(kMany / 3 * 3));
  for (const int64_t size : {kMany, INT64_MAX}) {
    EXPECT_THAT(error_of([&] { data::from_function(size, number).shuffle().begin(); }),
                HasSubstr("a shuffled epoch of"));
    EXPECT_THAT(error_of([&] { data::from_function(size, number).batch(size).begin(); }),
                HasSubstr("a batch of"));
  }
  const data::Dataset some = data::from_function(kMany, number).order({5, kMany - 1, 7}).shuffle(3).batch(3);
  double sum = 0;
  for (int64_t i = 0; i < 3; ++i) sum += (*some.begin()).at("x").at(i);
  EXPECT_GT(sum, static_cast<double>(kMany)) << "the samples of the list are shuffled";
}

TEST(Data, SamplesThatDifferAreNamed) {
  auto of = [](Batch second) {
    return error_of([&] {
      epoch(data::from_function(2, [&](int64_t i) {
              return i ? second : Batch{{"i", numbers({1}, {1})}};
            }).batch(2));
    });
  };
  EXPECT_THAT(of({{"i", numbers({1, 2}, {2})}}),
              HasSubstr("'i' of sample 1 is 2xi32, and the tensor of sample 0 is 1xi32"));
  EXPECT_THAT(of({{"j", numbers({1}, {1})}}), HasSubstr("sample 1 has a tensor 'j'"));
  EXPECT_THAT(of({{"i", numbers({1}, {1})}, {"j", numbers({1}, {1})}}),
              HasSubstr("sample 1 has a tensor 'j'"));
  EXPECT_THAT(of({}), HasSubstr("sample 1 has no tensor"));
}

// An exception on the thread that makes batches is rethrown by the loop over the batches.
TEST(Data, WhatASampleThrowsComesOutOfTheIteration) {
  struct Own {};
  const auto d = data::from_function(4, [](int64_t i) -> Batch {
    if (i == 2) throw Own();
    return {{"i", numbers({static_cast<int32_t>(i)}, {1})}};
  });
  EXPECT_THROW(epoch(d.prefetch(3)), Own);
  const auto hungry = data::from_function(4, [](int64_t) -> Batch { throw std::bad_alloc(); });
  EXPECT_THAT(error_of([&] { epoch(hungry.batch(3)); }),
              HasSubstr("not enough memory for a batch of 3 samples"));
}

TEST(Data, TheEndIsNotRead) {
  const auto d = counted(1);
  auto it = d.begin();
  ++it;
  EXPECT_FALSE(it != d.end());
  EXPECT_THAT(error_of([&] { *it; }), HasSubstr("at its end"));
  EXPECT_THAT(error_of([&] { ++it; }), HasSubstr("beyond its end"));
}

}  // namespace
}  // namespace cutset

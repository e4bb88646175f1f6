// SPDX-License-Identifier: Apache-2.0
#include <cutset/augment.h>
#include <cutset/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "tests/errors.h"

namespace cutset {
namespace {

using data::Dataset;
using testing::error_of;
using ::testing::HasSubstr;

// Returns n images of 2 channels, 3 rows and 4 columns, whose elements are 1, 2, 3, ...
Dataset images(int64_t n) {
  std::vector<float> elements(static_cast<size_t>(n * 24));
  std::iota(elements.begin(), elements.end(), 1.0f);
  return data::from_tensors({{"image", HostTensor({n, 2, 3, 4}, elements)}});
}
// Returns the elements of all images of an epoch, one list per image.
std::vector<std::vector<float>> epoch(const Dataset& d) {
  std::vector<std::vector<float>> all;
  for (const Batch& b : d) {
    const HostTensor& t = b.at("image");
    const auto size = static_cast<int64_t>(t.as<float>().size()) / t.shape()[0];
    for (auto at = t.as<float>().begin(); at != t.as<float>().end(); at += size)
      all.emplace_back(at, at + size);
  }
  return all;
}
Dataset augmented(const Dataset& d) {
  return d.map(data::random_crop({.padding = 2, .seed = 5}))
      .map(data::random_horizontal_flip({.seed = 5}))
      .map(data::normalize({.mean = {0.5f, 0.25f}, .stddev = {2, 4}}));
}

TEST(Augment, ACropIsAWindowOfThePaddedImage) {
  constexpr int64_t kPadding = 2, kRows = 4, kColumns = 3;
  const auto crops =
      epoch(images(40).map(data::random_crop({.padding = kPadding, .height = kRows, .width = kColumns})));
  ASSERT_EQ(crops.size(), 40u);
  std::set<std::pair<int64_t, int64_t>> seen;
  for (size_t i = 0; i < crops.size(); ++i) {
    int matches = 0;
    for (int64_t top = -kPadding; top <= 3 + kPadding - kRows; ++top)
      for (int64_t left = -kPadding; left <= 4 + kPadding - kColumns; ++left) {
        std::vector<float> window;
        for (int64_t c = 0; c < 2; ++c)
          for (int64_t y = top; y < top + kRows; ++y)
            for (int64_t x = left; x < left + kColumns; ++x)
              window.push_back(
                  y < 0 || y >= 3 || x < 0 || x >= 4
                      ? 0.0f
                      : static_cast<float>(1 + static_cast<int64_t>(i) * 24 + c * 12 + y * 4 + x));
        if (window == crops[i]) {
          ++matches;
          seen.emplace(top, left);
        }
      }
    EXPECT_EQ(matches, 1) << "image " << i;
  }
  EXPECT_GT(seen.size(), 12u) << "there are 24 places";
}

TEST(Augment, AFlipReversesColumns) {
  const auto plain = epoch(images(3));
  EXPECT_EQ(epoch(images(3).map(data::random_horizontal_flip({.probability = 0}))), plain);
  const auto flipped = epoch(images(3).map(data::random_horizontal_flip({.probability = 1})));
  for (size_t i = 0; i < 3; ++i)
    for (size_t e = 0; e < 24; ++e) EXPECT_EQ(flipped[i][e], plain[i][e / 4 * 4 + 3 - e % 4]);
}

TEST(Augment, NormalizeUsesTheNumbersOfTheChannel) {
  const auto d = images(2).map(data::normalize({.mean = {1, 10}, .stddev = {0.5f, 3}}));
  const auto plain = epoch(images(2)), normalized = epoch(d.batch(2));
  for (size_t i = 0; i < 2; ++i)
    for (size_t e = 0; e < 24; ++e)
      EXPECT_EQ(normalized[i][e], e < 12 ? (plain[i][e] - 1) / 0.5f : (plain[i][e] - 10) / 3.0f);
}

// The standard deviation of a count is 45 for empty images and 22 for the others.
TEST(Augment, PlacesAndFlipsAreEquallyLikelyAndIndependent) {
  constexpr int64_t kSamples = 9000;
  std::vector<float> elements;
  for (int64_t i = 0; i < kSamples; ++i) elements.insert(elements.end(), {1, 2});
  const auto d = data::from_tensors({{"image", HostTensor({kSamples, 1, 1, 2}, elements)}});
  std::map<std::vector<float>, int> counts;
  for (const auto& image :
       epoch(d.map(data::random_crop({.padding = 1})).map(data::random_horizontal_flip()).batch(100)))
    ++counts[image];
  // Rows: -1, 0 and 1; row 0 is not empty. Columns: -1, 0 and 1, which give (0 1), (1 2) and (2 0).
  const std::map<std::vector<float>, int> expected = {{{0, 0}, 6000}, {{0, 1}, 500}, {{1, 0}, 500},
                                                      {{1, 2}, 500},  {{2, 1}, 500}, {{2, 0}, 500},
                                                      {{0, 2}, 500}};
  for (const auto& [image, count] : expected) EXPECT_NEAR(counts[image], count, count == 6000 ? 200 : 100);
  EXPECT_EQ(counts.size(), expected.size());
}

TEST(Augment, BatchSizesAndPrefetchingChangeNothing) {
  const Dataset d = augmented(images(23)).shuffle(3);
  std::vector<std::vector<std::vector<float>>> epochs;
  for (int e = 0; e < 3; ++e) epochs.push_back(epoch(d));
  EXPECT_NE(epochs[0], epochs[1]);
  for (int64_t batch : {2, 7, 23, 50})
    for (int64_t depth : {1, 4}) {
      const Dataset other = augmented(images(23).shuffle(3).batch(batch).prefetch(depth));
      for (int e = 0; e < 3; ++e)
        EXPECT_EQ(epoch(other), epochs[size_t(e)]) << batch << " " << depth << " " << e;
    }
}

TEST(Augment, AStartGivesTheRestOfAnUninterruptedRun) {
  const auto make = [] { return augmented(images(11)).shuffle(8).batch(4); };
  const Dataset whole = make();
  std::vector<std::vector<std::vector<float>>> epochs;
  for (int e = 0; e < 3; ++e) epochs.push_back(epoch(whole));
  for (int64_t e = 0; e < 2; ++e)
    for (int64_t b = 0; b < 3; ++b) {
      const Dataset resumed = make().start_at(e, b);
      const auto& first = epochs[size_t(e)];
      EXPECT_EQ(epoch(resumed), std::vector(first.begin() + 4 * b, first.end())) << e << " " << b;
      EXPECT_EQ(epoch(resumed), epochs[size_t(e + 1)]);
    }
}

TEST(Augment, EpochsSeedsAndPositionsDrawOtherNumbers) {
  const auto crop = [](uint64_t seed) { return data::random_crop({.padding = 2, .seed = seed}); };
  const Dataset d = images(20).map(crop(0));
  const auto first = epoch(d);
  EXPECT_NE(epoch(d), first) << "epoch 1";
  EXPECT_EQ(epoch(d.start_at(0)), first);
  EXPECT_NE(epoch(images(20).map(crop(1))), first);
  const auto repeated = epoch(images(1).map(crop(0)).order(std::vector<int64_t>(20, 0)));
  EXPECT_GT(std::set(repeated.begin(), repeated.end()).size(), 5u) << "a sample that is listed several times";
  EXPECT_EQ(epoch(images(20).order({3}).map(crop(0)).start_at(0)).size(), 1u);
}

TEST(Augment, MistakesAreNamed) {
  const auto labels = data::from_tensors({{"label", HostTensor({2}, {1, 2})}});
  EXPECT_THAT(error_of([&] { epoch(labels.map(data::random_crop({}))); }),
              HasSubstr("has no tensor 'image'"));
  EXPECT_THAT(
      error_of([&] { epoch(labels.map(data::random_horizontal_flip({.input = "label"}))); }),
      HasSubstr("'label' of a batch of 1 samples is 1xi32, and images are f32 [n, channels, height, width]"));
  EXPECT_THAT(error_of([&] { epoch(images(2).map(data::random_crop({.padding = 1, .height = 6}))); }),
              HasSubstr("a crop of 6 x 4 pixels does not fit into 'image', which is 1x2x3x4xf32"));
  EXPECT_THAT(error_of([&] { epoch(images(2).map(data::normalize({.mean = {0}, .stddev = {1}}))); }),
              HasSubstr("'image' has 2 channels, and there are 1 means"));
  EXPECT_THAT(error_of([] { data::random_crop({.padding = -1}); }), HasSubstr("a padding of -1"));
  EXPECT_THAT(error_of([] { data::random_horizontal_flip({.probability = 1.5}); }),
              HasSubstr("cannot be 1.5"));
  EXPECT_THAT(error_of([] { data::normalize({.mean = {0}}); }),
              HasSubstr("1 means and 0 standard deviations"));
  EXPECT_THAT(error_of([] { data::normalize({.mean = {0}, .stddev = {0}}); }),
              HasSubstr("the standard deviation 0"));
}

}  // namespace
}  // namespace cutset

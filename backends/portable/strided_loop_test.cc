// SPDX-License-Identifier: Apache-2.0
#include "backends/portable/strided_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset::portable {
namespace {

using ::testing::ElementsAre;

// Returns the loop over `shape` for operands of these shapes, which are broadcast.
StridedLoop loop_over(const Shape& shape, const std::vector<Shape>& operands) {
  std::vector<Strides> strides;
  for (const Shape& o : operands) strides.push_back(broadcast_strides(o, shape));
  return strided_loop(shape, strides);
}
std::vector<int64_t> sizes_of(const StridedLoop& loop) { return {loop.sizes, loop.sizes + loop.rank}; }
std::vector<int64_t> strides_of(const StridedLoop& loop, size_t operand) {
  return {loop.strides[operand].at, loop.strides[operand].at + loop.rank};
}

TEST(StridedLoop, EqualShapesHaveOneDimension) {
  const StridedLoop loop = loop_over({32, 1, 5, 7}, {{32, 1, 5, 7}, {32, 1, 5, 7}});
  EXPECT_THAT(sizes_of(loop), ElementsAre(32 * 5 * 7));
  EXPECT_TRUE(loop.is_contiguous());
}

TEST(StridedLoop, ABiasOfChannelsHasThreeDimensions) {
  const StridedLoop loop = loop_over({32, 64, 56, 56}, {{32, 64, 56, 56}, {64, 1, 1}});
  EXPECT_THAT(sizes_of(loop), ElementsAre(32, 64, 56 * 56));
  EXPECT_THAT(strides_of(loop, 0), ElementsAre(64 * 56 * 56, 56 * 56, 1));
  EXPECT_THAT(strides_of(loop, 1), ElementsAre(0, 1, 0));
  EXPECT_FALSE(loop.is_contiguous());
}

TEST(StridedLoop, ANumberBesideATensorHasOneDimension) {
  const StridedLoop loop = loop_over({4, 6}, {{4, 6}, {}});
  EXPECT_THAT(sizes_of(loop), ElementsAre(24));
  EXPECT_THAT(strides_of(loop, 1), ElementsAre(0));
  EXPECT_FALSE(loop.is_contiguous());
}

TEST(StridedLoop, OneOperandKeepsDimensionsApart) {
  const StridedLoop loop = loop_over({4, 6}, {{4, 6}, {4, 1}});
  EXPECT_THAT(sizes_of(loop), ElementsAre(4, 6));
  EXPECT_THAT(strides_of(loop, 1), ElementsAre(1, 0));
}

TEST(StridedLoop, ATransposedMatrixHasTwoDimensions) {
  const Strides transposed{{1, 4}};
  const StridedLoop loop = strided_loop(std::vector<int64_t>{4, 6}, {&transposed, 1});
  EXPECT_THAT(sizes_of(loop), ElementsAre(4, 6));
  EXPECT_FALSE(loop.is_contiguous());
}

TEST(StridedLoop, OneElementHasNoDimension) {
  for (const Shape& shape : {Shape{}, Shape{1, 1, 1}}) {
    const StridedLoop loop = loop_over(shape, {shape, {}});
    EXPECT_EQ(loop.rank, 0);
    EXPECT_TRUE(loop.is_contiguous());
  }
}

TEST(StridedLoop, ATensorWithoutElementsHasNone) {
  int64_t elements = 1;
  for (int64_t size : sizes_of(loop_over({3, 0, 5}, {{3, 0, 5}, {5}}))) elements *= size;
  EXPECT_EQ(elements, 0);
}

}  // namespace
}  // namespace cutset::portable

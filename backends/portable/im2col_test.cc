// SPDX-License-Identifier: Apache-2.0
// Tests the division of a batch into chunks, whose patches are in scratch memory at the same time.
#include "backends/portable/im2col.h"

#include <gtest/gtest.h>

#include "ir/ops/conv/conv_problems.h"

namespace cutset::portable {
namespace {

constexpr double kMiB = 1 << 20;

// Returns a convolution of square images with a square filter, with stride 1 and the padding `p`.
ConvShape shape(int64_t n, int64_t c, int64_t size, int64_t o, int64_t filter, int64_t p) {
  const WindowAxis axis = {
      .in = size, .out = size + 2 * p - filter + 1, .kernel = filter, .before = p, .after = p};
  return {.rank = 2, .n = n, .c = c, .o = o, .groups = 1, .cg = c, .og = o, .axes = {{{}, axis, axis}}};
}

// Expects that every image is in one chunk, in order, and that the patches of each chunk fit into the scratch
// memory.
void expect_a_division(const ConvShape& s) {
  int64_t next = 0;
  for (const Images& chunk : chunks(s)) {
    EXPECT_EQ(chunk.first, next);
    EXPECT_GT(chunk.count, 0);
    EXPECT_LE(bytes_of_images(s, chunk.count), static_cast<double>(patch_bytes(s)));
    next += chunk.count;
  }
  EXPECT_EQ(next, s.n);
}

TEST(Chunks, PatchesThatFitTheLimitAreOneChunk) {
  for (const ConvShape& s : {shape(64, 1, 28, 20, 5, 0), shape(64, 20, 12, 50, 5, 0)}) {  // LeNet
    ASSERT_EQ(chunks(s).size(), 1u);
    expect_a_division(s);
    EXPECT_EQ(static_cast<double>(patch_bytes(s)), bytes_of_images(s, 64));
    EXPECT_EQ(chunk_sum_bytes(s), 0u);
  }
}

TEST(Chunks, AChunkHasTheLargestNumberOfImagesThatFitsTheLimit) {
  const ConvShape s = shape(16, 512, 14, 512, 3, 1);  // VGG-16: the patches of an image take 3.4 MiB
  EXPECT_EQ(chunks(s).size(), 1u);
  const ConvShape larger = shape(50, 512, 14, 512, 3, 1);
  ASSERT_EQ(chunks(larger).size(), 3u);
  EXPECT_EQ(chunks(larger)[1].first, 18);
  EXPECT_EQ(chunks(larger)[1].count, 18);
  EXPECT_EQ(chunks(larger)[2].count, 14);
  expect_a_division(larger);
  EXPECT_LE(static_cast<double>(patch_bytes(larger)), 64 * kMiB);
  EXPECT_GT(bytes_of_images(larger, 19), 64 * kMiB);
  EXPECT_EQ(chunk_sum_bytes(larger), 512u * 512 * 3 * 3 * 4);
}

TEST(Chunks, AnImageThatExceedsTheLimitIsAChunk) {
  const ConvShape s = shape(16, 64, 224, 64, 3, 1);
  EXPECT_GT(bytes_of_images(s, 1), 64 * kMiB);
  EXPECT_EQ(chunks(s).size(), 16u);
  expect_a_division(s);
  EXPECT_EQ(static_cast<double>(patch_bytes(s)), bytes_of_images(s, 1));
}

TEST(Chunks, TheLimitIsInProportionToTheTensors) {
  EXPECT_EQ(most_chunk_bytes(shape(1, 1, 4, 1, 3, 1)), kMiB);
  EXPECT_EQ(most_chunk_bytes(shape(64, 20, 12, 50, 5, 0)),
            8.0 * 4 * (64 * 20 * 144 + 64 * 50 * 64 + 50 * 20 * 25));
  EXPECT_EQ(most_chunk_bytes(shape(1000, 1000, 224, 64, 3, 1)), 64 * kMiB);
}

// The conformance tests cover several chunks only if a test problem has several chunks.
TEST(Chunks, ATestProblemOfTheConvolutionsHasThreeChunks) {
  size_t most = 0;
  for (const ConvProblem& p : conv_problems()) most = std::max(most, chunks(conv_sizes(p)).size());
  EXPECT_EQ(most, 3u);
}

TEST(Chunks, ABatchWithoutImagesIsOneChunk) {
  const ConvShape s = shape(0, 3, 224, 64, 3, 1);
  ASSERT_EQ(chunks(s).size(), 1u);
  EXPECT_EQ(chunks(s)[0].count, 0);
  EXPECT_EQ(patch_bytes(s), 0u);
}

// Images without channels have patches without elements, so a chunk holds any number of them.
TEST(Chunks, EmptyPatchesAreOneChunk) {
  const ConvShape s = shape(5, 0, 224, 64, 3, 1);
  ASSERT_EQ(chunks(s).size(), 1u);
  EXPECT_EQ(chunks(s)[0].count, 5);
}

TEST(Chunks, TheSizeOfPatchesDoesNotOverflow) {
  EXPECT_EQ(patch_bytes(shape(1, 1 << 20, 1 << 20, 1, 1 << 10, 1 << 10)), uint64_t{1} << 48);
}

}  // namespace
}  // namespace cutset::portable

// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/buffer_packing_exact.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/core/philox.h"

namespace cutset {
namespace {

// Cuts a full arena at random until it has `count` pieces, so a packing without holes exists. `unit` divides
// all sizes.
std::vector<PackedBuffer> cut_arena(PhiloxSequence random, int64_t time, uint64_t bytes, uint64_t unit,
                                    size_t count) {
  struct Piece {
    int64_t first, last;
    uint64_t bottom, top;
  };
  std::vector<Piece> pieces = {{0, time - 1, 0, bytes}};
  while (pieces.size() < count) {
    Piece& p = pieces[random.below(pieces.size())];
    Piece other = p;
    if (random.below(2)) {
      if (p.last == p.first) continue;
      p.last = p.first + static_cast<int64_t>(random.below(uint64_t(p.last - p.first)));
      other.first = p.last + 1;
    } else {
      if (p.top - p.bottom < 8 * unit) continue;
      p.top = p.bottom + unit * (1 + random.below((p.top - p.bottom) / unit - 1));
      other.bottom = p.top;
    }
    pieces.push_back(other);
  }
  std::vector<PackedBuffer> buffers;
  for (const Piece& p : pieces) buffers.push_back({p.first, p.last, p.top - p.bottom, 0});
  return buffers;
}

void expect_no_overlap(const std::vector<PackedBuffer>& buffers) {
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const auto &a = buffers[i], &b = buffers[j];
      EXPECT_FALSE(a.first <= b.last && b.first <= a.last && a.offset < b.offset + b.bytes &&
                   b.offset < a.offset + a.bytes);
    }
}

TEST(ExactPacking, FillsAnArenaThatWasCutIntoPieces) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    std::vector<PackedBuffer> buffers = cut_arena(PhiloxSequence(seed, 3), 64, 4096, 32, 36);
    const ExactResult r = pack_exactly(buffers, 1, 4096, 20);
    ASSERT_TRUE(r.packing) << "seed " << seed << (r.timed_out ? ", time out" : ", none");
    EXPECT_EQ(r.packing->bytes, 4096u);
    expect_no_overlap(buffers);
  }
}

// A search that always places the lowest buffer, and goes back by one placement at a time, visits more than
// 180,000 partial solutions of each of these instances without finding a packing.
TEST(ExactPacking, NeedsFewNodesForManyPieces) {
  for (uint64_t seed : {0, 1, 2, 3, 7}) {
    std::vector<PackedBuffer> buffers = cut_arena(PhiloxSequence(seed, 4), 256, 1 << 20, 1024, 150);
    const ExactResult r = pack_exactly(buffers, 1, 1 << 20, 20);
    ASSERT_TRUE(r.packing) << "seed " << seed << (r.timed_out ? ", time out" : ", none");
    EXPECT_LT(r.nodes, 20'000u) << "seed " << seed;
    EXPECT_EQ(r.packing->bytes, uint64_t{1} << 20);
    expect_no_overlap(buffers);
  }
}

// Tries all offsets: returns whether any of them pack `buffers` into `capacity` bytes.
bool can_be_packed(std::vector<PackedBuffer>& buffers, uint64_t capacity, size_t placed = 0) {
  if (placed == buffers.size()) return true;
  PackedBuffer& b = buffers[placed];
  for (b.offset = 0; b.offset + b.bytes <= capacity; ++b.offset) {
    const bool free =
        std::none_of(buffers.begin(), buffers.begin() + static_cast<int64_t>(placed), [&](const auto& a) {
          return a.first <= b.last && b.first <= a.last && a.offset < b.offset + b.bytes &&
                 b.offset < a.offset + a.bytes;
        });
    if (free && can_be_packed(buffers, capacity, placed + 1)) return true;
  }
  return false;
}

TEST(ExactPacking, SaysWhenThereIsNone) {
  // At most 9 bytes are alive at once, so no packing into 8 bytes exists, and none is searched for.
  std::vector<PackedBuffer> above = {{0, 1, 3, 0}, {2, 3, 3, 0}, {0, 3, 2, 0}, {1, 2, 4, 0}};
  EXPECT_FALSE(pack_exactly(above, 1, 8, 5).packing);
  EXPECT_FALSE(pack_exactly(above, 1, 8, 5).timed_out);
  // At most 4 bytes are alive at once, but no packing into 4 bytes exists. Only a search finds that out.
  std::vector<PackedBuffer> tight = {{3, 5, 2, 0}, {1, 3, 1, 0}, {2, 3, 1, 0}, {0, 0, 2, 0},
                                     {4, 4, 2, 0}, {0, 1, 2, 0}, {1, 2, 1, 0}};
  std::vector<PackedBuffer> tried = tight, five = tight;
  ASSERT_FALSE(can_be_packed(tried, 4));
  ASSERT_TRUE(can_be_packed(tried, 5));
  const ExactResult none = pack_exactly(tight, 1, 4, 60);
  EXPECT_FALSE(none.packing);
  EXPECT_FALSE(none.timed_out);
  EXPECT_GT(none.nodes, 0u);
  const ExactResult some = pack_exactly(five, 1, 5, 60);
  ASSERT_TRUE(some.packing);
  EXPECT_EQ(some.packing->bytes, 5u);
}

// The memory of the search grows with the square of the number of items, so a limit ends the search of a
// large instance.
TEST(ExactPacking, EndsByALimitWhereTheInstanceIsTooLarge) {
  PhiloxSequence random(7);
  std::vector<PackedBuffer> buffers(20'000);
  for (PackedBuffer& b : buffers) {
    b.first = static_cast<int64_t>(random.below(20'000));
    b.last = b.first + static_cast<int64_t>(random.below(2'000));
    b.bytes = 1 + random.below(5000);
  }
  std::vector<PackedBuffer> greedy = buffers;
  const ExactResult r = pack_exactly(buffers, 1, pack_buffers(greedy, 1).lower_bound, 2);
  EXPECT_TRUE(r.packing || r.timed_out || r.out_of_memory);
  EXPECT_FALSE(r.packing && r.packing->bytes != r.packing->lower_bound);
}

}  // namespace
}  // namespace cutset

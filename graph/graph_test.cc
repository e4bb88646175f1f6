#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "graph/contiguous_split.h"
#include "graph/dot.h"
#include "graph/packing.h"
#include "ir/core/philox.h"

namespace cutset {
namespace {

TEST(Packing, NoTwoLiveBuffersShareBytesAndTheBoundHolds) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    PhiloxSequence random(seed);
    std::vector<PackedBuffer> buffers(1 + random.below(60));
    for (PackedBuffer& b : buffers) {
      b.first = static_cast<int64_t>(random.below(40)), b.last = b.first + static_cast<int64_t>(random.below(15));
      b.bytes = random.below(5000);
    }
    const Packing p = pack_buffers(buffers, 64);
    EXPECT_GE(p.bytes, p.lower_bound);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const auto& a = buffers[i];
      EXPECT_EQ(a.offset % 64, 0u);
      EXPECT_LE(a.offset + a.bytes, p.bytes);
      for (size_t j = 0; j < i; ++j) {
        const auto& b = buffers[j];
        const bool together = a.first <= b.last && b.first <= a.last,
                   overlap = a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
        EXPECT_FALSE(together && overlap) << "seed " << seed << ", buffers " << j << " and " << i;
      }
    }
  }
}

TEST(Packing, ReusesMemoryOfTheDead) {
  std::vector<PackedBuffer> buffers = {{0, 1, 100, 0}, {2, 3, 100, 0}, {4, 5, 64, 0}};
  EXPECT_EQ(pack_buffers(buffers, 64).bytes, 100u);
}

// Rectangles cut from a full arena: there is a packing without a hole, and the search must find one.
TEST(ExactPacking, FillsAnArenaThatWasCutIntoPieces) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    PhiloxSequence random(seed, 3);
    struct Piece {
      int64_t first, last;
      uint64_t bottom, top;
    };
    std::vector<Piece> pieces = {{0, 63, 0, 4096}};
    for (int cuts = 0; cuts < 40; ++cuts) {
      Piece& p = pieces[random.below(pieces.size())];
      Piece other = p;
      if (random.below(2) && p.last > p.first)
        p.last = p.first + static_cast<int64_t>(random.below(uint64_t(p.last - p.first))), other.first = p.last + 1;
      else if (p.top - p.bottom > 64)
        p.top = p.bottom + 32 * (1 + random.below((p.top - p.bottom) / 32 - 1)), other.bottom = p.top;
      else
        continue;
      pieces.push_back(other);
    }
    std::vector<PackedBuffer> buffers;
    for (const Piece& p : pieces) buffers.push_back({p.first, p.last, p.top - p.bottom, 0});
    const ExactResult r = pack_exactly(buffers, 1, 4096, 20);
    ASSERT_TRUE(r.packing) << "seed " << seed << (r.timed_out ? ", time out" : ", none");
    EXPECT_EQ(r.packing->bytes, 4096u);
    for (size_t i = 0; i < buffers.size(); ++i)
      for (size_t j = 0; j < i; ++j) {
        const auto &a = buffers[i], &b = buffers[j];
        EXPECT_FALSE(a.first <= b.last && b.first <= a.last && a.offset < b.offset + b.bytes &&
                     b.offset < a.offset + a.bytes);
      }
  }
}

TEST(ExactPacking, SaysWhenThereIsNone) {
  // Three at once of 3, and two of 2 that meet one of them each: 9 is the live peak and no packing has it.
  std::vector<PackedBuffer> buffers = {{0, 1, 3, 0}, {2, 3, 3, 0}, {0, 3, 2, 0}, {1, 2, 4, 0}};
  EXPECT_FALSE(pack_exactly(buffers, 1, 8, 5).packing);
  std::vector<PackedBuffer> tight = {{0, 2, 2, 0}, {2, 4, 2, 0}, {4, 6, 2, 0}, {0, 0, 3, 0},
                                     {3, 3, 3, 0}, {6, 6, 3, 0}, {1, 1, 3, 0}, {5, 5, 3, 0}};
  const ExactResult r = pack_exactly(tight, 1, 5, 5);
  EXPECT_TRUE(r.packing || !r.timed_out);
}

double load_of(const ChainProblem& p, const std::vector<int>& device) {
  const size_t n = device.size();
  std::vector<double> load(p.seconds[0].size(), 0);
  for (size_t i = 0; i < n; ++i) {
    load[size_t(device[i])] += p.seconds[i][size_t(device[i])];
    if (i + 1 < n && device[i] != device[i + 1])
      load[size_t(device[i])] += p.transfer[i][size_t(device[i])],
          load[size_t(device[i + 1])] += p.transfer[i][size_t(device[i])];
  }
  return *std::max_element(load.begin(), load.end());
}

TEST(ContiguousSplit, IsAsGoodAsTryingAll) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    PhiloxSequence random(seed);
    const size_t layers = 3 + random.below(6), devices = 3;
    ChainProblem p;
    for (size_t i = 0; i < layers; ++i) {
      std::vector<double> s, t;
      for (size_t d = 0; d < devices; ++d) s.push_back(random.unit());
      for (size_t d = 0; d + 1 < devices; ++d) t.push_back(random.unit() * 0.3);
      p.seconds.push_back(s), p.transfer.push_back(t);
    }
    auto split = split_chain(p);
    ASSERT_TRUE(split.ok());
    double best = std::numeric_limits<double>::infinity();
    for (size_t a = 1; a < layers - 1; ++a)
      for (size_t b = a + 1; b < layers; ++b) {
        std::vector<int> device(layers);
        for (size_t i = 0; i < layers; ++i) device[i] = i < a ? 0 : i < b ? 1 : 2;
        best = std::min(best, load_of(p, device));
      }
    EXPECT_NEAR(split->bottleneck, best, 1e-12);
    EXPECT_NEAR(load_of(p, split->device), best, 1e-12);
  }
}

TEST(ContiguousSplit, AvoidsWhatADeviceCannotRun) {
  constexpr double never = std::numeric_limits<double>::infinity();
  ChainProblem p{{{1, never}, {1, 1}, {never, 1}}, {{0}, {0}, {0}}};
  auto split = split_chain(p);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->device.front(), 0);
  EXPECT_EQ(split->device.back(), 1);
  p.seconds[1] = {never, never};
  EXPECT_FALSE(split_chain(p).ok());
}

TEST(Dot, EscapesAndNests) {
  DotGraph g{
      "a \"title\"", {{"1", {"cpu:0", "conv1"}, {"conv\\2d", "x"}, "", "tip\"", false}}, {{"1", "1", "4 B", true}}};
  const std::string text = to_dot(g);
  EXPECT_NE(text.find("a \\\"title\\\""), std::string::npos);
  EXPECT_NE(text.find("conv\\\\2d\\nx"), std::string::npos);
  EXPECT_LT(text.find("label=\"cpu:0\""), text.find("label=\"conv1\""));
}

}  // namespace
}  // namespace cutset

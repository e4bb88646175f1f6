// SPDX-License-Identifier: Apache-2.0
#include "graph/packing/buffer_packing.h"

#include <gtest/gtest.h>

#include "ir/core/philox.h"

namespace cutset {
namespace {

TEST(Packing, NoTwoLiveBuffersShareBytesAndTheBoundHolds) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    PhiloxSequence random(seed);
    std::vector<PackedBuffer> buffers(1 + random.below(60));
    for (PackedBuffer& b : buffers) {
      b.first = static_cast<int64_t>(random.below(40));
      b.last = b.first + static_cast<int64_t>(random.below(15));
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

// Lifetimes that nest, that all overlap, that follow each other, and that overlap in steps. A quadratic
// packer would take minutes here.
TEST(Packing, TakesManyBuffersWhoseLivesNestOrOverlapOrFollow) {
  constexpr int64_t kMany = 100'000;
  const auto size = [](int64_t i) { return static_cast<uint64_t>(64 * (1 + i % 97)); };
  std::vector<PackedBuffer> nested, together, chain, stairs;
  for (int64_t i = 0; i < kMany; ++i) {
    nested.push_back({i, 2 * kMany - i, size(i), 0});
    together.push_back({i % 3, kMany + i, size(i), 0});
    chain.push_back({i, i, size(i), 0});
    stairs.push_back({i, i + 5, 64, 0});
  }
  for (auto* buffers : {&nested, &together, &chain, &stairs}) {
    const Packing p = pack_buffers(*buffers, 64);
    EXPECT_EQ(p.bytes, p.lower_bound);
  }
}

// A training step of many layers: backward reads the activations in the reverse order and passes a gradient
// of the same size from layer to layer. The gradients of the weights, which are larger, live until the end of
// the step. Packed in the order of time alone, these buffers take 10 % more than the peak.
TEST(Packing, TakesActivationsAndLargerGradients) {
  constexpr int64_t kLayers = 10'000, kEnd = 4 * kLayers + 1;
  std::vector<PackedBuffer> buffers;
  for (int64_t i = 0; i < kLayers; ++i) {
    const int64_t backward = 2 * (2 * kLayers - i);
    buffers.push_back({i, backward, 512, 0});
    buffers.push_back({backward, backward + 2, 512, 0});
    buffers.push_back({backward, kEnd, 1024, 0});
    buffers.push_back({backward, kEnd, 64, 0});
  }
  const Packing p = pack_buffers(buffers, 64);
  EXPECT_LE(static_cast<double>(p.bytes), 1.002 * static_cast<double>(p.lower_bound));
}

}  // namespace
}  // namespace cutset

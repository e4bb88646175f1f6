#include "graph/packing.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace cutset {

Packing pack_buffers(std::vector<PackedBuffer>& buffers, uint64_t alignment) {
  auto round = [&](uint64_t bytes) { return (bytes + alignment - 1) & ~(alignment - 1); };
  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return buffers[a].bytes > buffers[b].bytes; });
  Packing result;
  std::vector<const PackedBuffer*> placed;  // by offset
  for (size_t i : order) {
    PackedBuffer& buffer = buffers[i];
    uint64_t at = 0;
    for (const PackedBuffer* other : placed) {
      if (other->last < buffer.first || buffer.last < other->first) continue;
      if (at + buffer.bytes <= other->offset) break;
      at = std::max(at, round(other->offset + other->bytes));
    }
    buffer.offset = at;
    result.bytes = std::max(result.bytes, at + buffer.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), &buffer,
                                   [](const PackedBuffer* a, const PackedBuffer* b) { return a->offset < b->offset; }),
                  &buffer);
  }
  std::map<int64_t, int64_t> change;  // bytes that come and go, by time
  for (const PackedBuffer& b : buffers)
    change[b.first] += static_cast<int64_t>(b.bytes), change[b.last + 1] -= static_cast<int64_t>(b.bytes);
  int64_t alive = 0;
  for (auto [time, bytes] : change)
    result.lower_bound = std::max(result.lower_bound, static_cast<uint64_t>(alive += bytes));
  return result;
}

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include <cutset/random_batch.h>

namespace cutset {

Batch random_batch(const Graph& graph, uint64_t seed, const RandomBatch& options) {
  Batch batch;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  auto next =
      [&] {  // splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014)
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
      };
  auto classes = options.classes;
  classes.insert(graph.label_classes().begin(), graph.label_classes().end());
  for (const auto& [name, type] : graph.inputs()) {
    HostTensor t(type);
    const auto found = classes.find(name);
    const uint64_t range =
        found == classes.end() || found->second < 1 ? 2 : static_cast<uint64_t>(found->second);
    for (int64_t i = 0; i < type.elements(); ++i) {
      const uint64_t bits = next();
      const double unit = static_cast<double>(bits >> 11) * 0x1p-53;
      t.set(i, is_float(type.dtype) ? options.low + (options.high - options.low) * unit
                                    : static_cast<double>((bits >> 32) % range));
    }
    batch.emplace(name, std::move(t));
  }
  return batch;
}

}  // namespace cutset

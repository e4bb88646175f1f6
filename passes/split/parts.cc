#include "passes/split/parts.h"

#include "llvm/ADT/STLExtras.h"

namespace cutset::passes {

Parts divide(int64_t batch, const Strategy& strategy, int64_t fixed_parts) {
  Parts parts;
  parts.replicas = strategy.replicas;
  auto add = [&](int64_t rows, int64_t replica) {
    const int64_t start = parts.count() ? parts.start.back() + parts.rows.back() : 0;
    if (rows > 0) parts.start.push_back(start), parts.rows.push_back(rows), parts.replica.push_back(replica);
  };
  if (fixed_parts > 0) {
    const auto sizes = apportion(batch, std::vector<double>(static_cast<size_t>(fixed_parts), 1.0));
    const auto of_replica = apportion(llvm::count_if(sizes, [](int64_t n) { return n > 0; }), strategy.shares);
    size_t next = 0;
    for (size_t r = 0; r < of_replica.size(); ++r)
      for (int64_t i = 0; i < of_replica[r]; ++i) add(sizes[next++], static_cast<int64_t>(r));
  } else {
    const auto sizes = apportion(batch, strategy.shares);
    for (size_t r = 0; r < sizes.size(); ++r) add(sizes[r], static_cast<int64_t>(r));
  }
  if (!parts.count()) parts.start = {0}, parts.rows = {0}, parts.replica = {0};
  return parts;
}

}  // namespace cutset::passes

#include "frontends/cli/train/sample_hash.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/abi/cache_file.h"

namespace cutset::cli {
namespace {

constexpr int64_t kMostBytes = int64_t{256} << 20;
constexpr int64_t kBatchBytes = int64_t{1} << 20;  // limits the memory of a batch that is read for the hash

}  // namespace

std::string hash_of_samples(const data::Dataset& samples) {
  const int64_t size = samples.size();
  int64_t bytes = 1;  // per sample
  const Batch first = *samples.order({0}).begin();
  for (const auto& [name, tensor] : first) bytes += tensor.type().bytes();
  std::vector<int64_t> read(static_cast<size_t>(std::min(size, std::max<int64_t>(2, kMostBytes / bytes))));
  const auto gaps = static_cast<int64_t>(read.size()) - 1;
  for (int64_t i = 0; i <= gaps; ++i)
    read[static_cast<size_t>(i)] =
        gaps == 0
            ? 0
            : static_cast<int64_t>(static_cast<double>(i) * static_cast<double>(size - 1) / static_cast<double>(gaps));
  uint64_t hash = 0;
  for (const Batch& batch : samples.order(std::move(read)).batch(std::max<int64_t>(1, kBatchBytes / bytes)))
    for (const auto& [name, tensor] : batch) {
      std::string text = std::to_string(hash) + " " + name + " " + to_string(tensor.type()) + " ";
      text.append(reinterpret_cast<const char*>(tensor.data()), tensor.bytes().size());
      hash = abi::hash_of(text);
    }
  return std::to_string(size) + " samples with the hash " + std::to_string(hash);
}

}  // namespace cutset::cli

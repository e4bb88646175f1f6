// Input: a source, shuffled, batched and prefetched. Every stage returns by value and owns its source.
//
//   for (auto& batch : data::fashion_mnist("train").shuffle(60'000).batch(64).prefetch(2)) ...
//
// Iterating is one epoch; the next begin() is the next. Images stay bytes until they are batched.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/host_tensor.h"

namespace cutset {

using Batch = std::map<std::string, HostTensor>;  // "image", "label"
struct ImageDataset;
struct ImageBatch;
template <class T>
class Prefetcher;

namespace data {

class Images {
 public:
  explicit Images(std::shared_ptr<const ImageDataset> data);
  int64_t size() const;

  // Another order each epoch, drawn from `seed`; `buffer` is taken as the whole set, which is in memory.
  Images shuffle(int64_t buffer, uint64_t seed = 0) const;
  // The samples of the first epoch and all later ones, in this order.
  Images order(std::vector<int64_t> samples) const;
  Images batch(int64_t size) const;      // the last one is smaller
  Images prefetch(int64_t depth) const;  // so many batches ahead, on a thread of its own
  Images from_epoch(uint64_t epoch) const;

  class Iterator {
   public:
    Batch& operator*() { return *batch_; }
    Iterator& operator++();
    bool operator!=(std::nullptr_t) const { return batch_.has_value(); }

   private:
    friend class Images;
    std::shared_ptr<Prefetcher<Batch>> source_;
    std::optional<Batch> batch_;
  };
  Iterator begin() const;
  std::nullptr_t end() const { return nullptr; }

 private:
  std::shared_ptr<const ImageDataset> data_;
  bool shuffle_ = false;
  uint64_t seed_ = 0;
  mutable uint64_t epoch_ = 0;
  int64_t batch_ = 1, prefetch_ = 1;
  std::shared_ptr<const std::vector<int64_t>> order_;
};

// "train" (60,000) or "test" (10,000); `folder` empty: where Debian's package puts it. Throws cutset::Error.
Images fashion_mnist(const std::string& split, const std::string& folder = "");

}  // namespace data
}  // namespace cutset

// Input: samples that are ordered, batched and prefetched. Every stage returns a Dataset by value, and all of them
// share one source, so copies are cheap.
//
//   for (auto& batch : data::fashion_mnist("train").shuffle(60'000).batch(64).prefetch(2)) ...
//
//   auto mine = data::from_tensors({{"x", x}, {"y", y}}).shuffle(x.shape()[0], 7).batch(32);
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto& batch : mine) session.run("train", batch);  // another order in each epoch
//
// All functions throw cutset::Error. A Dataset may be read by several threads; an Iterator belongs to one.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/host_tensor.h"

namespace cutset {

using Batch = std::map<std::string, HostTensor>;  // what a step is fed with: tensors by the names of the inputs
template <class T>
class Prefetcher;

namespace data {

class Dataset {
 public:
  // Moving a Dataset copies it: the old one stays what it was.
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;

  // Samples of an epoch, and how many batches they make; the last one may be smaller.
  int64_t size() const;
  int64_t batches() const;

  // Every epoch has an order of its own, drawn from `seed` and the number of the epoch: the first begin() is
  // epoch 0, the next is epoch 1, of this Dataset and of all that are made from it. Another shuffle() counts
  // from 0 again. The whole epoch is shuffled; `buffer`, which other frameworks need, is not used.
  Dataset shuffle(int64_t buffer, uint64_t seed = 0) const;
  // These samples, in this order, are an epoch; it replaces an order and a shuffle() before it. A sample may
  // come several times or never. Numbers count from 0 and must be below the size of the source.
  Dataset order(std::vector<int64_t> samples) const;
  // `size` samples a batch, 1 unless this is called; the last batch of an epoch has the rest.
  Dataset batch(int64_t size) const;
  // Batches are made on a thread of their own, `depth` of them ahead (1 unless this is called).
  Dataset prefetch(int64_t depth) const;

  // One epoch. What the making of a batch throws, its taking throws: begin() or ++.
  class Iterator {
   public:
    Batch& operator*();  // valid until ++
    Iterator& operator++();
    bool operator!=(std::nullptr_t) const { return batch_.has_value(); }

   private:
    friend class Dataset;
    std::shared_ptr<Prefetcher<Batch>> source_;
    std::optional<Batch> batch_;
  };
  Iterator begin() const;
  std::nullptr_t end() const { return nullptr; }

  // `make` returns the batch of the samples it is given the numbers of, each from 0 to `size` - 1, and may be
  // called from any thread. Most will want from_tensors or from_function.
  using Make = std::function<Batch(const std::vector<int64_t>& samples)>;
  Dataset(int64_t size, Make make);

 private:
  struct Source;
  struct Epochs;
  std::shared_ptr<const Source> source_;
  std::shared_ptr<Epochs> epochs_;  // begun so far; shared by the copies that a shuffle() begins
  std::optional<uint64_t> seed_;    // of the shuffle
  int64_t batch_ = 1, prefetch_ = 1;
  std::shared_ptr<const std::vector<int64_t>> order_;
};

// Tensors in memory: sample i is row i (axis 0) of each of them. All have the same, positive number of rows.
Dataset from_tensors(Batch tensors);

// `sample(i)` returns sample i, for i from 0 to `size` - 1: tensors without the axis of the batch, with the same
// names, element types and shapes for all i. It is called on the thread that prefetches; what it throws comes
// out of the iteration.
Dataset from_function(int64_t size, std::function<Batch(int64_t i)> sample);

// "train" (60,000) or "test" (10,000): "image", f32 {n, 1, 28, 28} from 0 to 1, and "label", i32 {n} from 0 to 9.
// `folder` has the four IDX files, plain or .gz; empty: where Debian's package dataset-fashion-mnist puts them.
// Images stay bytes until they are batched.
Dataset fashion_mnist(const std::string& split, const std::string& folder = "");

}  // namespace data
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Data sets: samples that are ordered, batched and prefetched.
//
//   for (auto& batch : data::fashion_mnist("train").shuffle().batch(64).prefetch(2)) ...
//
//   auto mine = data::from_tensors({{"x", x}, {"y", y}}).shuffle(7).batch(32);
//   for (int epoch = 0; epoch < 10; ++epoch)
//     for (auto& batch : mine) session.train(batch);  // every epoch has another order
//
// <cutset/image_data.h> and <cutset/text_data.h> read more files, and <cutset/augment.h> has transforms for
// map().
//
// Each method that configures a Dataset returns a new Dataset and leaves the old one as it was. All of them
// share the samples, so copies are cheap. Each loop over a Dataset is one epoch.
//
// All functions throw cutset::Error. Several threads may use a Dataset at the same time; an Iterator belongs
// to one thread.
#pragma once
#include <cutset/host_tensor.h>
#include <cutset/pinned_memory.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cutset {

// The tensors that one run of a function reads, by the names of the inputs.
using Batch = std::map<std::string, HostTensor>;
template <class T>
class Prefetcher;

namespace data {

// Which samples a batch has, and where they are in the epochs of a Dataset.
struct BatchPosition {
  uint64_t epoch;                // the number of the epoch, counted from 0
  int64_t first;                 // the position of the first sample in the order of the epoch, counted from 0
  std::vector<int64_t> samples;  // the indices of the samples in the data set, one per row of the batch
};

// A sequence of samples, and how an epoch takes them: in which order, how many per batch, and how far ahead.
class Dataset {
 public:
  // Makes a data set of `size` samples from a function that makes batches. `make` gets the indices of the
  // samples of one batch, each in [0, size), and returns the batch. It may be called from any thread. Throws
  // if `size` is below 1 or `make` is empty. from_tensors and from_function are simpler where they suffice.
  using Make = std::function<Batch(const std::vector<int64_t>& samples)>;
  Dataset(int64_t size, Make make);
  // Copies share the samples. A move is a copy, so a Dataset that was moved from stays usable.
  Dataset(const Dataset&) = default;
  Dataset& operator=(const Dataset&) = default;

  // Returns the number of samples per epoch.
  int64_t size() const;
  // Returns the number of batches per epoch, rounded up.
  int64_t batches() const;

  // Shuffles every epoch into another order, which is a function of `seed` and the number of the epoch. The
  // first call of begin() on the returned Dataset, or on a Dataset derived from it, starts epoch 0, and every
  // further call starts the next epoch. Another call of shuffle() or order() counts from the beginning again.
  // The whole epoch is shuffled, not a buffer of it.
  Dataset shuffle(uint64_t seed = 0) const;
  // Makes an epoch of the samples with these indices, in this order. A sample may be listed several times or
  // not at all. An earlier order() or shuffle() no longer holds. Throws if the list is empty or an index is
  // not in the range from 0 to the number of samples that the data set was made of.
  Dataset order(std::vector<int64_t> samples) const;
  // Continues an interrupted training. The first call of begin() on the returned Dataset, or on a Dataset
  // derived from it, starts epoch `epoch` at its batch number `batch`, both counted from 0, and makes none of
  // the batches before it. Every further call starts the next epoch at its first batch. The batches are
  // bitwise equal to the batches of a Dataset that made all earlier batches. Calls of shuffle(), order(),
  // batch() and the other methods may precede or follow. Throws if a number is negative. The first begin()
  // throws if an epoch does not have more than `batch` batches.
  Dataset start_at(int64_t epoch, int64_t batch = 0) const;
  // Changes each batch by a function, after the functions of earlier calls of map(). <cutset/augment.h> has
  // functions for images. The function is called on the thread that prefetches; loops that run at the same
  // time call it at the same time. It may change the number of tensors and their types. A function that draws
  // random numbers should derive them from the position, so that the batches do not depend on the batch size,
  // the depth of prefetch() or start_at(). Throws if the function is empty.
  using Transform = std::function<Batch(Batch batch, const BatchPosition& position)>;
  Dataset map(Transform transform) const;
  // Puts `size` samples into each batch; the default is 1. The last batch of an epoch has the samples that
  // remain, so it may be smaller. Throws if `size` is below 1.
  Dataset batch(int64_t size) const;
  // Sets how many batches a second thread makes ahead; the default is 1. Throws if `depth` is below 1.
  Dataset prefetch(int64_t depth) const;
  // Makes the batches in memory that the devices of a session copy fast (Session::pinned_memory). The data
  // sets of this library fill this memory directly. Tensors that a function of the user makes are copied
  // there after the functions of map(), on the thread that prefetches. The batches may outlive the session.
  Dataset pin(PinnedMemory memory) const;

  // A position in one epoch. An exception that is thrown while a batch is made comes out of the begin() or ++
  // that takes the batch.
  class Iterator {
   public:
    // Returns the current batch, which may be changed or moved from. It is valid until the next ++. Throws at
    // the end of the epoch.
    Batch& operator*();
    // Takes the next batch, and waits until it is made. Throws at the end of the epoch.
    Iterator& operator++();
    // Whether there is a current batch.
    bool operator!=(std::nullptr_t) const { return batch_ != nullptr; }

   private:
    friend class Dataset;
    std::shared_ptr<Prefetcher<Batch>> source_;
    std::shared_ptr<Batch> batch_;  // null at the end of the epoch
  };
  // Starts an epoch: starts the thread that makes its batches, and waits for the first batch. Throws if the
  // indices of a batch, or of a shuffled epoch, would take more memory than the process can use.
  Iterator begin() const;
  // Returns the end of every epoch.
  std::nullptr_t end() const { return nullptr; }

 private:
  struct Settings;
  explicit Dataset(Settings settings);
  const Settings& settings() const;  // throws if the object was moved from
  std::shared_ptr<const Settings> settings_;
};

// Makes a data set of tensors in memory: sample i is row i (axis 0) of each tensor. Throws if the tensors do
// not have the same, positive number of rows.
Dataset from_tensors(Batch tensors);

// Makes a data set of `size` samples from a function that returns sample i, for i in [0, size). A sample has
// no batch axis, and all samples have the same names, element types and shapes. `sample` is called on the
// thread that prefetches. An exception that it throws comes out of the loop over the data set.
Dataset from_function(int64_t size, std::function<Batch(int64_t i)> sample);

// Reads Fashion-MNIST (Xiao, Rasul and Vollgraf, arXiv:1708.07747, 2017). `split` is "train" (60,000 samples)
// or "test" (10,000). A batch of n samples has "image", f32 [n, 1, 28, 28] with values from 0 to 1, and
// "label", i32 [n] with values from 0 to 9. `folder` holds the four IDX files, plain or as .gz; the default
// is the folder of Debian's package dataset-fashion-mnist. Images are kept as bytes and converted per batch.
// Throws if a file is missing or malformed.
Dataset fashion_mnist(const std::string& split, const std::string& folder = "");

}  // namespace data
}  // namespace cutset

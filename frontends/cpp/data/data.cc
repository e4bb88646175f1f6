// SPDX-License-Identifier: Apache-2.0
#include <cutset/data.h>
#include <cutset/error.h>

#include <atomic>
#include <stdexcept>
#include <system_error>

#include "frontends/cpp/checks/failure.h"
#include "frontends/cpp/checks/own_process.h"
#include "frontends/cpp/data/dataset_of.h"
#include "runtime/data/dataset.h"
#include "runtime/data/fashion_mnist.h"
#include "runtime/data/prefetcher.h"
#include "runtime/data/rows.h"
#include "runtime/files/host_pool.h"
#include "runtime/files/uninitialized.h"
#include "runtime/files/usable_memory.h"

namespace cutset::data {

struct Dataset::Source {
  int64_t size;
  Make make;
};
struct Dataset::Epochs {
  explicit Epochs(uint64_t epoch = 0, int64_t batch = 0) : first(epoch), first_batch(batch), next(epoch) {}
  // Returns a copy of the start, which has begun no epoch.
  std::shared_ptr<Epochs> again() const { return std::make_shared<Epochs>(first, first_batch); }

  const uint64_t first;       // the epoch that the first begin() starts
  const int64_t first_batch;  // the batch at which the first epoch starts
  std::atomic<uint64_t> next;
};

Dataset::Dataset(int64_t size, Make make) : epochs_(std::make_shared<Epochs>()) {
  if (size < 1)
    raise(invalid_argument("a data set cannot have " + std::to_string(size) + " samples",
                           "it must have 1 or more"));
  if (!make) raise(invalid_argument("a data set needs a function that makes its batches"));
  source_ = std::make_shared<const Source>(Source{size, std::move(make)});
}

int64_t Dataset::size() const { return order_ ? static_cast<int64_t>(order_->size()) : source_->size; }
int64_t Dataset::batches() const { return size() / batch_ + (size() % batch_ != 0); }

Dataset Dataset::shuffle(uint64_t seed) const {
  Dataset next = *this;
  next.seed_ = seed;
  next.epochs_ = epochs_->again();
  return next;
}
Dataset Dataset::order(std::vector<int64_t> samples) const {
  if (samples.empty()) raise(invalid_argument("the order of an epoch has no sample"));
  for (int64_t s : samples)
    if (s < 0 || s >= source_->size)
      raise(invalid_argument("sample " + std::to_string(s) + " of the order is not one of the " +
                                 std::to_string(source_->size) + " samples",
                             "samples are numbered from 0"));
  Dataset next = *this;
  next.seed_.reset();
  next.order_ = std::make_shared<const std::vector<int64_t>>(std::move(samples));
  next.epochs_ = epochs_->again();
  return next;
}
Dataset Dataset::start_at(int64_t epoch, int64_t batch) const {
  if (epoch < 0 || batch < 0)
    raise(invalid_argument(
        "a data set cannot start at epoch " + std::to_string(epoch) + ", batch " + std::to_string(batch),
        "both numbers are counted from 0"));
  Dataset next = *this;
  next.epochs_ = std::make_shared<Epochs>(static_cast<uint64_t>(epoch), batch);
  return next;
}
Dataset Dataset::map(Transform transform) const {
  if (!transform) raise(invalid_argument("map needs a function that changes batches"));
  Dataset next = *this;
  next.transforms_.push_back(std::move(transform));
  return next;
}
Dataset Dataset::batch(int64_t size) const {
  if (size < 1)
    raise(invalid_argument("a batch cannot have " + std::to_string(size) + " samples",
                           "it must have 1 or more"));
  Dataset next = *this;
  next.batch_ = size;
  return next;
}
Dataset Dataset::prefetch(int64_t depth) const {
  if (depth < 1)
    raise(invalid_argument("prefetch cannot keep " + std::to_string(depth) + " batches",
                           "the depth must be 1 or more"));
  Dataset next = *this;
  next.prefetch_ = depth;
  return next;
}
Dataset Dataset::pin(PinnedMemory memory) const {
  Dataset next = *this;
  next.pinned_ = std::move(memory);
  return next;
}

namespace {

// The order of the samples of an epoch. The samples are in their order or listed by the user, and then
// shuffled or not. Only a list and a shuffled epoch take memory per sample, so a data set whose samples are
// generated may have any number of samples.
struct EpochOrder {
  std::shared_ptr<const std::vector<int64_t>> listed;  // null: all samples in ascending order
  std::vector<int64_t> shuffled;                       // empty: not shuffled
  int64_t operator[](int64_t i) const {
    const int64_t drawn = shuffled.empty() ? i : shuffled[static_cast<size_t>(i)];
    return listed ? (*listed)[static_cast<size_t>(drawn)] : drawn;
  }
};

// Throws if a list of the indices of `samples` samples would take most of the memory that the process can
// use. The system may grant such an allocation and end the process later.
void check_list(const std::string& of, int64_t samples, const char* hint) {
  const uint64_t usable = usable_memory_bytes();
  if (static_cast<uint64_t>(samples) <= usable / 2 / sizeof(int64_t)) return;
  raise(unavailable(of + " of " + std::to_string(samples) +
                        " samples takes 8 bytes for the index of each, and this process can use " +
                        std::to_string(usable) + " bytes",
                    hint));
}

// Ends the thread of an iterator, unless another process began the epoch: this process then has no such
// thread.
struct EndInOwnProcess {
  OwnProcess process;
  void operator()(Prefetcher<Batch>* source) const {
    if (process.is_this()) delete source;
  }
};

// Takes the next batch. Turns a failed allocation into an Error.
std::optional<Batch> next_of(const std::shared_ptr<Prefetcher<Batch>>& source, int64_t samples) {
  check(std::get_deleter<EndInOwnProcess>(source)->process.check("data::Dataset::Iterator"));
  try {
    return source->take();
  } catch (const std::length_error&) {
    raise(execution_failed("a batch of " + std::to_string(samples) + " samples is larger than any memory",
                           "use a smaller batch"));
  } catch (const std::bad_alloc&) {
    raise(
        execution_failed("there is not enough memory for a batch of " + std::to_string(samples) + " samples",
                         "use a smaller batch or prefetch fewer batches"));
  }
}

}  // namespace

Dataset::Iterator Dataset::begin() const {
  // A start that is out of range is refused before the epoch is counted, so that every begin() reports it.
  if (epochs_->next == epochs_->first && epochs_->first_batch >= batches())
    raise(invalid_argument("a data set cannot start at batch " + std::to_string(epochs_->first_batch) +
                               "; an epoch has " + std::to_string(batches()) + " batches",
                           "batches are numbered from 0; use the batch size of the interrupted training"));
  const int64_t of_batch = std::min(batch_, size());
  check_list("a batch", of_batch, "use a smaller batch");
  if (seed_) check_list("a shuffled epoch", size(), "leave shuffle() out, or give order() fewer samples");
  const uint64_t epoch = epochs_->next++;
  EpochOrder order{order_, {}};
  if (seed_) order.shuffled = shuffled_order(size(), *seed_, epoch);
  const int64_t first = epoch == epochs_->first ? epochs_->first_batch * batch_ : 0;
  // The batches of an epoch share memory, which is freed when the epoch is destroyed.
  const auto pool = pinned_ ? pinned_->pool_ : std::make_shared<HostPool>();
  auto make = [source = source_, transforms = transforms_, pool, pinned = pinned_ && pool->has_source(),
               epoch, order = std::move(order), samples = size(), size = of_batch,
               at = first]() mutable -> std::optional<Batch> {
    if (at >= samples) return std::nullopt;
    BatchPosition position{epoch, at, {}};
    for (const int64_t last = at + std::min(size, samples - at); at < last; ++at)
      position.samples.push_back(order[at]);
    const HostPool::Use use(*pool);
    Batch batch = source->make(position.samples);
    for (const Transform& transform : transforms) batch = transform(std::move(batch), position);
    if (pinned)
      for (auto& [name, tensor] : batch)
        if (!pool->holds(tensor)) tensor = copied(tensor);
    return batch;
  };
  Iterator it;
  try {
    it.source_ = std::shared_ptr<Prefetcher<Batch>>(
        new Prefetcher<Batch>(std::move(make), static_cast<size_t>(prefetch_)), EndInOwnProcess());
  } catch (const std::system_error& e) {
    raise(execution_failed(std::string("no thread can be started to make batches: ") + e.what(),
                           "check the limit of processes (ulimit -u)"));
  }
  it.batch_ = next_of(it.source_, of_batch);
  return it;
}

Batch& Dataset::Iterator::operator*() {
  if (!batch_) raise(invalid_argument("an iterator of a data set is read at its end"));
  return *batch_;
}
Dataset::Iterator& Dataset::Iterator::operator++() {
  if (!batch_) raise(invalid_argument("an iterator of a data set is moved beyond its end"));
  int64_t samples = 0;
  for (const auto& [name, tensor] : *batch_) samples = tensor.type().rank() ? tensor.type().shape[0] : 0;
  batch_.reset();  // frees its memory before the next batch is taken
  batch_ = next_of(source_, samples);
  return *this;
}

Dataset from_tensors(Batch tensors) {
  const int64_t rows = check(count_rows(tensors));
  return Dataset(
      rows, [held = std::make_shared<const Batch>(std::move(tensors))](const std::vector<int64_t>& samples) {
        Batch batch;
        for (const auto& [name, tensor] : *held) batch.emplace(name, gather_rows(tensor, samples));
        return batch;
      });
}

Dataset from_function(int64_t size, std::function<Batch(int64_t)> sample) {
  if (!sample) raise(invalid_argument("a data set needs a function that makes its samples"));
  return Dataset(size, [sample = std::move(sample)](const std::vector<int64_t>& samples) {
    RowStack stack(static_cast<int64_t>(samples.size()));
    for (int64_t i : samples) check(stack.add(i, sample(i)));
    return std::move(stack).batch();
  });
}

Dataset fashion_mnist(const std::string& split, const std::string& folder) {
  return dataset_of(check(read_fashion_mnist(split, folder.empty() ? kFashionMnistFolder : folder)));
}

}  // namespace cutset::data

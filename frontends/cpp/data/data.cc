// SPDX-License-Identifier: Apache-2.0
#include <cutset/data.h>
#include <cutset/error.h>

#include <atomic>
#include <optional>
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

struct Dataset::Settings {
  // The samples, which a Dataset shares with all Datasets that are derived from it.
  struct Source {
    int64_t size;
    Make make;
  };
  // Counts the epochs begun.
  struct Epochs {
    explicit Epochs(uint64_t epoch = 0, int64_t batch = 0) : first(epoch), first_batch(batch), next(epoch) {}
    // Returns a copy of the start, which has begun no epoch.
    std::shared_ptr<Epochs> again() const { return std::make_shared<Epochs>(first, first_batch); }

    const uint64_t first;       // the epoch that the first begin() starts
    const int64_t first_batch;  // the batch at which the first epoch starts
    std::atomic<uint64_t> next;
  };

  std::shared_ptr<const Source> source;
  std::shared_ptr<Epochs> epochs;     // shared by the Datasets that count together
  std::optional<uint64_t> seed = {};  // of the shuffle
  int64_t batch = 1, prefetch = 1;
  std::shared_ptr<const std::vector<int64_t>> order = {};  // null: all samples in ascending order
  std::vector<Transform> transforms = {};
  std::optional<PinnedMemory> pinned = {};
};

Dataset::Dataset(Settings settings) : settings_(std::make_shared<const Settings>(std::move(settings))) {}
Dataset::Dataset(int64_t size, Make make) {
  if (size < 1)
    raise(invalid_argument("a data set cannot have " + std::to_string(size) + " samples",
                           "it must have 1 or more"));
  if (!make) raise(invalid_argument("a data set needs a function that makes its batches"));
  settings_ = std::make_shared<const Settings>(
      Settings{.source = std::make_shared<const Settings::Source>(Settings::Source{size, std::move(make)}),
               .epochs = std::make_shared<Settings::Epochs>()});
}

const Dataset::Settings& Dataset::settings() const {
  if (!settings_)
    raise(invalid_argument("this Dataset was moved from", "use the Dataset that it was moved to"));
  return *settings_;
}
int64_t Dataset::size() const {
  return settings().order ? static_cast<int64_t>(settings().order->size()) : settings().source->size;
}
int64_t Dataset::batches() const { return size() / settings().batch + (size() % settings().batch != 0); }

Dataset Dataset::shuffle(uint64_t seed) const {
  Settings next = settings();
  next.seed = seed;
  next.epochs = next.epochs->again();
  return Dataset(std::move(next));
}
Dataset Dataset::order(std::vector<int64_t> samples) const {
  if (samples.empty()) raise(invalid_argument("the order of an epoch has no sample"));
  Settings next = settings();
  for (int64_t s : samples)
    if (s < 0 || s >= next.source->size)
      raise(invalid_argument("sample " + std::to_string(s) + " of the order is not one of the " +
                                 std::to_string(next.source->size) + " samples",
                             "samples are numbered from 0"));
  next.seed.reset();
  next.order = std::make_shared<const std::vector<int64_t>>(std::move(samples));
  next.epochs = next.epochs->again();
  return Dataset(std::move(next));
}
Dataset Dataset::start_at(int64_t epoch, int64_t batch) const {
  if (epoch < 0 || batch < 0)
    raise(invalid_argument(
        "a data set cannot start at epoch " + std::to_string(epoch) + ", batch " + std::to_string(batch),
        "both numbers are counted from 0"));
  Settings next = settings();
  next.epochs = std::make_shared<Settings::Epochs>(static_cast<uint64_t>(epoch), batch);
  return Dataset(std::move(next));
}
Dataset Dataset::map(Transform transform) const {
  if (!transform) raise(invalid_argument("map needs a function that changes batches"));
  Settings next = settings();
  next.transforms.push_back(std::move(transform));
  return Dataset(std::move(next));
}
Dataset Dataset::batch(int64_t size) const {
  if (size < 1)
    raise(invalid_argument("a batch cannot have " + std::to_string(size) + " samples",
                           "it must have 1 or more"));
  Settings next = settings();
  next.batch = size;
  return Dataset(std::move(next));
}
Dataset Dataset::prefetch(int64_t depth) const {
  if (depth < 1)
    raise(invalid_argument("prefetch cannot keep " + std::to_string(depth) + " batches",
                           "the depth must be 1 or more"));
  Settings next = settings();
  next.prefetch = depth;
  return Dataset(std::move(next));
}
Dataset Dataset::pin(PinnedMemory memory) const {
  Settings next = settings();
  next.pinned = std::move(memory);
  return Dataset(std::move(next));
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

// Takes the next batch, or returns null at the end. Turns a failed allocation into an Error.
std::shared_ptr<Batch> next_of(const std::shared_ptr<Prefetcher<Batch>>& source, int64_t samples) {
  check(std::get_deleter<EndInOwnProcess>(source)->process.check("data::Dataset::Iterator"));
  try {
    std::optional<Batch> batch = source->take();
    return batch ? std::make_shared<Batch>(*std::move(batch)) : nullptr;
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
  const Settings& set = *settings_;
  // A start that is out of range is refused before the epoch is counted, so that every begin() reports it.
  if (set.epochs->next == set.epochs->first && set.epochs->first_batch >= batches())
    raise(invalid_argument("a data set cannot start at batch " + std::to_string(set.epochs->first_batch) +
                               "; an epoch has " + std::to_string(batches()) + " batches",
                           "batches are numbered from 0; use the batch size of the interrupted training"));
  const int64_t of_batch = std::min(set.batch, size());
  check_list("a batch", of_batch, "use a smaller batch");
  if (set.seed) check_list("a shuffled epoch", size(), "leave shuffle() out, or give order() fewer samples");
  const uint64_t epoch = set.epochs->next++;
  EpochOrder order{set.order, {}};
  if (set.seed) order.shuffled = shuffled_order(size(), *set.seed, epoch);
  const int64_t first = epoch == set.epochs->first ? set.epochs->first_batch * set.batch : 0;
  // The batches of an epoch share memory, which is freed when the epoch is destroyed.
  const auto pool = set.pinned ? set.pinned->pool_ : std::make_shared<HostPool>();
  auto make = [source = set.source, transforms = set.transforms, pool,
               pinned = set.pinned && pool->has_source(), epoch, order = std::move(order), samples = size(),
               size = of_batch, at = first]() mutable -> std::optional<Batch> {
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
        new Prefetcher<Batch>(std::move(make), static_cast<size_t>(set.prefetch)), EndInOwnProcess());
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

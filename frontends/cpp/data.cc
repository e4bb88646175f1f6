#include <cutset/data.h>
#include <cutset/error.h>

#include <numeric>

#include "frontends/cpp/graph_state.h"
#include "runtime/data/dataset.h"
#include "runtime/data/prefetcher.h"

namespace cutset::data {

Images::Images(std::shared_ptr<const ImageDataset> data) : data_(std::move(data)) {}
int64_t Images::size() const { return data_->size(); }

Images Images::shuffle(int64_t, uint64_t seed) const {
  Images next = *this;
  next.shuffle_ = true, next.seed_ = seed;
  return next;
}
Images Images::order(std::vector<int64_t> samples) const {
  for (int64_t s : samples)
    if (s < 0 || s >= size())
      raise(invalid_argument("sample " + std::to_string(s) + " of the order is not one of the " +
                             std::to_string(size()) + " samples"));
  Images next = *this;
  next.order_ = std::make_shared<const std::vector<int64_t>>(std::move(samples));
  return next;
}
Images Images::batch(int64_t size) const {
  if (size < 1) raise(invalid_argument("a batch of " + std::to_string(size) + " samples", "it must be 1 or more"));
  Images next = *this;
  next.batch_ = size;
  return next;
}
Images Images::prefetch(int64_t depth) const {
  Images next = *this;
  next.prefetch_ = depth;
  return next;
}
Images Images::from_epoch(uint64_t epoch) const {
  Images next = *this;
  next.epoch_ = epoch;
  return next;
}

Images::Iterator Images::begin() const {
  std::vector<int64_t> order(static_cast<size_t>(size()));
  std::iota(order.begin(), order.end(), int64_t{0});
  if (order_)
    order = *order_;
  else if (shuffle_)
    order = shuffled_order(size(), seed_, epoch_);
  ++epoch_;
  auto make = [data = data_, order = std::move(order), batch = batch_,
               at = int64_t{0}]() mutable -> std::optional<Batch> {
    const auto n = static_cast<int64_t>(order.size());
    if (at >= n) return std::nullopt;
    const int64_t last = std::min(n, at + batch);
    ImageBatch made = make_batch(*data, order, at, last);
    at = last;
    Batch result;
    result.emplace("image", std::move(made.image));
    result.emplace("label", std::move(made.label));
    return result;
  };
  Iterator it;
  it.source_ =
      std::make_shared<Prefetcher<Batch>>(std::move(make), static_cast<size_t>(std::max<int64_t>(1, prefetch_)));
  it.batch_ = it.source_->take();
  return it;
}

Images::Iterator& Images::Iterator::operator++() {
  batch_ = source_->take();
  return *this;
}

Images fashion_mnist(const std::string& split, const std::string& folder) {
  if (split != "train" && split != "test")
    raise(invalid_argument("Fashion-MNIST has no split '" + split + "'", "train or test"));
  constexpr int kClasses = 10;
  return Images(check(read_image_dataset(folder.empty() ? "/usr/share/datasets/fashion-mnist" : folder,
                                         split == "train" ? "train" : "t10k", kClasses)));
}

}  // namespace cutset::data

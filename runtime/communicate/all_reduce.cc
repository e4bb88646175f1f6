#include "runtime/communicate/all_reduce.h"

#include <algorithm>

#include "ir/core/add_elements.h"
#include "ir/core/check_types.h"

namespace cutset {

AllReduce::AllReduce(const TensorType& type, std::vector<void*> staging) : type_(type), staging_(std::move(staging)) {
  constexpr int64_t kSliceBytes = 32 << 10;
  slice_elements_ = kSliceBytes / size_of(type_.dtype);
  slices_ = std::max<int64_t>(1, (type_.elements() + slice_elements_ - 1) / slice_elements_);
}

Result<std::unique_ptr<AllReduce>> AllReduce::make(const Collective& collective, std::vector<void*> staging) {
  CUTSET_TRY(check_summed_type(collective.type.dtype));
  std::unique_ptr<AllReduce> made(new AllReduce(collective.type, std::move(staging)));
  CUTSET_ASSIGN(made->additions_, additions_of(collective.ranges()));
  made->headers_.resize(collective.partials.size());
  return made;
}

// Needs no lock: each slice belongs to one thread, and nobody else uses the staging memory after all partial sums have
// been posted.
void AllReduce::add_slices(uint64_t step) {
  for (int64_t slice; (slice = next_slice_++) < slices_;) {
    const int64_t first = slice * slice_elements_, n = std::min(slice_elements_, type_.elements() - first);
    const int64_t offset = first * size_of(type_.dtype);
    for (auto [to, from] : additions_) [[maybe_unused]]
      const Status added = add_elements(type_.dtype, static_cast<char*>(staging_[to]) + offset,
                                        static_cast<char*>(staging_[from]) + offset, n);  // make() has checked the type
    if (++finished_slices_ < slices_) continue;
    std::lock_guard lock(mutex_);
    summed_step_ = step;
    changed_.notify_all();
  }
}

void AllReduce::post(size_t partial, const MessageHeader& header) {
  {
    std::lock_guard lock(mutex_);
    headers_[partial] = header;
    if (++posted_ < staging_.size()) return;
    posted_ = 0;
    next_slice_ = finished_slices_ = 0;
    added_step_ = header.step;
    if (slices_ > 1) changed_.notify_all();  // one slice is not worth waking a thread for
  }
  add_slices(header.step);
}

Status AllReduce::take(const MessageHeader& expected) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return summed_step_ >= expected.step || (slices_ > 1 && added_step_ >= expected.step) || abandoned_;
  });
  if (summed_step_ < expected.step && added_step_ >= expected.step) {
    const uint64_t step = added_step_;
    lock.unlock();
    add_slices(step);
    lock.lock();
    changed_.wait(lock, [&] { return summed_step_ >= expected.step; });  // other threads finish their slices
  }
  if (summed_step_ < expected.step) return execution_failed("abandoned: the step failed on another device or queue");
  for (const MessageHeader& h : headers_)
    if (h != expected)
      return execution_failed("a partial sum of " + to_string(h) + " arrived where " + to_string(expected) +
                              " was expected");
  return {};
}

void AllReduce::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace cutset

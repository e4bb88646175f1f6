// SPDX-License-Identifier: Apache-2.0
#include "runtime/communicate/shared_group.h"

#include <algorithm>

#include "ir/core/add_elements.h"

namespace cutset {

SharedGroup::SharedGroup(SharedMemory& transport, const TensorType& type, std::string name,
                         std::vector<Transport::Partial> partials)
    : Member(transport),
      type_(type),
      name_(std::move(name)),
      partials_(std::move(partials)),
      headers_(partials_.size()) {
  constexpr int64_t kSliceBytes = 32 << 10;
  slice_elements_ = kSliceBytes / size_of(type_.dtype);
  slices_ = std::max<int64_t>(1, (type_.elements() + slice_elements_ - 1) / slice_elements_);
}

Result<std::unique_ptr<Group>> SharedGroup::make(SharedMemory& transport, const Collective& collective,
                                                 std::string name, std::vector<Transport::Partial> partials) {
  CUTSET_ASSIGN(auto additions, additions_of(collective.ranges()));
  std::unique_ptr<SharedGroup> made(
      new SharedGroup(transport, collective.type, std::move(name), std::move(partials)));
  made->additions_ = std::move(additions);
  return std::unique_ptr<Group>(std::move(made));
}

// Needs no lock: each slice belongs to one thread, and nobody else uses the staging memory after all partial
// sums have been started.
void SharedGroup::add_slices(uint64_t step) {
  for (int64_t slice; (slice = next_slice_++) < slices_;) {
    const int64_t first = slice * slice_elements_, n = std::min(slice_elements_, type_.elements() - first);
    const int64_t offset = first * size_of(type_.dtype);
    for (auto [to, from] : additions_) [[maybe_unused]]
      const Status added = add_elements(type_.dtype, static_cast<char*>(partials_[to].staging) + offset,
                                        static_cast<char*>(partials_[from].staging) + offset,
                                        n);  // every type that exists can be added
    if (++finished_slices_ < slices_) continue;
    std::lock_guard lock(mutex_);
    summed_step_ = step;
    changed_.notify_all();
  }
}

void SharedGroup::start(size_t partial, const MessageHeader& header) {
  {
    std::lock_guard lock(mutex_);
    if (!is_current(header)) return;
    headers_[partial] = header;
    if (++started_ < partials_.size()) return;
    started_ = 0;
    next_slice_ = finished_slices_ = 0;
    added_step_ = header.step;
    if (slices_ > 1) changed_.notify_all();  // one slice is not worth waking a thread for
  }
  add_slices(header.step);
}

Status SharedGroup::wait(const MessageHeader& expected, Clock::Time deadline) {
  std::unique_lock lock(mutex_);
  const auto is_summed = [&] { return summed_step_ >= expected.step; };
  const auto can_help = [&] { return slices_ > 1 && added_step_ >= expected.step; };
  CUTSET_TRY(await(
      lock, deadline, [&] { return is_summed() || can_help(); }, [&] { return missing(expected.step); }));
  if (!is_summed()) {
    const uint64_t step = added_step_;
    lock.unlock();
    add_slices(step);
    lock.lock();
    changed_.wait(lock, is_summed);  // other threads finish their slices
  }
  for (const MessageHeader& h : headers_)
    if (h != expected)
      return execution_failed("a partial sum of " + to_string(h) + " arrived where " + to_string(expected) +
                              " was expected in " + name_);
  return {};
}

std::string SharedGroup::missing(uint64_t step) const {
  std::string devices;
  for (size_t p = 0; p < partials_.size(); ++p)
    if (headers_[p].step < step) devices += (devices.empty() ? "" : ", ") + partials_[p].device;
  return "the partial sum of " + devices + " in " + name_ + ", step " + std::to_string(step) + ",";
}

// Drops the partial sums that a failed step may have left.
void SharedGroup::clear() { started_ = 0; }

}  // namespace cutset

#include "runtime/communicate/all_reduce.h"

#include "ir/core/add_elements.h"
#include "ir/core/check_types.h"

namespace cutset {

Result<std::unique_ptr<AllReduce>> AllReduce::make(const Collective& collective, std::vector<void*> staging) {
  CUTSET_TRY(check_summed_type(collective.type.dtype));
  std::unique_ptr<AllReduce> made(new AllReduce(collective.type, std::move(staging)));
  CUTSET_ASSIGN(made->additions_, additions_of(collective.ranges()));
  made->headers_.resize(collective.partials.size());
  return made;
}

void AllReduce::add_up() {
  for (auto [to, from] : additions_) [[maybe_unused]]
    const Status added =  // make() has checked the type
        add_elements(type_.dtype, staging_[to], staging_[from], type_.elements());
}

void AllReduce::post(size_t partial, const MessageHeader& header) {
  {
    std::lock_guard lock(mutex_);
    headers_[partial] = header;
    if (++posted_ < staging_.size()) return;
  }
  add_up();  // needs no lock: no other thread uses the staging memory after all partial sums are posted
  std::lock_guard lock(mutex_);
  posted_ = 0;
  summed_step_ = header.step;
  changed_.notify_all();
}

Status AllReduce::take(const MessageHeader& expected) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return summed_step_ >= expected.step || abandoned_; });
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

#include "runtime/communicate/all_reduce.h"

#include "ir/core/check_types.h"
#include "ir/core/tensor_view.h"

namespace cutset {
namespace {

template <class T>
void add(void* to, const void* from, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) {  // reading a byte that is neither 0 nor 1 as bool is undefined behaviour
    auto* a = static_cast<unsigned char*>(to);
    const auto* b = static_cast<const unsigned char*>(from);
    for (int64_t i = 0; i < n; ++i) a[i] = (a[i] | b[i]) != 0;
    return;
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {  // unsigned addition wraps around
    using U = std::make_unsigned_t<T>;
    return add<U>(to, from, n);
  }
  T* a = static_cast<T*>(to);
  const T* b = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) a[i] = static_cast<T>(a[i] + b[i]);
}

}  // namespace

Result<std::unique_ptr<AllReduce>> AllReduce::make(const Collective& collective) {
  CUTSET_TRY(check_summed_type(collective.type.dtype));
  std::unique_ptr<AllReduce> made(new AllReduce(collective.type));
  CUTSET_ASSIGN(made->additions_, additions_of(collective.ranges()));
  made->staging_.assign(collective.partials.size(),
                        std::vector<unsigned char>(static_cast<size_t>(collective.type.bytes())));
  made->headers_.resize(collective.partials.size());
  return made;
}

void AllReduce::add_up() {
  for (auto [to, from] : additions_) {
    auto add_type = [&]<class T>(T) { add<T>(staging_[to].data(), staging_[from].data(), type_.elements()); };
    [[maybe_unused]] const Status added = dispatch_all(type_.dtype, add_type);  // make() has checked the type
  }
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

#include "runtime/all_reduce.h"

#include "ir/core/tensor_view.h"

namespace cutset {
namespace {

struct Tree {
  const std::vector<Collective::Part>& parts;
  std::vector<std::pair<size_t, size_t>> additions;
  size_t next = 0;

  // The part that holds the sum of [first, last) in the end; parts are taken in order. A part has a shard at
  // least, so where it is not the whole range, the range has two: both halves are smaller, and the depth is at
  // most the logarithm of the number of shards.
  Result<size_t> node(int64_t first, int64_t last) {
    if (next >= parts.size() || parts[next].first != first || parts[next].last > last)
      return invalid_data("the parts of a sum do not follow the tree over its shards");
    if (parts[next].last == last) return next++;
    const int64_t middle = first + (last - first + 1) / 2;
    CUTSET_ASSIGN(const size_t left, node(first, middle));
    CUTSET_ASSIGN(const size_t right, node(middle, last));
    additions.emplace_back(left, right);
    return left;
  }
};

template <class T>
void add(void* to, const void* from, int64_t n) {
  if constexpr (std::is_same_v<T, bool>) {  // bytes that are neither 0 nor 1 are not to be read as bool
    auto* a = static_cast<unsigned char*>(to);
    const auto* b = static_cast<const unsigned char*>(from);
    for (int64_t i = 0; i < n; ++i) a[i] = (a[i] | b[i]) != 0;
    return;
  } else if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {  // wraps around
    using U = std::make_unsigned_t<T>;
    return add<U>(to, from, n);
  }
  T* a = static_cast<T*>(to);
  const T* b = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) a[i] = static_cast<T>(a[i] + b[i]);
}

}  // namespace

Result<std::vector<std::pair<size_t, size_t>>> additions_of(const std::vector<Collective::Part>& parts) {
  if (parts.empty()) return invalid_data("a sum without parts");
  for (const Collective::Part& p : parts)
    if (p.first < 0 || p.first >= p.last)
      return invalid_data("a part of a sum is of the shards " + std::to_string(p.first) + " to " +
                          std::to_string(p.last) + ", which are none");
  Tree tree{parts, {}};
  CUTSET_TRY(tree.node(parts.front().first, parts.back().last));
  if (tree.next != parts.size()) return invalid_data("the parts of a sum do not follow the tree over its shards");
  return std::move(tree.additions);
}

Result<std::unique_ptr<AllReduce>> AllReduce::make(const Collective& collective) {
  CUTSET_TRY(check_summed_type(collective.type.dtype));
  std::unique_ptr<AllReduce> made(new AllReduce(collective.type));
  CUTSET_ASSIGN(made->additions_, additions_of(collective.parts));
  made->staging_.assign(collective.parts.size(),
                        std::vector<unsigned char>(static_cast<size_t>(collective.type.bytes())));
  made->headers_.resize(collective.parts.size());
  return made;
}

void AllReduce::add_up() {
  for (auto [to, from] : additions_) {
    auto add_type = [&]<class T>(T) { add<T>(staging_[to].data(), staging_[from].data(), type_.elements()); };
    [[maybe_unused]] const Status added = dispatch_all(type_.dtype, add_type);  // make() has asked for the type
  }
}

void AllReduce::post(size_t part, const MessageHeader& header) {
  {
    std::lock_guard lock(mutex_);
    headers_[part] = header;
    if (++posted_ < staging_.size()) return;
  }
  add_up();  // all others have posted, and wait or have gone on
  std::lock_guard lock(mutex_);
  posted_ = 0;
  summed_step_ = header.step;
  changed_.notify_all();
}

Status AllReduce::take(const MessageHeader& expected) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return summed_step_ >= expected.step || abandoned_; });
  if (summed_step_ < expected.step) return execution_failed("abandoned: the step failed elsewhere");
  for (const MessageHeader& h : headers_)
    if (h != expected)
      return execution_failed("a part of " + to_string(h) + " arrived where " + to_string(expected) + " was expected");
  return {};
}

void AllReduce::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

}  // namespace cutset

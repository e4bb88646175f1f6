// Makes items on a thread of its own, a bounded number ahead of whoever takes them.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace cutset {

// `make` returns the next item, or nothing at the end; it runs on the prefetcher's thread. take() gives
// the items in order, from one thread. Destroying it early stops the thread after its current item.
template <class T>
class Prefetcher {
 public:
  Prefetcher(std::function<std::optional<T>()> make, size_t depth)
      : make_(std::move(make)), depth_(depth ? depth : 1), thread_([this] { work(); }) {}
  ~Prefetcher() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;

  std::optional<T> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || ended_; });
    if (ready_.empty()) return std::nullopt;
    std::optional<T> item(std::move(ready_.front()));
    ready_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  void work() {
    for (;;) {
      std::optional<T> item = make_();
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ready_.size() < depth_ || stop_; });
      if (stop_) return;
      if (item)
        ready_.push_back(*std::move(item));
      else
        ended_ = true;
      changed_.notify_all();
      if (!item) return;
    }
  }

  std::function<std::optional<T>()> make_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  bool ended_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cutset

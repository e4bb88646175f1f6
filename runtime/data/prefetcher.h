// Makes items on a thread of its own, a bounded number ahead of whoever takes them.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace cutset {

// `make` returns the next item, or nothing at the end; it runs on the prefetcher's thread. take() gives the items in
// order, from one thread; what `make` throws, take() throws after the items before it. Destroying the prefetcher early
// stops its thread after the item that it is making.
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
    if (ready_.empty() && thrown_) std::rethrow_exception(thrown_);
    if (ready_.empty()) return std::nullopt;
    std::optional<T> item(std::move(ready_.front()));
    ready_.pop_front();
    changed_.notify_all();
    return item;
  }

 private:
  void work() {
    std::exception_ptr thrown;  // an exception that left this thread would end the process
    try {
      while (put(make_())) {
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    thrown_ = thrown, ended_ = true;
    changed_.notify_all();
  }

  // Waits for room. False at the end, or when nobody wants more.
  bool put(std::optional<T> item) {
    if (!item) return false;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ready_.size() < depth_ || stop_; });
    if (stop_) return false;
    ready_.push_back(*std::move(item));
    changed_.notify_all();
    return true;
  }

  std::function<std::optional<T>()> make_;
  size_t depth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  std::exception_ptr thrown_;
  bool ended_ = false, stop_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace cutset

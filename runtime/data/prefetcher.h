// SPDX-License-Identifier: Apache-2.0
// Produces items on another thread, so that the consumer rarely waits. Keeps at most `depth` finished items.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace cutset {

// `make` runs on the prefetcher's thread. It returns the next item, or nullopt at the end.
//
// The destructor waits for the item that `make` is producing, and then stops the thread.
template <class T>
class Prefetcher {
 public:
  // Starts the thread. A `depth` of 0 counts as 1.
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

  // Returns the next item in the order of production, and nullopt after the last item. Blocks until the item
  // is ready. If `make` threw an exception, take() throws it after it has returned all earlier items. Only
  // one thread may call take().
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
  // Runs on the thread.
  void work() {
    std::exception_ptr thrown;  // an exception that leaves a thread would terminate the process
    try {
      while (put(make_())) {
      }
    } catch (...) {
      thrown = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    thrown_ = thrown;
    ended_ = true;
    changed_.notify_all();
  }

  // Waits until `ready_` has fewer than `depth_` items, and appends the item to it. Returns false if `item`
  // is nullopt or if the prefetcher is being destroyed.
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
  std::mutex mutex_;                 // guards the members below
  std::condition_variable changed_;  // notified whenever a member below changes
  std::deque<T> ready_;              // the items that have been produced and not taken
  std::exception_ptr thrown_;        // the exception that `make` threw
  bool ended_ = false;               // `make` has returned nullopt or thrown
  bool stop_ = false;                // the prefetcher is being destroyed
  std::thread thread_;               // the last member, because the thread uses all members above
};

}  // namespace cutset

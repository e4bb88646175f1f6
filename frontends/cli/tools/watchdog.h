// SPDX-License-Identifier: Apache-2.0
// Ends the process if one part of its work takes too long. A thread that a device blocks cannot be ended
// otherwise.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace cutset::cli {

class Watchdog {
 public:
  // If a part takes longer than `seconds`, calls `at_end` with the name of the part from another thread, and
  // then ends the process with the exit code 1.
  Watchdog(double seconds, std::function<void(const std::string&)> at_end);
  ~Watchdog();
  // Ends the previous part and begins the next one.
  void begin(const std::string& part);

 private:
  void watch();

  const std::chrono::duration<double> limit_;
  const std::function<void(const std::string&)> at_end_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::string part_;
  int64_t count_ = 0;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace cutset::cli

// What people see: a progress bar on a terminal, tables everywhere.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace cutset::cli {

// Redraws one line of standard error at most ten times a second; silent where that is not a terminal.
class Progress {
 public:
  Progress(std::string title, int64_t total);
  ~Progress();
  void update(int64_t done, const std::string& note);

 private:
  std::string title_;
  int64_t total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

// Columns as wide as their widest cell; the first row is the head.
std::string table(const std::vector<std::vector<std::string>>& rows);
std::string bytes(double n);
std::string fixed(double v, int digits);
std::string scientific(double v);

}  // namespace cutset::cli

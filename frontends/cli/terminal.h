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

// Text of others (names out of files) as one line that cannot move a terminal: control characters, and bytes that are
// not UTF-8, are written as \xNN. Line ends stay where `lines` is set.
std::string printable(const std::string& text, bool lines = false);

// Columns as wide as their widest cell; the first row is the head. Cells are made printable.
std::string table(const std::vector<std::vector<std::string>>& rows);
std::string bytes(double n);
std::string fixed(double v, int digits);
std::string scientific(double v);

}  // namespace cutset::cli

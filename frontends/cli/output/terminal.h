// SPDX-License-Identifier: Apache-2.0
// Output for people: a progress bar on terminals, tables, and numbers with units.
#pragma once
#include <chrono>
#include <string>
#include <vector>

namespace cutset::cli {

// Shows a progress bar on standard error, and prints lines above it. The bar is drawn at most ten times per
// second. If standard error is not a terminal, only the lines are printed.
class Progress {
 public:
  Progress(std::string title, int64_t total);
  // Erases the bar.
  ~Progress();
  // Shows that `done` of `total` steps are complete, followed by the text `note`.
  void update(int64_t done, const std::string& note);
  // Prints the title and `text` as a line, above the bar.
  void print(const std::string& text);
  // Erases the bar until the next update, so that other lines can be printed.
  void erase() const;

 private:
  std::string title_;
  int64_t total_;
  bool shown_;
  std::chrono::steady_clock::time_point start_, drawn_;
};

// Escapes text that may come from a file, so that it cannot send control sequences to a terminal. Control
// characters, and bytes that are not UTF-8, become \xNN. With `lines`, line ends are kept.
std::string printable(const std::string& text, bool lines = false);

// Prints each text as a line "warning: TEXT" on standard error.
void print_warnings(const std::vector<std::string>& texts);

// Prints a text as a line "note: TEXT" on standard error.
void print_note(const std::string& text);

// Returns a table with a line below the first row. Columns are as wide as their widest cells. If the table
// would be wider than 120 characters, its widest columns are made narrower, and their cells take several
// lines. Cells are made printable.
std::string table(const std::vector<std::vector<std::string>>& rows);
// Returns a number of bytes with a decimal unit: "1.5 MB".
std::string bytes(double n);
// Returns a number with `digits` decimal places.
std::string fixed(double v, int digits);
// Returns a number with one decimal place and an exponent: "1.2e-07".
std::string scientific(double v);

}  // namespace cutset::cli

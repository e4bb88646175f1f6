// SPDX-License-Identifier: Apache-2.0
#include "frontends/cli/output/terminal.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "ir/core/names.h"

namespace cutset::cli {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::string title, int64_t total)
    : title_(std::move(title)),
      total_(std::max<int64_t>(total, 1)),
      shown_(isatty(STDERR_FILENO)),
      start_(Clock::now()),
      drawn_(start_) {}

Progress::~Progress() { erase(); }

void Progress::erase() const {
  if (shown_) std::fputs("\r\033[K", stderr);
}

void Progress::update(int64_t done, const std::string& note) {
  const auto now = Clock::now();
  if (!shown_ || (done < total_ && now - drawn_ < std::chrono::milliseconds(100))) return;
  drawn_ = now;
  constexpr int64_t kWidth = 28;
  const int64_t filled = kWidth * std::min(done, total_) / total_;
  std::string bar;
  for (int64_t i = 0; i < kWidth; ++i) bar += i < filled ? "█" : "·";
  const double spent = std::chrono::duration<double>(now - start_).count();
  const double left = done > 0 ? spent / static_cast<double>(done) * static_cast<double>(total_ - done) : 0;
  std::fprintf(stderr, "\r\033[K%s %s %lld/%lld  %s  %.0f s left", printable(title_).c_str(), bar.c_str(),
               static_cast<long long>(done), static_cast<long long>(total_), note.c_str(), left);
  std::fflush(stderr);
}

void Progress::print(const std::string& text) {
  erase();
  std::fprintf(stderr, "%s: %s\n", printable(title_).c_str(), printable(text).c_str());
}

namespace {

// Returns the number of bytes of the UTF-8 character that begins at `at`, or 0 if no valid character begins
// there.
size_t character_bytes(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  const size_t n = first < 0x80                    ? 1
                   : first >= 0xc2 && first < 0xe0 ? 2
                   : first >= 0xe0 && first < 0xf0 ? 3
                   : first >= 0xf0 && first < 0xf5 ? 4
                                                   : 0;
  for (size_t i = 1; i < n; ++i)
    if ((byte(at + i) & 0xc0) != 0x80) return 0;
  return n;
}

}  // namespace

std::string printable(const std::string& text, bool lines) {
  std::string safe;
  for (size_t at = 0; at < text.size();) {
    const size_t n = character_bytes(text, at);
    const bool is_line_end = lines && text[at] == '\n';
    if (n == 0 || !(is_line_end || is_printable(std::string_view(text).substr(at, n)))) {
      char escaped[5];
      for (size_t i = 0; i < std::max<size_t>(n, 1); ++i) {
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[at + i]));
        safe += escaped;
      }
    } else {
      safe.append(text, at, n);
    }
    at += std::max<size_t>(n, 1);
  }
  return safe;
}

void print_warnings(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) std::fprintf(stderr, "warning: %s\n", printable(text).c_str());
}

void print_note(const std::string& text) { std::fprintf(stderr, "note: %s\n", printable(text).c_str()); }

namespace {

constexpr size_t kTableColumns = 120, kGap = 2, kNarrowest = 6;

// Returns the widths of the columns. While the table is too wide, the widest column gets narrower, down to
// kNarrowest.
std::vector<size_t> column_widths(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> width;
  for (const auto& row : rows)
    for (size_t c = 0; c < row.size(); ++c) {
      if (width.size() <= c) width.push_back(0);
      width[c] = std::max(width[c], row[c].size());
    }
  size_t total = std::accumulate(width.begin(), width.end(), kGap * width.size() - kGap);
  for (; total > kTableColumns; --total) {
    const auto widest = std::ranges::max_element(width);
    if (*widest <= kNarrowest) break;
    --*widest;
  }
  return width;
}

// Takes the beginning of `rest` that fits a line of a cell. The line ends after a separator of words, if it
// has one.
std::string take_line(std::string& rest, size_t width) {
  size_t end = rest.size();
  if (end > width) {
    const size_t between = rest.find_last_of(" ,;_/.-", width - 1);
    end = between == std::string::npos ? width : between + 1;
  }
  std::string line = rest.substr(0, end);
  rest.erase(0, end);
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

// Returns a row of a table, in several lines if a cell is wider than its column.
std::string row_text(std::vector<std::string> cells, const std::vector<size_t>& width) {
  std::string text;
  do {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      const std::string part = take_line(cells[c], width[c]);
      line += part + std::string(width[c] - part.size() + kGap, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  } while (std::ranges::any_of(cells, [](const std::string& rest) { return !rest.empty(); }));
  return text;
}

}  // namespace

std::string table(const std::vector<std::vector<std::string>>& raw) {
  std::vector<std::vector<std::string>> rows = raw;
  for (auto& row : rows)
    for (auto& cell : row) cell = printable(cell);
  const std::vector<size_t> width = column_widths(rows);
  const size_t total = std::accumulate(width.begin(), width.end(), kGap * width.size() - kGap);
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    text += row_text(rows[r], width);
    if (r == 0) text += std::string(total, '-') + '\n';
  }
  return text;
}

std::string fixed(double v, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, v);
  return text;
}
std::string scientific(double v) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1e", v);
  return text;
}
std::string bytes(double n) {
  for (auto [size, unit] : {std::pair(1e9, "GB"), std::pair(1e6, "MB"), std::pair(1e3, "kB")})
    if (n >= size) return fixed(n / size, 1) + " " + unit;
  return fixed(n, 0) + " B";
}

}  // namespace cutset::cli

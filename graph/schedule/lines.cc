#include "graph/schedule/lines.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace cutset {
namespace {

constexpr const char* kDescribed = "docs/schedules.md describes the format";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

std::string shown_word(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 60)) s += c >= 0x20 && c < 0x7f ? c : '?';
  return "'" + s + (text.size() > 60 ? "...'" : "'");
}

Failure LineReader::at_column(size_t column, std::string what) const {
  Failure f = invalid_data(std::move(what), kDescribed);
  f.where = kind_ + ":" + std::to_string(line_) + ":" + std::to_string(column);
  return f;
}
Failure LineReader::at(size_t i, std::string what) const {
  return at_column(i < words_.size() ? words_[i].column : line_bytes_ + 1, std::move(what));
}
Failure LineReader::at_end(std::string what) const {
  Failure f = at_column(1, std::move(what));
  f.where = kind_ + ":" + std::to_string(line_ + 1) + ":1";
  return f;
}

Status LineReader::header() {
  const std::string form = "cutset " + kind_ + " 1";
  if (text_.size() > kTextBytes)
    return at_end("the text has " + std::to_string(text_.size()) + " bytes; it has at most " +
                  std::to_string(kTextBytes));
  CUTSET_ASSIGN(const bool any, next());
  if (!any) return at_end("the text is empty; its first line must be '" + form + "'");
  if (words_.size() < 2 || words_[0].text != "cutset" || words_[1].text != kind_)
    return at(0, "the first line must be '" + form + "'");
  CUTSET_TRY(expect_words(3, 3, form));
  if (words_[2].text != "1") return at(2, "version " + shown_word(words_[2].text) + " is not known; use version 1");
  return {};
}

Result<bool> LineReader::next() {
  words_.clear();
  while (words_.empty()) {
    if (begin_ >= text_.size()) return false;
    const size_t end = std::min(text_.find('\n', begin_), text_.size());
    std::string_view line = text_.substr(begin_, end - begin_);
    begin_ = end + 1, ++line_;
    if (line.size() > kTextLineBytes)
      return at_column(1, "the line has " + std::to_string(line.size()) + " bytes; a line has at most " +
                              std::to_string(kTextLineBytes));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    line = line.substr(0, line.find('#'));
    line_bytes_ = line.size();
    for (size_t i = 0; i < line.size();) {
      if (is_blank(line[i])) {
        ++i;
        continue;
      }
      const size_t first = i;
      while (i < line.size() && !is_blank(line[i])) ++i;
      words_.push_back({line.substr(first, i - first), first + 1});
    }
  }
  return true;
}

Status LineReader::expect_words(size_t least, size_t most, const std::string& form) const {
  if (words_.size() < least) return at(words_.size(), "the line ends early; its form is '" + form + "'");
  if (words_.size() > most) return at(most, "the line goes on; its form is '" + form + "'");
  return {};
}

Result<int64_t> LineReader::whole(size_t i, const std::string& what, int64_t least, int64_t most) const {
  const std::string_view text = words_[i].text;
  int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || value < least || value > most)
    return at(i, what + " " + shown_word(text) + " is not a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
  return value;
}

Result<double> LineReader::number(size_t i, const std::string& what, double most) const {
  const std::string_view text = words_[i].text;
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= 0 && value <= most))
    return at(
        i, what + " " + shown_word(text) + " is not a number from 0 to " + std::to_string(static_cast<int64_t>(most)));
  return value;
}

}  // namespace cutset

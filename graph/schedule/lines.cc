// SPDX-License-Identifier: Apache-2.0
#include "graph/schedule/lines.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace cutset {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
// Whether the character may stand in a word without quotation marks.
bool is_bare(char c) { return c > ' ' && c < 0x7f && c != '"' && c != '#' && c != '\\'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string shown_word(std::string_view text) {
  std::string s;
  for (const char c : text.substr(0, 60)) s += c >= 0x20 && c < 0x7f ? c : '?';
  return "'" + s + (text.size() > 60 ? "...'" : "'");
}

std::string written_word(std::string_view name) {
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_bare)) return std::string(name);
  std::string s = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      s += '\\';
      s += c;
    } else if (is_control(c)) {
      constexpr const char* digits = "0123456789abcdef";
      s += "\\x";
      s += digits[static_cast<unsigned char>(c) >> 4];
      s += digits[c & 15];
    } else {
      s += c;
    }
  }
  return s + "\"";
}

std::string written_comment(std::string_view text) {
  if (text.empty()) return "";
  std::string s = "  # ";
  for (const char c : text.substr(0, 200)) s += is_control(c) ? '?' : c;
  return s;
}

Failure LineReader::at_column(size_t column, std::string what) const {
  Failure f = invalid_data(std::move(what), format_.page + " describes the format");
  f.source = format_.kind + ":" + std::to_string(line_) + ":" + std::to_string(column);
  return f;
}
Failure LineReader::at(size_t i, std::string what) const {
  return at_column(i < words_.size() ? words_[i].column : line_bytes_ + 1, std::move(what));
}
Failure LineReader::at_end(std::string what) const {
  Failure f = at_column(1, std::move(what));
  f.source = format_.kind + ":" + std::to_string(line_ + 1) + ":1";
  return f;
}

Result<int64_t> LineReader::header() {
  const std::string &kind = format_.kind, form = "cutset " + kind + " " + std::to_string(format_.newest);
  if (text_.size() > kTextBytes)
    return at_end("the " + kind + " has " + std::to_string(text_.size()) + " bytes; it has at most " +
                  std::to_string(kTextBytes));
  CUTSET_ASSIGN(const bool any, next());
  if (!any) return at_end("the " + kind + " is empty; its first line must be '" + form + "'");
  if (words_.size() < 2 || words_[0].text != "cutset" || words_[1].text != kind)
    return at(0, "this is not a " + kind + ": its first line is " + shown_word(words_[0].text) +
                     "..., not '" + form + "'");
  CUTSET_TRY(expect_words(3, 3, form));
  for (int64_t version = 1; version <= format_.newest; ++version)
    if (words_[2].text == std::to_string(version)) return version;
  return at(2, "version " + shown_word(words_[2].text) + " is not known; use version " +
                   std::to_string(format_.newest));
}

Result<bool> LineReader::next() {
  words_.clear();
  while (words_.empty()) {
    if (begin_ >= text_.size()) return false;
    const size_t end = std::min(text_.find('\n', begin_), text_.size());
    std::string_view line = text_.substr(begin_, end - begin_);
    begin_ = end + 1;
    ++line_;
    if (line.size() > kTextLineBytes)
      return at_column(1, "the line has " + std::to_string(line.size()) + " bytes; a line has at most " +
                              std::to_string(kTextLineBytes));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    CUTSET_TRY(split(line));
  }
  return true;
}

Status LineReader::split(std::string_view line) {
  for (size_t i = 0;;) {
    while (i < line.size() && is_blank(line[i])) ++i;
    line_bytes_ = i;
    if (i == line.size() || line[i] == '#') return {};
    Word word{"", i + 1};
    if (line[i] == '"') {
      CUTSET_ASSIGN(i, quoted(line, i, word.text));
    } else {
      const size_t first = i;
      while (i < line.size() && is_bare(line[i])) ++i;
      word.text = line.substr(first, i - first);
    }
    if (i == 0 && line.starts_with("\xef\xbb\xbf"))
      return at_column(1, "the text begins with a byte order mark; save it as UTF-8 without one");
    if (i < line.size() && !is_blank(line[i]) && line[i] != '#')
      return at_column(i + 1,
                       "the character " + shown_word(line.substr(i, 1)) +
                           " cannot stand here; a name that contains it is written between quotation marks");
    words_.push_back(std::move(word));
  }
}

// Appends a word between quotation marks to `into`, and returns the position after the closing quotation
// mark.
Result<size_t> LineReader::quoted(std::string_view line, size_t open, std::string& into) const {
  for (size_t i = open + 1; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') return i + 1;
    if (is_control(c)) return at_column(i + 1, "a name contains a control character");
    if (c != '\\') {
      into += c;
      continue;
    }
    if (i + 1 < line.size() && (line[i + 1] == '"' || line[i + 1] == '\\')) {
      into += line[++i];
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = line.substr(i).size() > 3 ? line.substr(i + 2, 2) : "";
    if (digits.empty() || line[i + 1] != 'x' ||
        std::from_chars(digits.begin(), digits.end(), value, 16).ptr != digits.end())
      return at_column(
          i + 1,
          "a backslash in a name is followed by a quotation mark, a backslash, or x and two hexadecimal "
          "digits");
    into += static_cast<char>(value);
    i += 3;
  }
  return at_column(open + 1, "the quotation mark is not closed");
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
    return at(i, what + " " + shown_word(text) + " is not a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return value;
}

Result<double> LineReader::number(size_t i, const std::string& what, double most) const {
  const std::string_view text = words_[i].text;
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= 0 && value <= most))
    return at(i, what + " " + shown_word(text) + " is not a number from 0 to " +
                     std::to_string(static_cast<int64_t>(most)));
  return value;
}

}  // namespace cutset

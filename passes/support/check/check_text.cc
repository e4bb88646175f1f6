// SPDX-License-Identifier: Apache-2.0
#include "passes/support/check/check_text.h"

#include <algorithm>

namespace cutset::passes {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '$';
}

class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  Status run() {
    if (text_.substr(0, 4) == "ML\xefR")
      return invalid_data("the input is MLIR bytecode; cutset-opt reads text only");
    if (text_.size() > kTextBytes)
      return invalid_data("the input has " + std::to_string(text_.size()) + " bytes; the limit is " +
                          std::to_string(kTextBytes));
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        string();
      } else if (c == '/' && next() == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (is_word(c)) {
        CUTSET_TRY(word());
      } else {
        CUTSET_TRY(punctuation(c));
      }
    }
    return {};
  }

 private:
  bool is_our_attribute() const {
    constexpr std::string_view kOrigin = "#cutset.origin";
    const size_t end = at_ + kOrigin.size();
    return text_.substr(at_, kOrigin.size()) == kOrigin && (end == text_.size() || !is_word(text_[end]));
  }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  Failure refuse(const std::string& what) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    return invalid_data("line " + std::to_string(line) + ": " + what);
  }

  // Skips a string. A string ends at the end of its line at the latest.
  void string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_)
      at_ += text_[at_] == '\\';
    at_ = std::min(at_ + 1, text_.size());
  }

  Status word() {
    const size_t first = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string_view word = text_.substr(first, at_ - first);
    if (word.size() > kTokenBytes)
      return refuse("a word has " + std::to_string(word.size()) + " bytes; the limit is " +
                    std::to_string(kTokenBytes));
    const bool named = first > 0 && (text_[first - 1] == '%' || text_[first - 1] == '@');
    if (!named && (word == "affine_map" || word == "affine_set"))
      return refuse("an affine map or set is not allowed in a module of Cutset");
    if (!named && word == "array") CUTSET_TRY(array());
    return {};
  }

  // Checks an array such as array<i64: 1, 2>. The type of the elements follows `<`, and `:` or `>` follows
  // the type.
  Status array() {
    size_t i = at_;
    auto skip = [&] {
      while (i < text_.size() &&
             (text_[i] == ' ' || text_[i] == '\t' || text_[i] == '\n' || text_[i] == '\r'))
        ++i;
    };
    skip();
    if (i == text_.size() || text_[i] != '<') return {};
    ++i;
    skip();
    const size_t first = i;
    while (i < text_.size() && is_word(text_[i])) ++i;
    const std::string_view element = text_.substr(first, i - first);
    skip();
    const bool ends = i == text_.size() || text_[i] == ':' || text_[i] == '>';
    for (const char* type : {"i1", "i8", "i16", "i32", "i64", "f32", "f64"})
      if (element == type && ends) return {};
    return refuse("the element type of an array must be i1, i8, i16, i32, i64, f32 or f64");
  }

  Status punctuation(char c) {
    // `%x#1` is a result of %x, and `#cutset.origin` is an attribute of the dialect cutset. Elsewhere `#` and
    // `!` begin aliases, or attributes and types of other dialects.
    if (c == '!' || (c == '#' && !(at_ > 0 && is_word(text_[at_ - 1])) && !is_our_attribute()))
      return refuse(
          "an alias, or an attribute or type of another dialect, is not allowed in a module of Cutset");
    if (std::string_view("([{<").find(c) != std::string_view::npos) {
      if (++depth_ > kTextDepth) return refuse("brackets nest deeper than " + std::to_string(kTextDepth));
    } else if (std::string_view(")]}").find(c) != std::string_view::npos ||
               (c == '>' && (at_ == 0 || text_[at_ - 1] != '-'))) {
      depth_ = std::max(0, depth_ - 1);
    }
    ++at_;
    return {};
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Status check_text(std::string_view text) { return Scan(text).run(); }

}  // namespace cutset::passes

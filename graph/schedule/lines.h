// SPDX-License-Identifier: Apache-2.0
// Reads texts that consist of lines of words: pipelines, schedules and plans.
//
// The first line is "cutset KIND VERSION", where VERSION is the version of the format. Words are separated by
// blanks or tabs. A `#` starts a comment, which ends with the line. A word that contains one of these
// characters, a backslash, or a character that is not printable ASCII is written between quotation marks.
// Between quotation marks, \", \\ and \xHH (two hexadecimal digits) mean a quotation mark, a backslash and a
// byte. The reader accepts untrusted bytes: it does not recurse, it keeps one line at a time, and every error
// names the line and the column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// The largest number of bytes of such a text and of one of its lines. More is an error.
inline constexpr size_t kTextBytes = size_t{1} << 28, kTextLineBytes = size_t{1} << 16;

class LineReader {
 public:
  // What a text is. `kind` is the word of the first line, such as "schedule". Versions from 1 to `newest` are
  // read. `page` is the page of the documentation that describes the format, for errors.
  struct Format {
    std::string kind;
    int64_t newest = 1;
    std::string page = "docs/schedules.md";
  };
  // `text` must outlive the reader.
  LineReader(std::string_view text, Format format) : text_(text), format_(std::move(format)) {}

  // Reads the first line that has words, which must be "cutset KIND VERSION", and returns the version.
  Result<int64_t> header();
  // Reads the next line that has words. Returns false at the end of the text.
  Result<bool> next();

  // Return the number of the line, counted from 1, the number of its words, and word `i`.
  int64_t line() const { return static_cast<int64_t>(line_); }
  size_t size() const { return words_.size(); }
  std::string_view word(size_t i) const { return words_[i].text; }
  // Fails unless the line has from `least` to `most` words. `form` is the form of the line: "link SECONDS".
  Status expect_words(size_t least, size_t most, const std::string& form) const;
  // Return word `i` as a whole number from `least` to `most`, and as a number from 0 to `most`. `what` names
  // it in errors.
  Result<int64_t> whole(size_t i, const std::string& what, int64_t least, int64_t most) const;
  Result<double> number(size_t i, const std::string& what, double most) const;
  // Returns a failure at word `i`, or at the end of the line if it has fewer words. Its `source` is
  // "KIND:LINE:COLUMN".
  Failure at(size_t i, std::string what) const;
  // Returns a failure at the end of the text.
  Failure at_end(std::string what) const;

 private:
  struct Word {
    std::string text;
    size_t column = 0;  // counts from 1
  };
  Failure at_column(size_t column, std::string what) const;
  Status split(std::string_view line);
  Result<size_t> quoted(std::string_view line, size_t open, std::string& into) const;

  std::string_view text_;
  Format format_;
  size_t begin_ = 0, line_ = 0, line_bytes_ = 0;
  std::vector<Word> words_;
};

// Returns `text` for an error message: at most 60 bytes, without characters that a terminal would interpret.
std::string shown_word(std::string_view text);
// Returns `name` as a word of a line: between quotation marks where they are needed.
std::string written_word(std::string_view name);
// Returns a comment with `text`, or nothing if `text` is empty: at most 200 bytes of it, without control
// characters.
std::string written_comment(std::string_view text);

}  // namespace cutset

// Reads texts that consist of lines of words: pipelines and schedules.
//
// The first line is "cutset KIND 1", where 1 is the version of the format. Words are separated by blanks or tabs. A `#`
// starts a comment, which ends with the line. The reader accepts untrusted bytes: it does not recurse, it keeps one
// line at a time, and every error names the line and the column.
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
  // `text` must outlive the reader. `kind` is the word of the first line, such as "schedule".
  LineReader(std::string_view text, std::string kind) : text_(text), kind_(std::move(kind)) {}

  // Reads the first line that has words, which must be "cutset KIND 1".
  Status header();
  // Reads the next line that has words. Returns false at the end of the text.
  Result<bool> next();

  // The number of words of the line, and word `i`.
  size_t size() const { return words_.size(); }
  std::string_view word(size_t i) const { return words_[i].text; }
  // Fails unless the line has from `least` to `most` words. `form` is the form of the line: "link SECONDS".
  Status expect_words(size_t least, size_t most, const std::string& form) const;
  // Word `i` as a whole number from `least` to `most`, and as a number from 0 to `most`. `what` names it in errors.
  Result<int64_t> whole(size_t i, const std::string& what, int64_t least, int64_t most) const;
  Result<double> number(size_t i, const std::string& what, double most) const;
  // A failure at word `i`, or at the end of the line if it has fewer words. Its `where` is "KIND:LINE:COLUMN".
  Failure at(size_t i, std::string what) const;
  // A failure at the end of the text.
  Failure at_end(std::string what) const;

 private:
  struct Word {
    std::string_view text;
    size_t column = 0;  // counts from 1
  };
  Failure at_column(size_t column, std::string what) const;

  std::string_view text_;
  std::string kind_;
  size_t begin_ = 0, line_ = 0, line_bytes_ = 0;
  std::vector<Word> words_;
};

// Returns `text` for an error message: at most 60 bytes, without characters that a terminal would interpret.
std::string shown_word(std::string_view text);

}  // namespace cutset

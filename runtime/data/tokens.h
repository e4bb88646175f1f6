// SPDX-License-Identifier: Apache-2.0
// Texts as sequences of tokens, for language models. A token is a byte or a word: a sequence of bytes between
// white space (blanks, tabs, line ends, \v and \f). The encoding of the text does not matter.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/data/samples.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

// Entry 0 of a vocabulary. It stands for every word that is not in the vocabulary, and a text may contain it.
inline constexpr char kUnknownWord[] = "<unk>";

// Returns kUnknownWord and the words of a file: the most frequent word first, and equally frequent words in
// the order of their bytes. The list has at most `limit` entries. Fails if the file cannot be read, has more
// than 4 GiB or has no word.
Result<std::vector<std::string>> read_vocabulary(const std::string& path, int64_t limit);

// The tokens of a text.
class Tokens {
 public:
  // Reads a file of at most 4 GiB. Without a vocabulary, each byte is a token, and its value, 0 to 255, is
  // the id. With a vocabulary, each word is a token, and its id is its index in the vocabulary, or 0 for
  // other words. Fails if the file cannot be read, or if the vocabulary does not begin with kUnknownWord or
  // has an entry twice.
  static Result<std::shared_ptr<const Tokens>> read(const std::string& path,
                                                    const std::vector<std::string>& vocabulary);

  int64_t size() const { return static_cast<int64_t>(vocabulary_ ? ids_.size() : bytes_.size()); }
  // Returns the id of token i, which must be in [0, size()).
  int32_t operator[](int64_t i) const {
    const size_t at = static_cast<size_t>(i);
    return vocabulary_ ? ids_[at] : static_cast<unsigned char>(bytes_[at]);
  }

 private:
  bool vocabulary_ = false;
  std::string bytes_;
  std::vector<int32_t> ids_;
};

struct TokenBatch {
  HostTensor token;  // i32 [n, length]
  HostTensor label;  // i32 [n, length]: the token after each token
};
// Returns the batch of these samples. Sample s begins at token s * length. Its last label is the first token
// of the next sample, so there are (size - 1) / length samples. Every element of `samples`
// must be less than this number.
TokenBatch make_batch(const Tokens& tokens, int64_t length, const std::vector<int64_t>& samples);

// Reads a file as Tokens::read does, and divides it into samples of `length` tokens. A batch has "token" and
// "label", i32 [n, length]. Fails as Tokens::read does, if `length` is below 1, or if there are too few
// tokens for one sample.
Result<Samples> read_token_samples(const std::string& path, int64_t length,
                                   const std::vector<std::string>& vocabulary);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/tokens.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "runtime/files/files.h"
#include "runtime/files/uninitialized.h"

namespace cutset {
namespace {

// Calls `f` with each word of the text.
template <class F>
void for_each_word(std::string_view text, F&& f) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  for (size_t at = text.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const size_t end = std::min(text.find_first_of(kSpace, at), text.size());
    f(text.substr(at, end - at));
    at = text.find_first_not_of(kSpace, end);
  }
}

}  // namespace

Result<std::vector<std::string>> read_vocabulary(const std::string& path, int64_t limit) {
  CUTSET_ASSIGN(const std::string text, read_file(path));
  std::map<std::string_view, int64_t> counts;  // a hash table would let a file choose words that collide
  for_each_word(text, [&](std::string_view word) { ++counts[word]; });
  if (counts.empty()) return invalid_data("'" + path + "' has no word");
  counts.erase(kUnknownWord);
  std::vector<std::pair<std::string_view, int64_t>> words(counts.begin(), counts.end());
  std::sort(words.begin(), words.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::vector<std::string> vocabulary{kUnknownWord};
  for (const auto& [word, count] : words) {
    if (static_cast<int64_t>(vocabulary.size()) >= limit) break;
    vocabulary.emplace_back(word);
  }
  return vocabulary;
}

Result<std::shared_ptr<const Tokens>> Tokens::read(const std::string& path,
                                                   const std::vector<std::string>& vocabulary) {
  std::map<std::string_view, int32_t> ids;
  for (const std::string& word : vocabulary)
    if (!ids.emplace(word, static_cast<int32_t>(ids.size())).second)
      return invalid_argument("the vocabulary has the word '" + word + "' twice");
  if (!vocabulary.empty() && vocabulary[0] != kUnknownWord)
    return invalid_argument("the vocabulary begins with '" + vocabulary[0] + "'",
                            std::string("entry 0 is ") + kUnknownWord + ", which stands for unknown words");
  CUTSET_ASSIGN(std::string text, read_file(path));
  auto tokens = std::make_shared<Tokens>();
  tokens->vocabulary_ = !vocabulary.empty();
  if (tokens->vocabulary_)
    for_each_word(text, [&](std::string_view word) {
      const auto known = ids.find(word);
      tokens->ids_.push_back(known == ids.end() ? 0 : known->second);
    });
  else
    tokens->bytes_ = std::move(text);
  return std::shared_ptr<const Tokens>(tokens);
}

TokenBatch make_batch(const Tokens& tokens, int64_t length, const std::vector<int64_t>& samples) {
  const int64_t n = static_cast<int64_t>(samples.size());
  TokenBatch batch{uninitialized({i32, {n, length}}), uninitialized({i32, {n, length}})};
  int32_t *token = batch.token.as<int32_t>().data(), *label = batch.label.as<int32_t>().data();
  for (int64_t sample : samples)
    for (int64_t i = sample * length; i < (sample + 1) * length; ++i)
      *token++ = tokens[i], *label++ = tokens[i + 1];
  return batch;
}

}  // namespace cutset

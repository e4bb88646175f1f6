// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/tokens.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "runtime/data/named_datasets.h"
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
      const auto id = ids.find(word);
      tokens->ids_.push_back(id == ids.end() ? 0 : id->second);
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
    for (int64_t i = sample * length; i < (sample + 1) * length; ++i) {
      *token++ = tokens[i];
      *label++ = tokens[i + 1];
    }
  return batch;
}

Result<Samples> read_token_samples(const std::string& path, int64_t length,
                                   const std::vector<std::string>& vocabulary) {
  CUTSET_TRY(check_count("sequence length", length));
  CUTSET_ASSIGN(auto tokens, Tokens::read(path, vocabulary));
  if (tokens->size() <= length)
    return invalid_data("'" + path + "' has " + std::to_string(tokens->size()) + " tokens; a sample of " +
                            std::to_string(length) + " tokens and their labels needs " +
                            std::to_string(length + 1),
                        "use a smaller sequence length or a longer text");
  const int64_t size = (tokens->size() - 1) / length;
  return Samples{size, [tokens = std::move(tokens), length](const std::vector<int64_t>& numbers) {
                   TokenBatch batch = make_batch(*tokens, length, numbers);
                   std::map<std::string, HostTensor> tensors;
                   tensors.emplace("token", std::move(batch.token));
                   tensors.emplace("label", std::move(batch.label));
                   return tensors;
                 }};
}

static const RegisterDataset registered_bytes({
    .name = "bytes",
    .inputs = inputs_of_tokens(),
    .open = [](const DatasetRequest& r) { return read_token_samples(r.path, r.size_of("token", 1), {}); },
    .has_test_file = true,
    .example = "to be or not to be, that is the question",
});

// The vocabulary always comes from the text for training, so that ids agree. Each token is an input and a
// label, so the ranges of both limit the vocabulary.
static const RegisterDataset registered_text({
    .name = "text",
    .inputs = inputs_of_tokens(),
    .open = [](const DatasetRequest& r) -> Result<Samples> {
      const int64_t limit = std::min(r.range_of("token"), r.range_of("label"));
      CUTSET_TRY(check_count("limit of a vocabulary", limit));
      CUTSET_ASSIGN(const std::vector<std::string> vocabulary, read_vocabulary(r.training_path, limit));
      return read_token_samples(r.path, r.size_of("token", 1), vocabulary);
    },
    .has_test_file = true,
    .words = "token",
    .example = "to be or not to be, that is the question",
});

}  // namespace cutset

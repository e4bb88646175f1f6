// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/text_data.h>

#include "frontends/cpp/checks/failure.h"
#include "runtime/data/id_table.h"
#include "runtime/data/tokens.h"

namespace cutset::data {
namespace {

// Throws unless `value` is from 1 to the largest i32.
void check_count(const char* name, int64_t value) {
  if (value < 1 || value > INT32_MAX)
    raise(invalid_argument(std::string("the ") + name + " cannot be " + std::to_string(value),
                           "it is from 1 to " + std::to_string(INT32_MAX)));
}

}  // namespace

Dataset text(const std::string& file, const TextOptions& options) {
  const int64_t length = options.sequence_length;
  check_count("sequence length", length);
  auto tokens = check(Tokens::read(file, options.vocabulary));
  if (tokens->size() <= length)
    raise(invalid_data("'" + file + "' has " + std::to_string(tokens->size()) + " tokens; a sample of " +
                           std::to_string(length) + " tokens and their labels needs " +
                           std::to_string(length + 1),
                       "use a smaller sequence length or a longer text"));
  const int64_t size = (tokens->size() - 1) / length;
  return Dataset(size, [tokens = std::move(tokens), length](const std::vector<int64_t>& samples) {
    TokenBatch tokens_and_labels = make_batch(*tokens, length, samples);
    Batch batch;
    batch.emplace("token", std::move(tokens_and_labels.token));
    batch.emplace("label", std::move(tokens_and_labels.label));
    return batch;
  });
}

std::vector<std::string> vocabulary(const std::string& file, int64_t limit) {
  check_count("limit of a vocabulary", limit);
  return check(read_vocabulary(file, limit));
}

Dataset id_table(const std::string& file, const IdTableOptions& options) {
  check_count("length of a list of ids", options.length);
  check_count("number of ids", options.id_count);
  check_count("number of labels", options.label_count);
  auto table =
      check(read_id_table(file, {options.length, options.id_count, options.label_count, !options.padding}));
  const int64_t size = table->size();
  return Dataset(size, [table = std::move(table), length = options.length,
                        padding = options.padding.value_or(0)](const std::vector<int64_t>& samples) {
    IdBatch ids_and_labels = make_batch(*table, length, padding, samples);
    Batch batch;
    batch.emplace("history", std::move(ids_and_labels.ids));
    batch.emplace("label", std::move(ids_and_labels.label));
    return batch;
  });
}

}  // namespace cutset::data

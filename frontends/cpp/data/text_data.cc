// SPDX-License-Identifier: Apache-2.0
#include <cutset/text_data.h>

#include "frontends/cpp/data/dataset_of.h"
#include "runtime/data/id_table.h"
#include "runtime/data/tokens.h"

namespace cutset::data {

Dataset text(const std::string& file, const TextOptions& options) {
  return dataset_of(check(read_token_samples(file, options.sequence_length, options.vocabulary)));
}

std::vector<std::string> vocabulary(const std::string& file, int64_t limit) {
  check(check_count("limit of a vocabulary", limit));
  return check(read_vocabulary(file, limit));
}

Dataset id_table(const std::string& file, const IdTableOptions& options) {
  const IdLimits limits{options.length, options.id_count, options.label_count};
  return dataset_of(check(read_id_samples(file, limits, options.padding)));
}

}  // namespace cutset::data

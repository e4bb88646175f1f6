// SPDX-License-Identifier: Apache-2.0
// Ops of texts, whose words are numbers.
#include <cutset/onnx_ops/sequences.h>

#include <algorithm>

#include "frontends/onnx/import/converters.h"

namespace cutset::onnx {
namespace {

// The n-grams of a pool, each with the column of the result in which it is counted.
struct Pool {
  std::vector<std::vector<int64_t>> ngrams;
  std::vector<int64_t> columns;
  int64_t width = 0;  // the number of columns
};

// Reads the pool. It lists the 1-grams, then the 2-grams and so on, and ngram_counts says where each length
// begins.
Pool pool_of(const Node& n) {
  if (n.has_attribute("pool_strings")) unsupported("a pool of strings");
  const auto words = n.numbers("pool_int64s"), begins = n.numbers("ngram_counts"),
             columns = n.numbers("ngram_indexes");
  if (!words || !begins || !columns) invalid("pool_int64s, ngram_counts or ngram_indexes is missing");
  const int64_t shortest = n.number("min_gram_length", 0), longest = n.number("max_gram_length", 0);
  if (shortest < 1 || longest < shortest) invalid("the lengths of n-grams are not in order");
  Pool pool;
  for (const int64_t column : *columns) {
    if (column < 0 || column >= 1 << 20) invalid("ngram_indexes has the element " + std::to_string(column));
    pool.width = std::max(pool.width, column + 1);
  }
  const auto total = static_cast<int64_t>(words->size());
  size_t next = 0;  // the index of the n-gram, over all lengths
  for (size_t i = 0; i < begins->size(); ++i) {
    const auto length = static_cast<int64_t>(i) + 1;
    const int64_t begin = (*begins)[i], end = i + 1 < begins->size() ? (*begins)[i + 1] : total;
    if (begin < 0 || end < begin || end > total || (end - begin) % length)
      invalid("ngram_counts does not fit the pool");
    for (int64_t at = begin; at < end; at += length, ++next) {
      if (next >= columns->size()) invalid("ngram_indexes has fewer elements than there are n-grams");
      if (length < shortest || length > longest) continue;
      pool.ngrams.emplace_back(words->begin() + at, words->begin() + at + length);
      pool.columns.push_back((*columns)[next]);
    }
  }
  if (pool.ngrams.empty()) unsupported("a pool without n-grams of the given lengths");
  return pool;
}

Results count_of_ngrams(Node& n) {
  const Pool pool = pool_of(n);
  Tensor x = n.in(0);
  const bool one_row = x.type().rank() == 1;
  if (one_row) x = reshape(x, {.shape = {1, -1}});
  if (x.type().rank() != 2) invalid("the operand has rank " + std::to_string(x.type().rank()));
  const Tensor counts = onnx_ops::count_ngrams(x, pool.ngrams, n.number("max_skip_count", 0));
  // Several n-grams may be counted in one column.
  const Tensor zero = ops::full_like(ops::slice(counts, {.axis = 1, .length = 1}), {.value = 0});
  HostTensor columns({i64, {static_cast<int64_t>(pool.columns.size())}});
  std::copy(pool.columns.begin(), pool.columns.end(), columns.as<int64_t>().begin());
  const Tensor at = n.constant(columns) + cast(zero, {.dtype = i64});
  Tensor y = scatter_elements(ops::pad(zero, {.axis = 1, .after = pool.width - 1}), at, counts,
                              {.axis = 1, .reduction = ScatterElementsReduction::kAdd});
  const std::string mode = n.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF") invalid("the mode is '" + mode + "'");
  if (mode == "IDF") y = minimum(y, ops::full_like(y, {.value = 1}));
  if (const auto weights = n.reals("weights"); weights && mode != "TF") {
    if (static_cast<int64_t>(weights->size()) != pool.width) invalid("there is not one weight per column");
    HostTensor list({f32, {pool.width}});
    for (int64_t i = 0; i < pool.width; ++i) list.set(i, (*weights)[static_cast<size_t>(i)]);
    y = y * n.constant(list);
  }
  return {one_row ? reshape(y, {.shape = {-1}}) : y};
}

}  // namespace

static void add_texts(Converters& table) { table.insert({{"TfIdfVectorizer", count_of_ngrams}}); }

static const ConverterFamily kTextsConverters(add_texts);

}  // namespace cutset::onnx

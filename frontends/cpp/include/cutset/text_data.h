// SPDX-License-Identifier: Apache-2.0
// Data sets of text files: tokens for language models, and tables of ids for recommendation models.
//
//   const auto words = data::vocabulary("train.txt", 10'000);
//   const data::TextOptions options{.sequence_length = 64, .vocabulary = words};
//   const auto training = data::text("train.txt", options).shuffle().batch(20);
//   const auto test = data::text("test.txt", options).batch(20);
//
//   const auto watched = data::id_table("watched.txt", {.length = 50, .id_count = 100'000, .padding = -1});
//
// All functions read a file of at most 4 GiB and throw cutset::Error.
#pragma once
#include <cutset/data.h>

#include <optional>

namespace cutset::data {

// How text divides a file into samples.
struct TextOptions {
  int64_t sequence_length = 128;  // the number of tokens per sample
  // The words by their ids, as vocabulary() returns them. Empty: each byte of the file is a token, with an id
  // from 0 to 255.
  std::vector<std::string> vocabulary = {};
};
// Makes a data set of the tokens of a file. The tokens are bytes, or, if there is a vocabulary, words between
// white space (blanks, tabs, line ends, \v and \f). A batch of n samples has "token", i32 [n,
// sequence_length], the ids of consecutive tokens, and "label", i32 [n, sequence_length], the id of the token
// after each of them. Sample i begins at token i * sequence_length. The tokens at the end that do not fill a
// sample are left out. A word that is not in the vocabulary has the id 0. Throws in these cases:
// - The file cannot be read or has too few tokens for one sample.
// - The vocabulary does not begin with "<unk>" or has a word twice.
// - The length is below 1.
Dataset text(const std::string& file, const TextOptions& options = {});

// Returns the vocabulary of a file: entry 0 is "<unk>", which stands for all words that are not in the
// vocabulary. The words of the file follow, the most frequent first, and equally frequent words in the order
// of their bytes. `limit` is the largest number of entries, "<unk>" included. Texts for tests use the
// vocabulary of the training text. Throws if the file cannot be read or has no word, or if the limit is below
// 1.
std::vector<std::string> vocabulary(const std::string& file, int64_t limit = INT32_MAX);

// How id_table reads a file.
struct IdTableOptions {
  // The number of ids per sample. The default is the number of watched videos that Covington, Adams and
  // Sargin use ("Deep neural networks for YouTube recommendations", RecSys 2016, section 4.2).
  int64_t length = 50;
  int64_t id_count = INT32_MAX;     // ids are in [0, id_count)
  int64_t label_count = INT32_MAX;  // labels are in [0, label_count)
  // The number that fills the ends of shorter lists. The model must know it: embedding_bag, for example,
  // takes it as `padding_idx`. A number below 0 is no id of a file, but gather counts it from the end of its
  // table. std::nullopt: a shorter list is an error.
  std::optional<int32_t> padding = {};
};
// Makes a data set of a text file with one sample per line. The first number of a line is the label. The
// other numbers, at most `length`, are a list of ids, which may be empty. Numbers are decimal and separated
// by blanks, tabs or commas. Blank lines are skipped. A batch of n samples has "history", i32 [n, length],
// and "label", i32 [n]. Throws if the file cannot be read or has no sample. Throws an error that names the
// line for a malformed line, a number out of range, a list that is too long, or, without a padding, a list
// that is too short.
Dataset id_table(const std::string& file, const IdTableOptions& options = {});

}  // namespace cutset::data

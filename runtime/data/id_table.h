// SPDX-License-Identifier: Apache-2.0
// Tables of ids, for recommendation models: a text file with one sample per line, which has a label and a
// list of ids.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "runtime/data/samples.h"
#include "runtime/files/host_tensor.h"

namespace cutset {

struct IdTable {
  std::vector<int32_t> labels;  // one per sample
  std::vector<int32_t> ids;     // the lists of all samples, one after the other
  std::vector<size_t> ends;     // per sample: the end of its list in `ids`
  int64_t size() const { return static_cast<int64_t>(labels.size()); }  // the number of samples
};

// The limits of the numbers in a table.
struct IdLimits {
  int64_t length;    // the most ids per sample
  int64_t id_count;  // ids are in [0, id_count)
  int64_t label_count;
  bool full = false;  // whether every list must have `length` ids, because there is no number to fill it
};

// Reads a file of at most 4 GiB. The first number of a line is the label, and the other numbers, if any, are
// the ids. Numbers are decimal and separated by blanks, tabs or commas. Blank lines are skipped. Errors name
// the file and the line, counted from 1. Fails in these cases:
// - A line has other text.
// - A number is out of range.
// - A list has more than `length` ids, or fewer if lists must be full.
Result<std::shared_ptr<const IdTable>> read_id_table(const std::string& path, const IdLimits& limits);

struct IdBatch {
  HostTensor ids;    // i32 [n, length]; shorter lists are filled up with the padding
  HostTensor label;  // i32 [n]
};
// Returns the batch of the samples with these numbers, in this order. Every number must be in [0,
// table.size()). No list may have more than `length` ids.
IdBatch make_batch(const IdTable& table, int64_t length, int32_t padding,
                   const std::vector<int64_t>& samples);

// Reads a file as read_id_table() does. A batch has "history", i32 [n, length], and "label", i32 [n]. Without
// padding, lists must have `length` ids. Fails as read_id_table() does, or if a limit is below 1.
Result<Samples> read_id_samples(const std::string& path, const IdLimits& limits,
                                std::optional<int32_t> padding);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Reads the binary version of CIFAR-10 (Krizhevsky, "Learning multiple layers of features from tiny images",
// 2009). A record is one byte with the label, from 0 to 9, and 3,072 bytes with the pixels: 32 x 32 red
// values, then the green values and the blue values, each row by row.
#pragma once
#include <string>
#include <vector>

#include "runtime/data/dataset.h"

namespace cutset {

// Reads files of `records` records each, plain or gzip, one after the other. Files are untrusted: a file is
// refused if it has another number of records, ends within a record or has a label above 9. Errors name the
// file and the record.
Result<std::shared_ptr<const ImageDataset>> read_cifar10(const std::vector<std::string>& files,
                                                         int64_t records = 10'000);
// Reads the files of a split from their folder: "train" is data_batch_1.bin to data_batch_5.bin, and "test"
// is test_batch.bin. A batch has "image", f32 [n, 3, 32, 32] with values from 0 to 1, and "label", i32 [n].
// Fails if there is no such split.
Result<Samples> read_cifar10_split(const std::string& split, const std::string& folder);

}  // namespace cutset

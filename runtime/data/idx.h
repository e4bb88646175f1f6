// SPDX-License-Identifier: Apache-2.0
// Reads the IDX format of MNIST: a big-endian header (bytes 0 and 0, the element type, the rank, the sizes),
// then the elements. The file may be gzip.
#pragma once
#include <string>
#include <vector>

#include "ir/core/result.h"
#include "ir/core/types.h"

namespace cutset {

struct IdxFile {
  Shape shape;
  std::vector<unsigned char> bytes;  // the elements in row-major order, of type u8
};

// Reads a file of unsigned bytes (type 0x08) with at most `limit` elements (default: 4 GiB). A file is
// untrusted: it is refused, before memory is allocated, if its header claims more elements than a file of its
// size can hold. Errors name the file and the reason.
Result<IdxFile> read_idx(const std::string& path, uint64_t limit = uint64_t{1} << 32);

}  // namespace cutset

// The IDX format of MNIST: big-endian magic (0, 0, type, rank), sizes, then the elements; plain or gzip.
#pragma once
#include <string>
#include <vector>

#include "ir/core/types.h"

namespace cutset {

struct IdxFile {
  Shape shape;
  std::vector<unsigned char> bytes;  // row-major, type u8
};

// Reads files of unsigned bytes (type 0x08). Whatever the header says, memory grows only with data that
// is really there, and at most to `limit` bytes. Errors name the file and what is wrong in it.
Result<IdxFile> read_idx(const std::string& path, uint64_t limit = uint64_t{1} << 32);

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/idx.h"

#include <algorithm>
#include <filesystem>

#include "runtime/data/byte_source.h"

namespace cutset {
Result<IdxFile> read_idx(const std::string& path, uint64_t limit) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return unavailable("cannot read '" + path + "': no such file",
                       "check the folder; apt-get install dataset-fashion-mnist installs Fashion-MNIST");
  CUTSET_ASSIGN(const auto file, ByteSource::open(path));
  auto bad = [&](const std::string& why) {
    return invalid_data("'" + path + "': " + why, "the file is damaged or not an IDX file of bytes");
  };

  unsigned char magic[4];
  if (!file->read(magic, 4)) return bad("it is too short for a header, or its gzip data is damaged");
  if (magic[0] != 0 || magic[1] != 0) return bad("it does not begin with the magic number of an IDX file");
  if (magic[2] != 0x08)
    return bad("its elements are of type " + std::to_string(magic[2]) +
               "; only unsigned bytes (type 8) are supported");
  if (magic[3] < 1 || magic[3] > kMaxRank)
    return bad("its rank " + std::to_string(magic[3]) + " is not between 1 and 8");
  IdxFile result;
  uint64_t total = 1;
  for (int d = 0; d < magic[3]; ++d) {
    unsigned char b[4];
    if (!file->read(b, 4)) return bad("it ends within the sizes in its header");
    const uint64_t size = (uint64_t{b[0]} << 24) | (uint64_t{b[1]} << 16) | (uint64_t{b[2]} << 8) | b[3];
    if (size == 0) return bad("dimension " + std::to_string(d) + " has the size 0");
    if (total > limit / size)
      return bad("its sizes claim more than the limit of " + std::to_string(limit) + " bytes");
    total *= size;
    result.shape.push_back(static_cast<int64_t>(size));
  }
  if (total > file->most())
    return bad("its header claims " + std::to_string(total) +
               " elements, more than a file of this size can hold");
  constexpr uint64_t kPiece = 1 << 20;
  try {
    result.bytes.reserve(total);
  } catch (const std::bad_alloc&) {
    return bad("its sizes claim " + std::to_string(total) +
               " elements, and there is not enough memory for them");
  }
  while (result.bytes.size() < total) {
    const uint64_t before = result.bytes.size(), piece = std::min(kPiece, total - before);
    result.bytes.resize(before + piece);
    if (!file->read(result.bytes.data() + before, piece))
      return bad("it ends before the " + std::to_string(total) +
                 " elements that its sizes claim, or its gzip data is damaged");
  }
  if (!file->at_end())
    return bad("it has more than the " + std::to_string(total) +
               " elements that its sizes claim, or its gzip data is damaged");
  return result;
}

}  // namespace cutset

// Files, behind a small interface: whole or not at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/core/result.h"

namespace cutset {

// Writes beside `path` under another name, flushes to the disk, then renames: a reader sees the old
// contents or the new, and a failure, which names the file and why, leaves the old.
Status write_file(const std::string& path, std::string_view contents);

// The whole file; fails above `limit` bytes before reading them.
Result<std::string> read_file(const std::string& path, uint64_t limit = uint64_t{1} << 32);

}  // namespace cutset

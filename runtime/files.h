// Files, behind a small interface: whole or not at all.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

// Writes the pieces, one after the other, beside `path` under another name, flushes to the disk, then renames: a
// reader sees the old contents or the new, and a failure, which names the file and why, leaves the old. A symbolic
// link is followed and the permissions of an existing file are kept. A device or a pipe is written to, not replaced.
// The temporary file of a process that was killed is in nobody's way, and the next write of `path` removes it. Any
// number of processes and threads may write one path: one of the contents is there in the end.
Status write_file(const std::string& path, const std::vector<std::string_view>& pieces);
Status write_file(const std::string& path, std::string_view contents);

// Whether write_file could write `path`, found by making its temporary file and removing it; `path` is not touched.
// To be asked before work whose results would be lost.
Status check_writable(const std::string& path);

// A regular file that is open for reading. Opening a pipe is an error, not a wait.
class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  uint64_t size() const { return size_; }  // when it was opened
  const std::string& path() const { return path_; }
  // The next bytes, up to `n`; 0 at the end.
  Result<size_t> some(void* to, size_t n);
  // Exactly `n` bytes; an end before that is an error.
  Status read(void* to, size_t n);

 private:
  std::string path_;
  Descriptor file_;
  uint64_t size_ = 0;
};

// The whole file; fails above `limit` bytes before reading them, and where there is no memory for them.
Result<std::string> read_file(const std::string& path, uint64_t limit = uint64_t{1} << 32);

}  // namespace cutset

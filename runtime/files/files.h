// SPDX-License-Identifier: Apache-2.0
// Reads and writes whole files. A write replaces the file atomically or leaves the old contents. A read
// returns every byte or fails. All functions return errors as values and may be called from any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/core/result.h"

namespace cutset {

// Owns a POSIX file descriptor and closes it in the destructor. A negative number means that it owns no
// descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  // Returns the descriptor and gives up its ownership.
  int release();

 private:
  int fd_;
};

// Replaces the contents of `path` by the concatenation of `pieces`, atomically.
//
// The pieces are written to a temporary file in the same folder, flushed to the disk, and moved to `path` by
// rename. So a reader sees either the old or the new contents, and a failure leaves the old contents. The
// error names the file and the cause. A symbolic link is followed, and the permissions of an existing file
// are kept. If `path` is a device or a pipe, the pieces are written to it, and nothing is renamed. A pipe
// without a reader is an error.
//
// If a process is killed, its temporary file remains until the next write of the same path. The time of a
// write does not depend on the number of files in the folder. Several processes and threads may write the
// same path at once. The file then has the contents of one of these writes.
Status write_file(const std::string& path, const std::vector<std::string_view>& pieces);
Status write_file(const std::string& path, std::string_view contents);

// A file to write: its path, and the pieces of its contents.
struct FileContents {
  std::string path;
  std::vector<std::string_view> pieces;
};
// Replaces several files as write_file does. All contents are on the disk, in temporary files, before the
// first file is replaced. So a failure leaves all files as they were, unless a rename fails after another
// rename has succeeded.
Status write_files(const std::vector<FileContents>& files);

// Fails if write_file could not write `path`, including the case that a name or a path is too long for the
// file system. Creates the temporary file and removes it again, and does not change `path` itself. Call it
// before long work whose results would otherwise be lost.
Status check_writable(const std::string& path);

// Removes temporary files of write_file from `folder`, if the process that wrote them has ended. The name of
// the file that was to be written must begin with `prefix` and end with `suffix`. Temporary files that a
// process is writing stay. Ignores errors.
void remove_orphans_in(const std::string& folder, std::string_view prefix, std::string_view suffix);

// A regular file that is open for reading.
class InputFile {
 public:
  // Fails if the file cannot be opened or is not a regular file. Opening a pipe fails at once instead of
  // blocking.
  static Result<InputFile> open(const std::string& path);
  // Returns the size in bytes at the time when the file was opened.
  uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  // Reads at most `n` of the next bytes and returns how many it read; 0 means the end of the file.
  Result<size_t> some(void* to, size_t n);
  // Reads exactly `n` bytes. Fails if fewer bytes are left in the file.
  Status read(void* to, size_t n);

 private:
  std::string path_;
  Descriptor file_;
  uint64_t size_ = 0;
};

// Returns the contents of the file. Fails, before it reads anything, if the file has more than `limit` bytes
// (default: 4 GiB) or if there is not enough memory for them.
Result<std::string> read_file(const std::string& path, uint64_t limit = uint64_t{1} << 32);

}  // namespace cutset

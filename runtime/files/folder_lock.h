// SPDX-License-Identifier: Apache-2.0
// Reserves a folder for one process.
#pragma once
#include <string>
#include <utility>

#include "runtime/files/files.h"

namespace cutset {

// Holds the file .lock in a folder, and a lock of the operating system on it, until the object is destroyed
// or the process ends. Only one process at a time can take this lock. The file names the process. If a
// process is killed, the file remains without a lock, and the next process takes it over.
class FolderLock {
 public:
  // Fails if another process has the folder, or if the file cannot be made. On a file system without locks,
  // the object holds nothing, and no process is excluded.
  static Result<FolderLock> take(const std::string& folder);
  FolderLock(FolderLock&& other) noexcept : path_(std::move(other.path_)), file_(std::move(other.file_)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  // Removes the file.
  ~FolderLock();

 private:
  FolderLock(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  Descriptor file_;  // not open if the object holds nothing
};

}  // namespace cutset

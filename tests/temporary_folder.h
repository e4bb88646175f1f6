// SPDX-License-Identifier: Apache-2.0
// Temporary files of tests.
#pragma once
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace cutset {

// Creates a folder that no other process uses. The destructor removes the folder and its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "cutset-test-XXXXXX";
    if (!mkdtemp(pattern.data())) throw std::system_error(errno, std::generic_category(), pattern);
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  // Returns the path of a file in the folder.
  std::string path(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// The path of a file in a new temporary folder.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name) : path(folder.path(name)) {}
  const TemporaryFolder folder;
  const std::string path;
};

}  // namespace cutset

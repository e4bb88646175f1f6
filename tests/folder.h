// A temporary folder for the files of a test, and a test fixture that has one.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace cutset {

// Creates a folder that no other process uses. The destructor removes it with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "cutset-test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return folder_; }
  // Returns the path of a file in the folder.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }

 private:
  std::string folder_;
};

// Each test of this fixture has a temporary folder of its own.
class Folder : public ::testing::Test {
 protected:
  // path() returns the path of a file in the folder, and entries() the number of files in it.
  std::string path(const std::string& name) const { return temporary_.path(name); }
  int64_t entries() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

 private:
  const TemporaryFolder temporary_;

 protected:
  const std::string folder_ = temporary_.path();
};

}  // namespace cutset

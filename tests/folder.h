// A test fixture that gives each test a temporary folder of its own.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace cutset {

class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "cutset-test-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  // path() returns the path of a file in the folder, and entries() the number of files in it.
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  int64_t entries() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }
  std::string folder_;
};

}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// A test fixture that gives each test its own temporary folder.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/temporary_folder.h"

namespace cutset {

class Folder : public ::testing::Test {
 protected:
  // path() returns the path of a file in the folder, and entries() returns the number of files in the folder.
  std::string path(const std::string& name) const { return temporary_.path(name); }
  int64_t entries() const { return std::distance(std::filesystem::directory_iterator(folder_), {}); }

 private:
  const TemporaryFolder temporary_;

 protected:
  const std::string folder_ = temporary_.path();
};

}  // namespace cutset

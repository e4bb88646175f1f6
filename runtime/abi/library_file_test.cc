// SPDX-License-Identifier: Apache-2.0
#include "runtime/abi/library_file.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "tests/folder.h"

namespace cutset::abi {
namespace {

using ::testing::HasSubstr;
using LibraryFile = Folder;

// Returns the contents of the library that this process has loaded for the function.
std::string contents_of_library(const void* function) {
  Dl_info library;
  if (!dladdr(function, &library)) return "";
  std::ifstream file(library.dli_fname, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(LibraryFile, AWholeLibraryHasNoFaultAndAPartOfItHas) {
  const std::string whole = contents_of_library(reinterpret_cast<const void*>(&library_fault));
  ASSERT_GT(whole.size(), 10'000u);
  const auto fault_of = [&](size_t bytes) {
    std::ofstream(path("l.so"), std::ios::binary | std::ios::trunc) << whole.substr(0, bytes);
    return library_fault(path("l.so"));
  };
  EXPECT_EQ(fault_of(whole.size()), "");
  // Symbols for debuggers are at the end, and may be more than half of a file. The loader does not read them.
  for (const size_t bytes : {size_t{64}, size_t{4096}, whole.size() / 16, whole.size() / 4})
    EXPECT_THAT(fault_of(bytes), HasSubstr("is shorter than its header says")) << bytes;
  EXPECT_EQ(fault_of(10), "") << "the loader says that this is no library";
}

TEST_F(LibraryFile, APipeIsRefusedAndNamesAreLeftToTheLoader) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THAT(library_fault(path("pipe")), HasSubstr("neither regular nor a folder"));
  EXPECT_EQ(library_fault("libm.so.6"), "");
  EXPECT_EQ(library_fault(path("nowhere.so")), "");
}

}  // namespace
}  // namespace cutset::abi

// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/idx.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <fstream>
#include <string>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using Idx = Folder;
TEST_F(Idx, PlainAndGzipGiveTheSame) {
  std::string file("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12);
  file += "abcdef";
  ASSERT_TRUE(write_file(path("p"), file).ok());
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, file.data(), static_cast<unsigned>(file.size()));
  gzclose(z);
  for (const char* name : {"p", "z.gz"}) {
    auto idx = read_idx(path(name));
    ASSERT_TRUE(idx.ok()) << idx.error().text();
    EXPECT_EQ(idx->shape, (Shape{2, 3}));
    EXPECT_EQ(std::string(idx->bytes.begin(), idx->bytes.end()), "abcdef");
  }
  EXPECT_FALSE(read_idx(path("p"), 5).ok()) << "above the limit";
  EXPECT_TRUE(read_idx(path("p"), 6).ok()) << "at the limit";
}

TEST_F(Idx, SizesBeyondTheFileAreRefusedBeforeMemoryIsTaken) {
  const std::string claims("\0\0\x08\x01\xf0\0\0\0", 8);
  ASSERT_TRUE(write_file(path("p"), claims).ok());
  auto plain = read_idx(path("p"));
  ASSERT_FALSE(plain.ok());
  EXPECT_NE(plain.error().what.find("4026531840 elements, more than a file of this size can hold"),
            std::string::npos);
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, claims.data(), static_cast<unsigned>(claims.size()));
  gzclose(z);
  auto packed = read_idx(path("z.gz"));
  ASSERT_FALSE(packed.ok());
  EXPECT_NE(packed.error().what.find("more than a file of this size can hold"), std::string::npos);
}
TEST_F(Idx, AFileWithTheLargestCompressionRatioIsRead) {  // the ratio of deflate is at most 1 : 1032
  std::string file("\0\0\x08\x01\0\x80\0\0", 8);
  file += std::string(1 << 23, '\0');
  gzFile z = gzopen(path("z.gz").c_str(), "wb9");
  gzwrite(z, file.data(), static_cast<unsigned>(file.size()));
  gzclose(z);
  auto idx = read_idx(path("z.gz"));
  ASSERT_TRUE(idx.ok()) << idx.error().text();
  EXPECT_EQ(idx->shape, (Shape{1 << 23}));
}
// Appends a member to a gzip file.
void append_gzip(const std::string& path, const std::string& contents) {
  gzFile z = gzopen(path.c_str(), "ab");
  gzwrite(z, contents.data(), static_cast<unsigned>(contents.size()));
  gzclose(z);
}
void append_plain(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::app | std::ios::binary) << contents;
}

// The reader holds 64 KiB of a file at a time.
TEST_F(Idx, AFileThatIsLargerThanTheBufferIsRead) {
  std::string file("\0\0\x08\x01\0\3\0\0", 8), elements(3 << 16, ' ');
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<char>(i % 251);
  append_plain(path("p"), file + elements);
  auto idx = read_idx(path("p"));
  ASSERT_TRUE(idx.ok()) << idx.error().text();
  EXPECT_EQ(std::string(idx->bytes.begin(), idx->bytes.end()), elements);
}
TEST_F(Idx, AllMembersOfAGzipFileAreRead) {
  append_gzip(path("z"), std::string("\0\0\x08\x01\0\0", 6));
  append_gzip(path("z"), std::string("\0\x04", 2) + "ab");
  append_gzip(path("z"), "cd");
  auto idx = read_idx(path("z"));
  ASSERT_TRUE(idx.ok()) << idx.error().text();
  EXPECT_EQ(std::string(idx->bytes.begin(), idx->bytes.end()), "abcd");
  append_gzip(path("z"), "e");
  idx = read_idx(path("z"));
  ASSERT_FALSE(idx.ok());
  EXPECT_NE(idx.error().what.find("it has more than the 4 elements"), std::string::npos) << idx.error().what;
}
TEST_F(Idx, BytesBehindAGzipFileAreRefused) {
  append_gzip(path("z"), std::string("\0\0\x08\x01\0\0\0\x02", 8) + "ab");
  ASSERT_TRUE(read_idx(path("z")).ok());
  append_plain(path("z"), "neither a member nor nothing");
  auto idx = read_idx(path("z"));
  ASSERT_FALSE(idx.ok());
  EXPECT_NE(idx.error().what.find("or its gzip data is damaged"), std::string::npos) << idx.error().what;
}
TEST_F(Idx, FilesOfAnotherFormatAreRefused) {
  const struct {
    std::string contents;
    const char* says;
  } cases[] = {
      {"\x1f is no gzip file", "does not begin with the magic number"},  // only the first byte is gzip's
      {std::string("\0\1\x08\x01\0\0\0\x01x", 9), "does not begin with the magic number"},
  };
  for (const auto& c : cases) {
    ASSERT_TRUE(write_file(path("p"), c.contents).ok());
    auto idx = read_idx(path("p"));
    ASSERT_FALSE(idx.ok());
    EXPECT_NE(idx.error().what.find(c.says), std::string::npos) << idx.error().what;
  }
}
// Linux lets a process open its own memory as a regular file, and reading address 0 fails.
TEST_F(Idx, AFileThatCannotBeReadIsRefused) {
  auto idx = read_idx("/proc/self/mem");
  ASSERT_FALSE(idx.ok());
  EXPECT_NE(idx.error().what.find("too short for a header"), std::string::npos) << idx.error().what;
}
TEST_F(Idx, ReadingAPipeFailsAtOnce) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_idx(path("pipe")).ok());
}

}  // namespace
}  // namespace cutset

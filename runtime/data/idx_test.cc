#include "runtime/data/idx.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

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
  EXPECT_NE(plain.error().what.find("4026531840 elements, more than its bytes can hold"), std::string::npos);
  gzFile z = gzopen(path("z.gz").c_str(), "wb");
  gzwrite(z, claims.data(), static_cast<unsigned>(claims.size()));
  gzclose(z);
  auto packed = read_idx(path("z.gz"));
  ASSERT_FALSE(packed.ok());
  EXPECT_NE(packed.error().what.find("more than its bytes can hold"), std::string::npos);
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
TEST_F(Idx, ReadingAPipeFailsAtOnce) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_idx(path("pipe")).ok());
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/read_image.h"

#include <gmock/gmock.h>

#include "runtime/files/files.h"
#include "tests/encode_images.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::HasSubstr;
using testing::pattern;

using ReadImage = Folder;
TEST_F(ReadImage, TheBytesDecideAndNotTheName) {
  ASSERT_TRUE(write_file(path("a.jpg"), testing::encode_png(pattern(3, 4, 3), 3, 4)).ok());
  ASSERT_TRUE(write_file(path("b.png"), testing::encode_jpeg(pattern(3, 4, 3), 3, 4, 3)).ok());
  for (const char* name : {"a.jpg", "b.png"}) {
    const auto image = read_image(path(name));
    ASSERT_TRUE(image.ok()) << image.error().text();
    EXPECT_EQ(image->height, 3);
    EXPECT_EQ(image->width, 4);
  }
}
TEST_F(ReadImage, ErrorsNameTheFile) {
  ASSERT_TRUE(write_file(path("a.jpg"), "GIF89a").ok());
  ASSERT_TRUE(write_file(path("b.jpg"), "\xff\xd8\xff").ok());
  const auto other = read_image(path("a.jpg")), damaged = read_image(path("b.jpg")),
             missing = read_image(path("c.jpg"));
  ASSERT_FALSE(other.ok() || damaged.ok() || missing.ok());
  EXPECT_THAT(other.error().what,
              HasSubstr("'" + path("a.jpg") + "': it does not begin as a JPEG or a PNG file does"));
  EXPECT_THAT(damaged.error().what,
              HasSubstr("'" + path("b.jpg") + "': it is not a JPEG file that can be decoded"));
  EXPECT_THAT(missing.error().what, HasSubstr(path("c.jpg")));
}

}  // namespace
}  // namespace cutset

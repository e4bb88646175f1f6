// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/image_folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "runtime/files/files.h"
#include "tests/encode_images.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class ImageFolderTest : public Folder {
 protected:
  void put(const std::string& name, std::vector<unsigned char> rgb = {0, 0, 0}) {
    fs::create_directories(fs::path(path(name)).parent_path());
    ASSERT_TRUE(write_file(path(name), testing::encode_png(std::move(rgb), 1, 1)).ok());
  }
  // Returns the paths of the images, without the folder.
  std::vector<std::string> names(const ImageFolder& images) const {
    std::vector<std::string> all;
    for (const std::string& file : images.files) all.push_back(file.substr(folder_.size() + 1));
    return all;
  }
};

TEST_F(ImageFolderTest, LabelsFollowTheBytesOfTheNames) {
  put("b/2.png");
  put("b/10.PNG");
  put("B/x.jpeg");
  put("\xc3\xa4/y.JPG");
  put("b/deep/1.png");
  put("b/notes.txt");
  put("beside.txt");
  const auto classes = list_classes(folder_);
  ASSERT_TRUE(classes.ok());
  EXPECT_THAT(*classes, ElementsAre("B", "b", "\xc3\xa4"));
  const auto images = list_images(folder_, *classes);
  ASSERT_TRUE(images.ok()) << images.error().text();
  EXPECT_THAT(names(*images),
              ElementsAre("B/x.jpeg", "b/10.PNG", "b/2.png", "b/deep/1.png", "\xc3\xa4/y.JPG"));
  EXPECT_THAT(images->labels, ElementsAre(0, 1, 1, 1, 2));
}
TEST_F(ImageFolderTest, GivenClassesFixTheLabels) {
  put("cat/1.png");
  put("dog/1.png");
  const auto images = list_images(folder_, {"dog", "bird", "cat"});
  ASSERT_TRUE(images.ok()) << images.error().text();
  EXPECT_THAT(names(*images), ElementsAre("dog/1.png", "cat/1.png"));
  EXPECT_THAT(images->labels, ElementsAre(0, 2));
  const auto unknown = list_images(folder_, {"dog", "bird"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().what, HasSubstr("subfolder 'cat', which is not one of the 2 classes"));
  EXPECT_THAT(list_images(folder_, {"dog"}).error().what,
              HasSubstr("subfolder 'cat', which is not the class 'dog'"));
}
TEST_F(ImageFolderTest, LoopsOfLinksEnd) {
  put("a/1.png");
  fs::create_directory_symlink("..", path("a/up"));
  fs::create_directory_symlink(".", path("self"));
  fs::create_symlink("1.png", path("a/linked.png"));
  const auto images = list_images(folder_, {"a", "self"});
  ASSERT_TRUE(images.ok()) << images.error().text();
  EXPECT_THAT(names(*images), ElementsAre("a/1.png", "a/linked.png", "self/a/1.png", "self/a/linked.png"));
}
TEST_F(ImageFolderTest, FoldersBehindLinksAreRead) {
  put("store/2.png");
  put("store/deep/3.png");
  put("data/a/1.png");
  put("data/b/4.png");
  fs::create_directory_symlink("../../store", path("data/a/linked"));
  fs::create_directory_symlink("../../data/b",
                               path("store/deep/b"));  // b has a link to store, and store has a link to b
  fs::create_directory_symlink("../../store", path("data/b/back"));
  const auto images = list_images(path("data"), {"a", "b"});
  ASSERT_TRUE(images.ok()) << images.error().text();
  EXPECT_THAT(names(*images), ElementsAre("data/a/1.png", "data/a/linked/2.png", "data/a/linked/deep/3.png",
                                          "data/a/linked/deep/b/4.png", "data/b/4.png", "data/b/back/2.png",
                                          "data/b/back/deep/3.png"));
}
TEST_F(ImageFolderTest, FoldersWithoutImagesAreRefused) {
  EXPECT_THAT(list_classes(folder_).error().what, HasSubstr("has no subfolder"));
  EXPECT_THAT(list_classes(path("none")).error().what, HasSubstr("cannot list '" + path("none") + "'"));
  put("2.png");
  put("1.png");
  put("notes.txt");
  EXPECT_THAT(list_classes(folder_).error().text(),
              HasSubstr("has no subfolder; it has '1.png', '2.png' and 'notes.txt' ("));
  fs::create_directory(path("a"));
  EXPECT_THAT(list_classes(folder_).error().what,
              HasSubstr("the image '1.png' outside of its subfolder, so"));
  fs::remove(path("1.png"));
  fs::remove(path("2.png"));
  EXPECT_THAT(list_images(folder_, {"a"}).error().what, HasSubstr("the class 'a' of"));
  EXPECT_THAT(list_images(folder_, {"a"}).error().what, HasSubstr("has no image; its folder is empty"));
}

TEST_F(ImageFolderTest, BatchesHaveTheOrderOfTheSamples) {
  put("a/1.png", {0, 51, 255});
  put("b/1.png", {102, 153, 204});
  const auto images = list_images(folder_, {"a", "b"});
  ASSERT_TRUE(images.ok());
  const auto batch = read_images(*images, {2, 1}, {1, 0, 1});
  ASSERT_TRUE(batch.ok()) << batch.error().text();
  EXPECT_EQ(batch->image, HostTensor({3, 3, 2, 1}, {0.4f, 0.4f, 0.6f, 0.6f, 0.8f, 0.8f, 0.0f, 0.0f, 0.2f,
                                                    0.2f, 1.0f, 1.0f, 0.4f, 0.4f, 0.6f, 0.6f, 0.8f, 0.8f}));
  EXPECT_EQ(batch->label, HostTensor({3}, {1, 0, 1}));
}
TEST_F(ImageFolderTest, AFileThatIsNoImageIsNamed) {
  put("a/1.png");
  ASSERT_EQ(mkfifo(path("a/2.png").c_str(), 0600), 0);
  fs::create_symlink("nowhere", path("a/3.png"));
  ASSERT_TRUE(write_file(path("a/4.png"), "text").ok());
  const auto images = list_images(folder_, {"a"});
  ASSERT_TRUE(images.ok());
  ASSERT_EQ(images->files.size(), 4u);
  for (int64_t i = 1; i < 4; ++i) {
    const auto batch = read_images(*images, {1, 1}, {0, i});
    ASSERT_FALSE(batch.ok());
    EXPECT_THAT(batch.error().what, HasSubstr("a/" + std::to_string(i + 1) + ".png"));
  }
}

}  // namespace
}  // namespace cutset

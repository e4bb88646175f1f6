// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/image_data.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/encode_images.h"
#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

class ImageData : public Folder {
 protected:
  // Writes a file of CIFAR-10 with 10,000 black images, whose first record has this label.
  void put_cifar(const std::string& name, char label) {
    std::ofstream(path(name), std::ios::binary) << label;
    std::filesystem::resize_file(path(name), 10'000 * 3073);
  }
  void put_image(const std::string& name, std::vector<unsigned char> rgb) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << testing::encode_png(std::move(rgb), 1, 1);
  }
};

TEST_F(ImageData, Cifar10HasTheFilesOfTheSplit) {
  put_cifar("test_batch.bin", 7);
  for (char i = 1; i <= 5; ++i) put_cifar("data_batch_" + std::to_string(i) + ".bin", i);
  const auto test = data::cifar10("test", folder_), training = data::cifar10("train", folder_);
  EXPECT_EQ(test.size(), 10'000);
  EXPECT_EQ(training.size(), 50'000);
  auto first = training.order({0, 1, 10'000, 20'000, 30'000, 40'000}).batch(6).begin();
  EXPECT_EQ((*first).at("label"), HostTensor({6}, {1, 0, 2, 3, 4, 5}));
  EXPECT_EQ((*first).at("image"), HostTensor({f32, {6, 3, 32, 32}}));
  EXPECT_THAT(error_of([&] { data::cifar10("validation", folder_); }), HasSubstr("no split 'validation'"));
  std::filesystem::resize_file(path("data_batch_3.bin"), 9'999 * 3073);
  EXPECT_THAT(error_of([&] { data::cifar10("train", folder_); }),
              HasSubstr("data_batch_3.bin' ends within record 9999"));
  std::filesystem::remove(path("data_batch_2.bin"));
  EXPECT_THAT(error_of([&] { data::cifar10("train", folder_); }), HasSubstr("data_batch_2.bin"));
}

TEST_F(ImageData, AFolderOfImagesHasLabelledBatches) {
  put_image("train/cat/1.png", {255, 0, 51});
  put_image("train/ant/1.png", {0, 255, 0});
  put_image("test/cat/1.png", {255, 255, 0});
  EXPECT_THAT(data::image_classes(path("train")), ElementsAre("ant", "cat"));
  const auto training = data::image_folder(path("train"), {.height = 1, .width = 1});
  EXPECT_EQ(training.size(), 2);
  auto batch = training.batch(2).begin();
  EXPECT_EQ((*batch).at("image"), HostTensor({2, 3, 1, 1}, {0.0f, 1.0f, 0.0f, 1.0f, 0.0f, 0.2f}));
  EXPECT_EQ((*batch).at("label"), HostTensor({2}, {0, 1}));
  const auto test = data::image_folder(path("test"), {.classes = data::image_classes(path("train"))});
  auto labelled = test.begin();
  EXPECT_EQ((*labelled).at("label"), HostTensor({1}, {1}));
  EXPECT_EQ((*labelled).at("image").shape(), (Shape{1, 3, 224, 224}));
}

TEST_F(ImageData, MistakesAreNamed) {
  put_image("cat/1.png", {1, 2, 3});
  std::ofstream(path("cat/2.png")) << "no image";
  EXPECT_THAT(error_of([&] { data::image_folder(folder_, {.height = 0}); }), HasSubstr("0 x 224 pixels"));
  EXPECT_THAT(error_of([&] { data::image_folder(folder_, {.width = 65536}); }),
              HasSubstr("224 x 65536 pixels"));
  EXPECT_THAT(error_of([&] { data::image_folder(folder_, {.shorter_side = 223}); }),
              HasSubstr("cannot have 223 pixels"));
  EXPECT_THAT(error_of([&] { data::image_folder(folder_, {.classes = {"cat", "cat"}}); }),
              HasSubstr("a name twice"));
  EXPECT_THAT(error_of([&] { data::image_folder(path("none")); }), HasSubstr("cannot list"));
  EXPECT_THAT(error_of([&] {
                for (const Batch& b : data::image_folder(folder_)) (void)b;
              }),
              HasSubstr("cat/2.png': it does not begin as a JPEG or a PNG file does"));
}

}  // namespace
}  // namespace cutset

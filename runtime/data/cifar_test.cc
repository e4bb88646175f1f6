// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/cifar.h"

#include <gmock/gmock.h>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Returns a record whose pixel i is `first` + i, modulo 256.
std::string record(char label, int first) {
  std::string r(1, label);
  for (int i = 0; i < 3072; ++i) r.push_back(static_cast<char>(first + i));
  return r;
}

using Cifar = Folder;
TEST_F(Cifar, RecordsAreLabelsAndPlanes) {
  ASSERT_TRUE(write_file(path("1"), record(3, 0) + record(9, 7)).ok());
  ASSERT_TRUE(write_file(path("2"), record(0, 5) + record(1, 6)).ok());
  const auto data = read_cifar10({path("1"), path("2")}, 2);
  ASSERT_TRUE(data.ok()) << data.error().text();
  EXPECT_EQ((*data)->image, (Shape{3, 32, 32}));
  EXPECT_THAT((*data)->labels, ElementsAre(3, 9, 0, 1));
  const ImageBatch batch = make_batch(**data, {2, 1});
  EXPECT_EQ(batch.image.shape(), (Shape{2, 3, 32, 32}));
  EXPECT_EQ(batch.label, HostTensor({2}, {0, 9}));
  for (int i = 0; i < 3072; ++i) {
    EXPECT_EQ(batch.image.as<float>()[size_t(i)], static_cast<float>((5 + i) % 256) / 255.0f);
    EXPECT_EQ(batch.image.as<float>()[size_t(3072 + i)], static_cast<float>((7 + i) % 256) / 255.0f);
  }
}

TEST_F(Cifar, FilesWithAnotherNumberOfRecordsAreRefused) {
  const std::string two = record(3, 0) + record(9, 7);
  for (const auto& [contents, says] : {std::pair<std::string, const char*>{"", "ends within record 0"},
                                       {two.substr(0, 1), "ends within record 0"},
                                       {two.substr(0, 3072), "ends within record 0"},
                                       {two.substr(0, 3073), "ends within record 1"},
                                       {two.substr(0, 6145), "ends within record 1"},
                                       {two + "x", "has more than 2 records"},
                                       {record(3, 0) + record(10, 0), "has the label 10 in record 1"},
                                       {record(3, 0) + record('\xff', 0), "has the label 255 in record 1"}}) {
    ASSERT_TRUE(write_file(path("f"), contents).ok());
    const auto data = read_cifar10({path("f")}, 2);
    ASSERT_FALSE(data.ok()) << says;
    EXPECT_THAT(data.error().what, HasSubstr("'" + path("f") + "' " + says));
  }
  EXPECT_FALSE(read_cifar10({path("none")}, 2).ok());
}

}  // namespace
}  // namespace cutset

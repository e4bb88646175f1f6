// SPDX-License-Identifier: Apache-2.0
#include <cutset/error.h>
#include <cutset/text_data.h>
#include <gmock/gmock.h>

#include <fstream>

#include "tests/errors.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using testing::error_of;
using ::testing::HasSubstr;

class TextData : public Folder {
 protected:
  std::string put(const std::string& name, const std::string& contents) {
    std::ofstream(path(name), std::ios::binary) << contents;
    return path(name);
  }
};

TEST_F(TextData, TheTextForTestsUsesTheTrainingVocabulary) {
  const auto words = data::vocabulary(put("train", "the cat the dog the cat"), 3);
  EXPECT_THAT(words, ElementsAre("<unk>", "the", "cat"));
  const auto test =
      data::text(put("test", "a cat the dog the\n"), {.sequence_length = 2, .vocabulary = words});
  EXPECT_EQ(test.size(), 2);
  auto batch = test.batch(2).begin();
  EXPECT_EQ((*batch).at("token"), HostTensor({2, 2}, {0, 2, 1, 0}));
  EXPECT_EQ((*batch).at("label"), HostTensor({2, 2}, {2, 1, 0, 1}));
}
TEST_F(TextData, TheLastSampleNeedsALabelForEachToken) {
  EXPECT_EQ(data::text(put("t", "abcdef"), {.sequence_length = 3}).size(), 1);
  EXPECT_EQ(data::text(put("t", "abcdefg"), {.sequence_length = 3}).size(), 2);
  EXPECT_THAT(error_of([&] { data::text(put("t", "abc"), {.sequence_length = 3}); }),
              HasSubstr("has 3 tokens"));
  EXPECT_THAT(error_of([&] { data::text(path("t"), {.sequence_length = 0}); }), HasSubstr("cannot be 0"));
  EXPECT_THAT(error_of([&] { data::vocabulary(path("t"), 0); }), HasSubstr("cannot be 0"));
  EXPECT_THAT(error_of([&] { data::text(path("none")); }), HasSubstr(path("none")));
}

TEST_F(TextData, ATableOfIdsIsPadded) {
  const auto d =
      data::id_table(put("t", "2 5 6\n1\n"), {.length = 3, .id_count = 7, .label_count = 3, .padding = 7});
  EXPECT_EQ(d.size(), 2);
  auto batch = d.batch(2).begin();
  EXPECT_EQ((*batch).at("history"), HostTensor({2, 3}, {5, 6, 7, 7, 7, 7}));
  EXPECT_EQ((*batch).at("label"), HostTensor({2}, {2, 1}));
  EXPECT_THAT(error_of([&] { data::id_table(path("t"), {.length = 1, .padding = -1}); }),
              HasSubstr("line 1: the list has more than 1"));
  EXPECT_THAT(error_of([&] { data::id_table(path("t"), {.id_count = 6}); }), HasSubstr("line 1: the id 6"));
  EXPECT_THAT(error_of([&] { data::id_table(path("t"), {.label_count = 2}); }),
              HasSubstr("line 1: the label 2"));
  EXPECT_THAT(error_of([&] { data::id_table(path("t"), {.length = 0}); }), HasSubstr("cannot be 0"));
  EXPECT_THAT(error_of([&] { data::id_table(path("t"), {.length = 3}); }),
              HasSubstr("line 1: the list has 2 ids"));
}

}  // namespace
}  // namespace cutset

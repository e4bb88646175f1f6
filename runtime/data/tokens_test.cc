// SPDX-License-Identifier: Apache-2.0
#include "runtime/data/tokens.h"

#include <gmock/gmock.h>

#include "runtime/files/files.h"
#include "tests/folder.h"

namespace cutset {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<int32_t> all(const Tokens& tokens) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < tokens.size(); ++i) ids.push_back(tokens[i]);
  return ids;
}

using TokensTest = Folder;
TEST_F(TokensTest, VocabulariesAreOrderedByFrequencyAndThenByBytes) {
  ASSERT_TRUE(write_file(path("t"), " b a\tc\nb\r\n<unk> \xc3\xa4 Z\v<unk>\fb c <unk> <unk>").ok());
  const auto words = read_vocabulary(path("t"), 100);
  ASSERT_TRUE(words.ok()) << words.error().text();
  EXPECT_THAT(*words, ElementsAre("<unk>", "b", "c", "Z", "a", "\xc3\xa4"));
  EXPECT_THAT(*read_vocabulary(path("t"), 3), ElementsAre("<unk>", "b", "c"));
  EXPECT_THAT(*read_vocabulary(path("t"), 1), ElementsAre("<unk>"));
  ASSERT_TRUE(write_file(path("t"), " \n").ok());
  EXPECT_THAT(read_vocabulary(path("t"), 3).error().what, HasSubstr("has no word"));
}
TEST_F(TokensTest, WordsAreIndicesOfTheVocabulary) {
  ASSERT_TRUE(write_file(path("t"), "\nb new a <unk>\tb").ok());
  const auto tokens = Tokens::read(path("t"), {"<unk>", "a", "b"});
  ASSERT_TRUE(tokens.ok()) << tokens.error().text();
  EXPECT_THAT(all(**tokens), ElementsAre(2, 0, 1, 0, 2));
  EXPECT_THAT(Tokens::read(path("t"), {"<unk>", "a", "a"}).error().what, HasSubstr("the word 'a' twice"));
  EXPECT_THAT(Tokens::read(path("t"), {"a", "<unk>"}).error().what, HasSubstr("begins with 'a'"));
}
TEST_F(TokensTest, WithoutAVocabularyBytesAreTokens) {
  ASSERT_TRUE(write_file(path("t"), std::string("a\0\xff\n", 4)).ok());
  EXPECT_THAT(all(**Tokens::read(path("t"), {})), ElementsAre(97, 0, 255, 10));
}
TEST_F(TokensTest, LabelsAreTheNextTokens) {
  ASSERT_TRUE(write_file(path("t"), "abcdefg").ok());
  const auto tokens = Tokens::read(path("t"), {});
  ASSERT_TRUE(tokens.ok());
  const TokenBatch batch = make_batch(**tokens, 3, {1, 0});
  EXPECT_EQ(batch.token, HostTensor({2, 3}, {100, 101, 102, 97, 98, 99}));
  EXPECT_EQ(batch.label, HostTensor({2, 3}, {101, 102, 103, 98, 99, 100}));
}

}  // namespace
}  // namespace cutset

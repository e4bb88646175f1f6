// SPDX-License-Identifier: Apache-2.0
#include "ir/core/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cutset {
namespace {

TEST(Names, NamesOfCutsetAndOfUsersPass) {
  for (const char* name :
       {"x", "fc1.bias", "fc1.bias/velocity", "gradient:fc1.bias", "layer-1/conv_2.weight", "a..b", "7"})
    EXPECT_TRUE(check_name(name, "an output").ok()) << name;
  EXPECT_TRUE(check_name(std::string(1024, 'a'), "an output").ok());
}

TEST(Names, NamesThatLeaveAFolderOrControlATerminalAreRefused) {
  using namespace std::string_literals;
  for (const std::string& name :
       {""s, "../x"s, "a/../b"s, "a/.."s, ".."s, "."s, "/etc/x"s, "a//b"s, "a/"s, "x\0y"s, "x\0"s, "\x1b[2J"s,
        "a b"s, "a\n"s, "\xff"s, "a\\b"s, std::string(1025, 'a')})
    EXPECT_FALSE(check_name(name, "an output").ok()) << name;
  const Status status = check_name("a\x1b/", "an output");
  EXPECT_THAT(status.error().what,
              ::testing::HasSubstr("'a?/' of an output has a character that is not allowed at index 1"));
}

TEST(Names, TextForPeopleHasNoControlCharacters) {
  EXPECT_TRUE(is_printable("the user's file.cc:12, gr\xc3\xbc\xc3\x9f"));
  EXPECT_TRUE(is_printable(
      "\xe2\x80\x94 \xe2\x82\xac \xd8\xa7"));  // a dash, the sign of the euro and an Arabic letter
  for (const char* text : {"\x1b[31m", "a\nb", "\x7f", "\xc2\x9b[2J",
                           "a\xe2\x80\xae"
                           "b",
                           "\xe2\x81\xa6", "\xd8\x9c", "\xe2\x80\xa8"})
    EXPECT_FALSE(is_printable(text));
}

TEST(Names, AListForAMessageHasALimit) {
  const std::vector<std::string> names = {"a", "b", "c"};
  EXPECT_EQ(quoted_list(names), "'a', 'b', 'c'");
  EXPECT_EQ(quoted_list(names, 2), "'a', 'b' and 1 more");
  EXPECT_EQ(quoted_list({}), "");
  EXPECT_THAT(quoted_list(std::vector<std::string>(25, "x")), ::testing::EndsWith("'x' and 5 more"));
}

TEST(NearestName, IsTheOneThatFewChangesTurnItInto) {
  const std::vector<std::string> known = {"fc.weight", "fc.bias", "conv1.weight", "Learning_Rate"};
  EXPECT_EQ(nearest_name("fc.weigth", known), "fc.weight");  // two letters are exchanged
  EXPECT_EQ(nearest_name("fc.weiht", known), "fc.weight");
  EXPECT_EQ(nearest_name("cf.bias", known), "fc.bias");
  EXPECT_EQ(nearest_name("learning_rate", known), "Learning_Rate");
  EXPECT_EQ(nearest_name("conv2.weight", known), "conv1.weight");
  EXPECT_EQ(nearest_name("lr", known), "");
  EXPECT_EQ(nearest_name("learn", known), "Learning_Rate");  // the only name with this beginning
  EXPECT_EQ(nearest_name("fc.", known), "");                 // two names have this beginning
  EXPECT_EQ(nearest_name("co", known), "");                  // a short beginning
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'x'), known), "");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(hint_of_names("fc.bais", known), "did you mean 'fc.bias'?");
  EXPECT_EQ(hint_of_names("w", std::vector<std::string>{"alpha", "beta"}), "there are: 'alpha', 'beta'");
  EXPECT_EQ(hint_of_names("w", {}), "there are none");
  EXPECT_EQ(and_nearest("fc.bais", known), "; did you mean 'fc.bias'?");
  EXPECT_EQ(and_nearest("w", known), "");
}

}  // namespace
}  // namespace cutset

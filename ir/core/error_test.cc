// SPDX-License-Identifier: Apache-2.0
#include "ir/core/error.h"

#include <gtest/gtest.h>

#include "ir/core/result.h"

namespace cutset {
namespace {

TEST(Error, ANulDoesNotEndTheMessage) {
  const std::string nul(1, '\0');
  const Error error(invalid_data("the name 'a" + nul + "b' is wrong", "give '" + nul + nul + "'"));
  EXPECT_STREQ(error.what(), "the name 'a\\x00b' is wrong (give '\\x00\\x00')");
  EXPECT_EQ(error.hint(), "give '\\x00\\x00'");
}

}  // namespace
}  // namespace cutset

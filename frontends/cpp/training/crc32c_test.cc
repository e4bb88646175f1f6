// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace cutset {
namespace {

// The examples of RFC 3720, section B.4, and the check value of the catalogue of CRCs. The RFC lists the
// bytes of a CRC in the order of the wire.
TEST(Crc32c, OfTheExamplesOfTheStandard) {
  std::string ascending, descending;
  for (int i = 0; i < 32; ++i) {
    ascending += static_cast<char>(i);
    descending += static_cast<char>(31 - i);
  }
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(ascending), 0x46dd794eu);
  EXPECT_EQ(crc32c(descending), 0x113fdb5cu);
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(""), 0u);
}

}  // namespace
}  // namespace cutset

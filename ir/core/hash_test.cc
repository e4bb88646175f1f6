// SPDX-License-Identifier: Apache-2.0
#include "ir/core/hash.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

// Source: the test vectors of RFC 9923.
TEST(Hash, HasTheValuesOfTheRfc) {
  EXPECT_EQ(hash_of(""), 0xcbf29ce484222325);
  EXPECT_EQ(hash_of("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(hash_of("foobar"), 0x85944171f73967e8);
}

TEST(Hash, TakesBytesAsUnsigned) {
  // FNV-1a of the byte 0xff by hand: (0xcbf29ce484222325 ^ 0xff) * 0x100000001b3 modulo 2^64.
  EXPECT_EQ(hash_of("\xff"), 0xaf64724c8602eb6e);
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
#include "frontends/cpp/training/event_record.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cutset {
namespace {

std::string bytes(std::initializer_list<int> list) {
  std::string made;
  for (const int b : list) made += static_cast<char>(b);
  return made;
}

// Every event file of TensorFlow begins with these bytes: a record of 24 bytes, the masked CRC of this
// length, and the key of the field wall_time.
TEST(EventRecords, BeginAsThoseOfTensorFlow) {
  const std::string record = version_record(1.5);
  EXPECT_EQ(record.substr(0, 13), bytes({0x18, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22, 0x09}));
  EXPECT_EQ(record.size(), 8u + 4 + 24 + 4);
  EXPECT_EQ(record.substr(21, 15), bytes({0x1a, 13}) + "brain.Event:2");
  EXPECT_TRUE(begins_with_version(record + "more"));
  for (size_t size = 0; size < record.size(); ++size) {  // the process that wrote the record was killed
    EXPECT_TRUE(begins_with_version(record.substr(0, size))) << size;
    if (size > 0 && (size <= 13 || size > 21)) {
      EXPECT_FALSE(begins_with_version(record.substr(0, size - 1) + "?")) << size;
    }
  }
  EXPECT_FALSE(begins_with_version(std::string(record.size(), 'x')));
}

// The data of a record, encoded by hand from the field numbers in the header.
TEST(EventRecords, HoldTheFieldsOfAnEvent) {
  const std::string record = scalars_record(0.0, 300, {{"loss", 0.5}, {"a/b", -2}});
  const std::string first = bytes({0x0a, 4}) + "loss" + bytes({0x15, 0, 0, 0, 0x3f});
  const std::string second = bytes({0x0a, 3}) + "a/b" + bytes({0x15, 0, 0, 0, 0xc0});
  const std::string summary = bytes({0x0a, 11}) + first + bytes({0x0a, 10}) + second;
  const std::string event = bytes({0x09, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0xac, 0x02, 0x2a, 25}) + summary;
  ASSERT_EQ(record.size(), 8 + 4 + event.size() + 4);
  EXPECT_EQ(record.substr(12, event.size()), event);
  EXPECT_EQ(record.substr(0, 8), bytes({static_cast<int>(event.size()), 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace cutset

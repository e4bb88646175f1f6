// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/message_cost.h"

#include <gtest/gtest.h>

#include "frontends/onnx/import/test/model_bytes.h"

namespace cutset::onnx {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 30;

uint64_t cost(const Message& m, uint64_t most = kMost) {
  return message_cost(bytes_of(m), MessageKind::kModel, most);
}

Message times(int n, int field, const Message& part) {
  Message m;
  for (int i = 0; i < n; ++i) m.nested(field, part);
  return m;
}

TEST(MessageCost, CountsEmptyMessages) {
  EXPECT_GT(cost(Message().nested(7, times(1000, 1, Message()))), 1000u * 184);               // nodes
  EXPECT_GT(cost(Message().nested(7, times(1, 1, times(1000, 5, Message())))), 1000u * 256);  // attributes
  EXPECT_GT(cost(Message().nested(7, times(1, 1, times(1000, 1, Message())))),
            1000u * sizeof(std::string));                  // operands
  EXPECT_GT(cost(times(1000, 8, Message())), 1000u * 40);  // operator sets
}

TEST(MessageCost, CountsNumbersButNotBytes) {
  const std::string ones(1000, '\1');
  EXPECT_GT(cost(Message().nested(7, Message().nested(5, Message().text(7, ones)))), 1000u * sizeof(int64_t));
  EXPECT_LT(cost(Message().nested(7, Message().nested(5, Message().text(9, ones)))), 1000u);
}

TEST(MessageCost, StopsAtTheLimitAndAtMalformedBytes) {
  const Message nodes = Message().nested(7, times(1000, 1, Message()));
  EXPECT_GT(cost(nodes, 1000), 1000u);
  EXPECT_LT(cost(nodes, 1000), 2000u);
  Message cut = nodes;
  cut.bytes += "\x3a\x7f";  // a graph of 127 bytes, which are missing
  EXPECT_EQ(cost(cut), cost(nodes));
  EXPECT_EQ(cost(Message().text(15, "")), cost(Message().text(2, "")));
  EXPECT_LT(message_cost(std::vector<unsigned char>(100000, 0xff), MessageKind::kModel, kMost), 1000u);
}

// A group does not hide the fields after its beginning.
TEST(MessageCost, CountsBehindGroups) {
  Message m;
  m.varint(99 << 3 | 3).nested(7, times(1000, 1, Message()));
  EXPECT_GT(cost(m), 1000u * 184);
}

// The parser reads the number of a field from the lower 32 bits of its key.
TEST(MessageCost, CountsKeysThatAreTooLarge) {
  Message nodes;
  for (int i = 0; i < 1000; ++i) nodes.bytes += std::string("\x8a\x80\x80\x80\x70\0", 6);
  EXPECT_GT(cost(Message().nested(7, nodes)), 1000u * 184);
}

// The parser accepts texts, lists of numbers and unknown fields that are no messages. They do not hide the
// bytes after them.
TEST(MessageCost, CountsBehindPartsThatAreNotMessages) {
  const auto behind = [](const Message& part) {
    Message all = part;
    all.bytes += times(1000, 1, Message()).bytes;
    return cost(Message().nested(7, all));
  };
  const std::string zeros(2, '\0'), devices = "\1\2" + zeros.substr(1);
  const Message scale = Message().text(1, "SCALE").text(2, zeros);
  EXPECT_GT(behind(Message().nested(14, Message().nested(2, scale))), 1000u * 184);
  const Message sharding = Message().nested(2, Message().text(2, devices));
  EXPECT_GT(behind(Message().nested(1, Message().nested(10, sharding))), 1000u * 184);
  const Message map = Message().nested(5, Message().text(1, zeros));
  EXPECT_GT(behind(Message().nested(11, Message().nested(2, map))), 1000u * 184);
  // The fields of an unknown group are bytes, even if they nest more messages than a message may.
  Message deep;
  for (int i = 0; i < 40; ++i) deep = Message().nested(1, Message().nested(5, Message().nested(6, deep)));
  Message group = Message().varint(99 << 3 | 3);
  group.bytes += deep.varint(99 << 3 | 4).bytes;
  EXPECT_GT(behind(group), 1000u * 184);
}

// Each number of a packed list may take only one byte of a file.
TEST(MessageCost, CountsDevicesOfShards) {
  const std::string ones(1000, '\1');
  const Message devices = Message().text(2, ones), list = Message().nested(3, Message().text(2, ones));
  for (const Message& sharding : {devices, list})
    EXPECT_GT(
        cost(Message().nested(7, Message().nested(1, Message().nested(10, Message().nested(2, sharding))))),
        1000u * sizeof(int64_t));
}

}  // namespace
}  // namespace cutset::onnx

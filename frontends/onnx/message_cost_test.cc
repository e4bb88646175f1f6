#include "frontends/onnx/message_cost.h"

#include <gtest/gtest.h>

#include "frontends/onnx/model_bytes.h"

namespace cutset::onnx {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 30;

uint64_t cost(const Message& m, uint64_t most = kMost) { return message_cost(bytes_of(m), MessageKind::kModel, most); }

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

// A group does not hide the fields behind its beginning.
TEST(MessageCost, CountsBehindGroups) {
  Message m;
  m.varint(99 << 3 | 3).nested(7, times(1000, 1, Message()));
  EXPECT_GT(cost(m), 1000u * 184);
}

}  // namespace
}  // namespace cutset::onnx

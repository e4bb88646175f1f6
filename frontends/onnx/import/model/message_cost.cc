// SPDX-License-Identifier: Apache-2.0
#include "frontends/onnx/import/model/message_cost.h"

#include <array>

namespace cutset::onnx {
namespace {

using enum MessageKind;

// The sizes of the classes that protoc makes on a 64-bit machine, rounded up, with the pointer to them and
// malloc's header.
constexpr uint64_t kMessageBytes = 280, kLeafBytes = 72, kTextBytes = 56;
// A list of numbers grows by doubling.
constexpr uint64_t kNumberBytes = 12;
constexpr int kDeepest = 100;  // the limit of the parser
constexpr size_t kKindCount = static_cast<size_t>(kKinds), kFields = 32;

struct Field {
  MessageKind parent;
  uint8_t number;
  MessageKind child;
};
// Lists the fields of onnx-ml.proto that are messages. The others are numbers, texts or bytes.
constexpr Field kMessages[] = {{kModel, 7, kGraph},
                               {kModel, 8, kLeaf},
                               {kModel, 14, kLeaf},
                               {kModel, 20, kTraining},
                               {kModel, 25, kFunction},
                               {kModel, 26, kLeaf},
                               {kGraph, 1, kNode},
                               {kGraph, 5, kTensor},
                               {kGraph, 11, kValue},
                               {kGraph, 12, kValue},
                               {kGraph, 13, kValue},
                               {kGraph, 14, kAnnotation},
                               {kGraph, 15, kSparseTensor},
                               {kGraph, 16, kLeaf},
                               {kNode, 5, kAttribute},
                               {kNode, 9, kLeaf},
                               {kNode, 10, kPlacement},
                               {kAttribute, 5, kTensor},
                               {kAttribute, 6, kGraph},
                               {kAttribute, 10, kTensor},
                               {kAttribute, 11, kGraph},
                               {kAttribute, 14, kType},
                               {kAttribute, 15, kType},
                               {kAttribute, 22, kSparseTensor},
                               {kAttribute, 23, kSparseTensor},
                               {kTensor, 3, kLeaf},
                               {kTensor, 13, kLeaf},
                               {kTensor, 16, kLeaf},
                               {kSparseTensor, 1, kTensor},
                               {kSparseTensor, 2, kTensor},
                               {kValue, 2, kType},
                               {kValue, 4, kLeaf},
                               {kType, 1, kTensorType},
                               {kType, 4, kElementType},
                               {kType, 5, kMapType},
                               {kType, 7, kLeaf},
                               {kType, 8, kTensorType},
                               {kType, 9, kElementType},
                               {kTensorType, 2, kShape},
                               {kElementType, 1, kType},
                               {kMapType, 2, kType},
                               {kShape, 1, kLeaf},
                               {kFunction, 7, kNode},
                               {kFunction, 9, kLeaf},
                               {kFunction, 11, kAttribute},
                               {kFunction, 12, kValue},
                               {kFunction, 14, kLeaf},
                               {kTraining, 1, kGraph},
                               {kTraining, 2, kGraph},
                               {kTraining, 3, kLeaf},
                               {kTraining, 4, kLeaf},
                               {kAnnotation, 2, kLeaf},
                               {kPlacement, 2, kSharding},
                               {kSharding, 3, kNumbers},
                               {kSharding, 4, kShardedSize},
                               {kShardedSize, 2, kLeaf}};

// By the kind of a message and the number of a field: the kind of message in the field, or kKinds if it has
// none.
using Table = std::array<std::array<MessageKind, kFields>, kKindCount>;
const Table& table() {
  static const Table table = [] {
    Table t;
    for (auto& row : t) row.fill(kKinds);
    for (const Field& f : kMessages) t[static_cast<size_t>(f.parent)][f.number] = f.child;
    return t;
  }();
  return table;
}

bool is_packed(MessageKind kind, uint32_t field) {
  return (kind == kTensor && (field == 1 || field == 5 || field == 7 || field == 11)) ||
         (kind == kAttribute && field == 8) || (kind == kSparseTensor && field == 3) ||
         ((kind == kSharding || kind == kNumbers) && field == 2);
}

class Reader {
 public:
  explicit Reader(uint64_t most) : most_(most) {}
  uint64_t sum() const { return sum_; }

  // Adds the fields of a message. Malformed bytes end this message, but not the messages around it, because
  // the parser does not read unknown fields as messages.
  void read(std::span<const unsigned char> bytes, MessageKind kind, int depth) {
    for (size_t at = 0; at < bytes.size() && sum_ <= most_;) {
      uint64_t key = 0, value = 0;
      if (!varint(bytes, at, key)) return;
      const uint32_t field = static_cast<uint32_t>(key) >> 3;  // the parser ignores the higher bits
      if (field == 0) return;
      switch (key & 7) {
        case 0:
          if (!varint(bytes, at, value)) return;
          sum_ += kNumberBytes;
          continue;
        case 1:
          at += 8;
          continue;
        case 2:
          if (!varint(bytes, at, value) || value > bytes.size() - at) return;
          add(bytes.subspan(at, value), kind, field, depth);
          at += value;
          continue;
        case 3:  // The fields of a group are counted as if they were fields of the message, so the sum is
                 // larger than needed.
        case 4:
          continue;
        case 5:
          at += 4;
          continue;
        default:
          return;
      }
    }
  }

 private:
  // Adds a field that is a text, bytes, numbers or a message. The parser refuses messages that are nested too
  // deeply.
  void add(std::span<const unsigned char> bytes, MessageKind kind, uint32_t field, int depth) {
    if (is_packed(kind, field)) {
      for (const unsigned char byte : bytes) sum_ += byte < 128 ? kNumberBytes : 0;
      return;
    }
    const MessageKind child = field < kFields ? table()[static_cast<size_t>(kind)][field] : kKinds;
    sum_ += child == kKinds ? kTextBytes : child == kLeaf ? kLeafBytes : kMessageBytes;
    if (child != kKinds && depth < kDeepest) read(bytes, child, depth + 1);
  }

  static bool varint(std::span<const unsigned char> bytes, size_t& at, uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at < bytes.size(); shift += 7) {
      const unsigned char byte = bytes[at++];
      value |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) return true;
    }
    return false;
  }

  uint64_t most_, sum_ = 0;
};

}  // namespace

uint64_t message_cost(std::span<const unsigned char> bytes, MessageKind kind, uint64_t most) {
  Reader reader(most);
  reader.read(bytes, kind, 0);
  return reader.sum();
}

}  // namespace cutset::onnx

// SPDX-License-Identifier: Apache-2.0
// Tests operand_ranges for the kinds of operands that ops have.
#include "ir/core/op/op_info.h"

#include <gtest/gtest.h>

namespace cutset {
namespace {

using Kind = OperandInfo::Kind;

OpInfo op_with(std::vector<OperandInfo> operands, bool segmented) {
  OpInfo op{};
  op.name = "sample";
  op.operands = std::move(operands);
  if (segmented)
    op.schema.fields.push_back({kOperandSegments, AttrKind::kI64s, 0, true, AttrValue(IntList{})});
  return op;
}

// Returns the first operand and the number of operands of each name, as text, or the error message.
std::string ranges(const OpInfo& op, size_t count, const Attributes& attributes = {}) {
  const auto found = operand_ranges(op, attributes, count);
  if (!found.ok()) return found.error().what;
  std::string text;
  for (const OperandRange& r : *found) text += std::to_string(r.first) + "+" + std::to_string(r.size) + " ";
  return text;
}

TEST(OperandRanges, FollowFromTheNumberIfOneNameIsFlexible) {
  const OpInfo fixed = op_with({{"x"}, {"y"}}, false);
  EXPECT_EQ(ranges(fixed, 2), "0+1 1+1 ");
  EXPECT_EQ(ranges(fixed, 1), "'sample' takes 2 operands, not 1");
  EXPECT_EQ(ranges(fixed, 3), "'sample' takes 2 operands, not 3");
  const OpInfo optional = op_with({{"x"}, {"bias", Kind::kOptional}}, false);
  EXPECT_EQ(ranges(optional, 1), "0+1 1+0 ");
  EXPECT_EQ(ranges(optional, 2), "0+1 1+1 ");
  EXPECT_EQ(ranges(optional, 0), "'sample' takes 1 to 2 operands, not 0");
  EXPECT_EQ(ranges(optional, 3), "'sample' takes 1 to 2 operands, not 3");
  const OpInfo variadic = op_with({{"x"}, {"parts", Kind::kVariadic}, {"y"}}, false);
  EXPECT_EQ(ranges(variadic, 5), "0+1 1+3 4+1 ");
  EXPECT_EQ(ranges(variadic, 2), "'sample' takes 3 or more operands, not 2");
  EXPECT_EQ(ranges(op_with({{"parts", Kind::kVariadic}}, false), 0),
            "'sample' takes one or more operands, not 0");
}

TEST(OperandRanges, FollowFromTheSegmentsIfSeveralAre) {
  const OpInfo op = op_with({{"x"}, {"low", Kind::kOptional}, {"parts", Kind::kVariadic}}, true);
  const auto with = [&](size_t count, IntList segments) {
    return ranges(op, count, {{kOperandSegments, std::move(segments)}});
  };
  EXPECT_EQ(with(3, {1, 1, 1}), "0+1 1+1 2+1 ");
  EXPECT_EQ(with(3, {1, 0, 2}), "0+1 1+0 1+2 ");
  EXPECT_EQ(with(4, {1, 0, 2}),
            "'sample' has 4 operands, and its 'operand_segments' add up to another number");
  EXPECT_EQ(with(3, {1, 1, 2}),
            "'sample' has 3 operands, and its 'operand_segments' add up to another number");
  EXPECT_EQ(with(3, {1, 2, 0}), "'sample' takes at most one operand 'low', not 2");
  EXPECT_EQ(with(3, {1, 1, 0}), "'sample' takes one or more operands 'parts', not 0");
  EXPECT_EQ(with(3, {0, 1, 2}), "'sample' takes one operand 'x', not 0");
  EXPECT_EQ(with(3, {1, -1, 3}), "'sample' takes at most one operand 'low', not -1");
  const int64_t huge = int64_t{1} << 62;
  EXPECT_EQ(with(3, {1, 1, huge}),
            "'sample' takes one or more operands 'parts', not " + std::to_string(huge));
  const std::string needs = "'sample' needs the attribute 'operand_segments', a list of 3 integers";
  EXPECT_EQ(with(3, {1, 2}), needs);
  EXPECT_EQ(ranges(op, 3), needs);
  EXPECT_EQ(ranges(op, 3, {{kOperandSegments, int64_t{3}}}), needs);
}

TEST(OpInfo, OnlyTheTypeOfTheLastOperandsMayBeRead) {
  const OpInfo op = op_with({{"x"}, {"like", Kind::kVariadic, true}}, false);
  EXPECT_FALSE(op.reads_type_only(0));
  EXPECT_TRUE(op.reads_type_only(1) && op.reads_type_only(7));
}

TEST(OpInfo, ViewsAndOpsThatReadOnlyTypesNeedNoKernel) {
  const OpInfo op = op_with({{"x"}, {"like", Kind::kVariadic, true}}, false);
  EXPECT_TRUE(op.needs_kernel());
  EXPECT_FALSE(op_with({{"like", Kind::kRequired, true}}, false).needs_kernel());
  OpInfo view = op;
  view.view = true;
  EXPECT_FALSE(view.needs_kernel());
}

}  // namespace
}  // namespace cutset

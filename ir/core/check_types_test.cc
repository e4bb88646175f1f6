// SPDX-License-Identifier: Apache-2.0
#include "ir/core/check_types.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/core/op/op_info.h"

namespace cutset {
namespace {

TEST(Types, ASizeOfZeroHidesNoOverflow) {
  const int64_t huge = int64_t{1} << 40;
  EXPECT_TRUE(check_type({f32, {0, 3}}).ok());
  EXPECT_TRUE(check_type({u8, {int64_t{1} << 48}}).ok());
  for (const Shape& s : {Shape{huge, huge}, Shape{0, huge, huge}, Shape{huge, 0, huge}, Shape{huge, huge, 0},
                         Shape{std::numeric_limits<int64_t>::max()}})
    EXPECT_FALSE(check_type({u8, s}).ok()) << to_string(s);
  EXPECT_FALSE(check_type({f32, {-1}}).ok());
  EXPECT_FALSE(check_type({f32, Shape(9, 1)}).ok());
}

// The ops' own rules are called only with types that exist, and return only types that can be allocated.
class InferTest : public ::testing::TestWithParam<const OpInfo*> {};

TEST_P(InferTest, TypesThatDoNotExistAreRefused) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  const Case& c = cases.fixed[0];
  auto flat = FlatAttrs::pack(op.schema, c.attributes);
  ASSERT_TRUE(flat.ok());
  Types in;
  for (const Operand& o : c.operands) in.push_back(o.type);
  ASSERT_TRUE(op.infer(flat->data(), in).ok());
  for (size_t i = 0; i < in.size(); ++i)
    for (int t : {42, -1}) {
      Types wrong = in;
      wrong[i].dtype = static_cast<DType>(t);
      EXPECT_FALSE(op.infer(flat->data(), wrong).ok()) << op.name << ", operand " << i;
    }
}

TEST_P(InferTest, SizesThatOverflowAreRefused) {
  const OpInfo& op = *GetParam();
  const OpCases cases = op.cases();
  for (const Case& c : cases.fixed) {
    auto flat = FlatAttrs::pack(op.schema, c.attributes);
    Types in;
    for (const Operand& o : c.operands) in.push_back(o.type);
    for (size_t i = 0; i < in.size(); ++i)
      for (size_t d = 0; d < in[i].shape.size(); ++d)
        for (int64_t size : {int64_t{0}, int64_t{1} << 20, int64_t{1} << 44,
                             std::numeric_limits<int64_t>::max(), int64_t{-1}}) {
          Types changed = in;
          changed[i].shape[d] = size;
          auto out = op.infer(flat->data(), changed);
          if (!out.ok()) continue;
          EXPECT_TRUE(check_types("operand", changed).ok()) << op.name << " takes " << to_string(changed[i]);
          EXPECT_TRUE(check_types("result", *out).ok()) << op.name << " gives " << to_string((*out)[0]);
          const Cost cost = op.cost(flat->data(), changed);
          EXPECT_TRUE(std::isfinite(cost.flops) && cost.flops >= 0 && cost.bytes_read >= 0 &&
                      cost.bytes_written >= 0)
              << op.name << " of " << to_string(changed[i]);
        }
  }
}
INSTANTIATE_TEST_SUITE_P(All, InferTest,
                         ::testing::ValuesIn(std::vector<const OpInfo*>(all_ops().begin(), all_ops().end())),
                         [](const auto& info) { return std::string(info.param->name); });

TEST(Types, AProductThatIsTooLargeIsRefused) {
  auto infer = [](const char* name, const Attributes& attributes, const Types& in) {
    const OpInfo& op = *find_op(name);
    return op.infer(FlatAttrs::pack(op.schema, attributes)->data(), in).ok();
  };
  const int64_t m = int64_t{1} << 40;
  EXPECT_FALSE(infer("matmul", {}, {{f32, {m, 1}}, {f32, {1, m}}}));
  EXPECT_FALSE(infer("matmul", {}, {{f32, {m, 1, 1, 1}}, {f32, {m, 1, 1}}}));
  EXPECT_FALSE(infer("add", {}, {{f32, {m, 1}}, {f32, {1, m}}}));
  EXPECT_FALSE(infer("one_hot", {{"depth", m}, {"dtype", f32}}, {{i32, {m}}}));
  // A dilated filter whose size exceeds 64 bits does not fit.
  const std::vector<int64_t> dilation = {(1 << 20) - 1, 1};
  EXPECT_FALSE(
      infer("conv", {{"dilation", dilation}}, {{f32, {1, 1, 9, 9}}, {f32, {1, 1, int64_t{1} << 45, 1}}}));
}

}  // namespace
}  // namespace cutset

// SPDX-License-Identifier: Apache-2.0
// Tests sums of many f32 numbers on every kind of device. The errors of the kernels must not grow with the
// number of terms. With one addition after the other in f32, the sum of 2^16 times 0.1 is off by 1e-4, and
// the sum of 2^25 ones is 2^24. The results are compared with the op in f64 for the same operands.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/kernels/run_reference.h"
#include "tests/conformance/on_device.h"

namespace cutset::testing {
namespace {

constexpr int64_t kMany = 1 << 16;

// An op on operands of these types.
struct LongSum {
  const char *name, *op;
  Attributes attributes;
  Types types;
  double share = 4e-6;  // the largest error, as a share of the largest result
};

const std::vector<LongSum>& long_sums() {
  static const IntList image = {256, 256}, none = {0, 0}, axis_0 = {0}, axis_1 = {1},
                       outer_and_inner = {0, 2};
  static const std::vector<LongSum> all = {
      {"line", "reduce_sum", {}, {{f32, {kMany + 7}}}},
      {"columns", "reduce_sum", {{"axes", axis_0}}, {{f32, {kMany, 3}}}},
      {"middle", "reduce_sum", {{"axes", axis_1}}, {{f32, {2, kMany, 3}}}},
      {"short_lines", "reduce_sum", {{"axes", outer_and_inner}}, {{f32, {kMany, 2, 3}}}},
      {"many_lines", "reduce_sum", {{"axes", axis_1}}, {{f32, {3, kMany}}}},
      {"bias", "sum_to_size", {}, {{f32, {kMany, 3}}, {f32, {3}}}},
      {"cumulative", "cumsum", {}, {{f32, {2, kMany}}}},
      {"cumulative_from_the_end",
       "cumsum",
       {{"axis", int64_t{0}}, {"exclusive", true}, {"reverse", true}},
       {{f32, {kMany, 2}}}},
      {"exponentials", "softmax", {{"axis", int64_t{-1}}}, {{f32, {1, kMany}}}},
      {"columns_of_exponentials", "log_softmax", {{"axis", int64_t{0}}}, {{f32, {kMany, 2}}}},
      {"softmax_backward", "softmax_backward", {}, {{f32, {2, kMany}}, {f32, {2, kMany}}}},
      {"log_softmax_backward", "log_softmax_backward", {}, {{f32, {2, kMany}}, {f32, {2, kMany}}}},
      {"cross_entropy", "softmax_cross_entropy", {}, {{f32, {1, kMany}}, {i64, {1}}}},
      {"cross_entropy_backward",
       "softmax_cross_entropy_backward",
       {},
       {{f32, {1}}, {f32, {1, kMany}}, {i32, {1}}}},
      {"statistics", "layer_norm", {}, {{f32, {1, kMany}}, {f32, {kMany}}}},
      {"layer_norm_backward_input",
       "layer_norm_backward_input",
       {},
       {{f32, {1, kMany}}, {f32, {1, kMany}}, {f32, {kMany}}},
       2e-5},  // a difference of sums
      {"layer_norm_backward_scale", "layer_norm_backward_scale", {}, {{f32, {kMany, 3}}, {f32, {kMany, 3}}}},
      {"channels",
       "batch_norm_backward_scale",
       {},
       {{f32, {kMany / 4, 2, 4}}, {f32, {kMany / 4, 2, 4}}, {f32, {2}}, {f32, {2}}}},
      {"deviations", "sum_squared_deviations", {}, {{f32, {kMany / 4, 2, 4}}, {f32, {2}}}},
      {"narrow_product", "matmul", {}, {{f32, {2, kMany}}, {f32, {kMany, 3}}}},
      {"product", "matmul", {}, {{f32, {2, kMany}}, {f32, {kMany, 20}}}},
      {"transposed_product",
       "matmul",
       {{"transpose_x", true}, {"transpose_y", true}},
       {{f32, {kMany, 2}}, {f32, {3, kMany}}}},
      {"product_and_bias", "fused_matmul", {}, {{f32, {2, kMany}}, {f32, {kMany, 20}}, {f32, {20}}}},
      {"filter",
       "conv_backward_filter",
       {},
       {{f32, {64, 1, 32, 32}}, {f32, {64, 1, 32, 32}}, {f32, {1, 1, 1, 1}}}},
      {"window",
       "avg_pool",
       {{"kernel", image}, {"stride", image}, {"padding", none}},
       {{f32, {1, 1, 256, 256}}}},
      {"halves", "reduce_sum", {{"axes", axis_0}}, {{bf16, {kMany, 3}}}, 0x1p-8},
  };
  return all;
}

// Returns operands whose elements are 0.1, 0.2 and 0.3 in turn. Integers are 0.
std::vector<HostTensor> operands_of(const LongSum& s) {
  std::vector<HostTensor> in;
  for (const TensorType& type : s.types) {
    HostTensor& t = in.emplace_back(type);
    const auto shift = static_cast<int64_t>(in.size());
    for (int64_t i = 0; is_float(type.dtype) && i < t.elements(); ++i)
      t.set(i, 0.1 * static_cast<double>((i + shift) % 3 + 1));
  }
  return in;
}

class LongSums : public ::testing::TestWithParam<std::string> {};

TEST_P(LongSums, KeepTheirDigits) {
  const auto device = open_device(GetParam());
  for (const LongSum& s : long_sums()) {
    const OpInfo& op = *find_op(s.op);
    Case c{s.name, s.attributes, {}};
    for (const TensorType& type : s.types) c.operands.push_back({type});
    const std::vector<HostTensor> in = operands_of(s);
    const auto want = run_reference_kernel(op, s.attributes, in, /*wide=*/true);
    ASSERT_TRUE(want.ok()) << s.name << ": " << want.error().text();
    std::string kernel;
    const auto got = run_on(*device, op, c, in, &kernel);
    ASSERT_TRUE(got.ok()) << s.name << ": " << got.error().text();
    // oneDNN adds blocks of several hundred products.
    const bool by_onednn = kernel.ends_with(".onednn");
    const double share = by_onednn ? 3e-5 : s.share;
    double largest = 0;
    for (int64_t i = 0; i < (*want)[0].elements(); ++i)
      largest = std::max(largest, std::fabs((*want)[0].at(i)));
    int64_t wrong = 0;
    for (int64_t i = 0; i < (*want)[0].elements(); ++i) {
      const double expected = (*want)[0].at(i), element = (*got)[0].at(i);
      if (std::fabs(element - expected) <= share * largest) continue;
      if (++wrong == 1)
        ADD_FAILURE() << kernel << ", " << s.name << ": element " << i << " is " << element << ", not "
                      << expected;
    }
    EXPECT_EQ(wrong, 0) << s.name;
  }
}
INSTANTIATE_TEST_SUITE_P(All, LongSums, ::testing::ValuesIn(kinds_here()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace cutset::testing

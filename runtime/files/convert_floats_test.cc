// SPDX-License-Identifier: Apache-2.0
#include "runtime/files/convert_floats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cutset {
namespace {

TEST(ConvertFloats, KeepsTheValuesOfSixteenBits) {
  HostTensor half({DType::f16, {4}}), brain({DType::bf16, {4}});
  const double values[] = {1.5, -0.25, 0, 1024};
  for (int i = 0; i < 4; ++i) {
    half.set(i, values[i]);
    brain.set(i, values[i]);
  }
  for (const HostTensor& from : {half, brain})
    for (const DType to : {DType::f32, DType::f64}) {
      ASSERT_TRUE(can_convert_floats(from.dtype(), to));
      const HostTensor made = *converted_floats(from, to);
      EXPECT_EQ(made.type(), (TensorType{to, {4}}));
      for (int i = 0; i < 4; ++i) EXPECT_EQ(made.at(i), values[i]);
    }
}

TEST(ConvertFloats, RoundsF64AndRefusesWhatF32CannotHold) {
  const HostTensor wide(Shape{3}, {0.1, -HUGE_VAL, 3.0});
  const HostTensor made = *converted_floats(wide, DType::f32);
  EXPECT_EQ(made, HostTensor(Shape{3}, {0.1f, -INFINITY, 3.0f}));
  EXPECT_EQ(converted_floats(made, DType::f64)->at(0), static_cast<double>(0.1f));
  EXPECT_THAT(converted_floats(HostTensor(Shape{2}, {1.0, 1e39}), DType::f32).error().what,
              ::testing::StartsWith("element 1 is 1e+39, which"));
}

TEST(ConvertFloats, RoundsToNoSixteenBits) {
  EXPECT_FALSE(can_convert_floats(DType::f32, DType::f16));
  EXPECT_FALSE(can_convert_floats(DType::f16, DType::bf16));
  EXPECT_FALSE(can_convert_floats(DType::i32, DType::f32));
  EXPECT_FALSE(can_convert_floats(DType::f32, DType::f32));
}

}  // namespace
}  // namespace cutset

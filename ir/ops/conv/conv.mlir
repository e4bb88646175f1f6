// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4x9x7xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x5x4xf32> {
  // CHECK: cutset.conv %{{.*}}, %{{.*}}, %{{.*}} <{groups = 2 : i64, padding = array<i64: 1, 1>, stride = array<i64: 2, 2>}> id 7 : tensor<2x4x9x7xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  %y = cutset.conv %x, %w, %b <{stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, groups = 2 : i64}> id 7 : tensor<2x4x9x7xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  return %y : tensor<2x6x5x4xf32>
}
// CHECK-LABEL: @one_and_three_axes
func.func @one_and_three_axes(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>, %v: tensor<2x3x5x6x7xf32>, %f: tensor<4x3x3x2x4xf32>) -> (tensor<2x6x6xf32>, tensor<2x4x4x5x2xf32>) {
  // CHECK: cutset.conv %{{.*}}, %{{.*}} <{groups = 2 : i64, padding = array<i64: 1, 3>, stride = array<i64: 2>}>
  %y = cutset.conv %x, %w <{stride = array<i64: 2>, padding = array<i64: 1, 3>, groups = 2 : i64}> : tensor<2x4x9xf32>, tensor<6x2x3xf32>
  %z = cutset.conv %v, %f <{stride = array<i64: 1, 1, 2>, padding = array<i64: 1, 0, 0, 0, 0, 0>}> : tensor<2x3x5x6x7xf32>, tensor<4x3x3x2x4xf32>
  return %y, %z : tensor<2x6x6xf32>, tensor<2x4x4x5x2xf32>
}
// -----
func.func @c1_rank(%x: tensor<4x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C1: x has rank 3 and filter has rank 4; both must have the same rank, from 3 to 5}}
  %y = cutset.conv %x, %w : tensor<4x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<1x2x9x7xf32>, %w: tensor<6x2x3x3xi32>) {
  // expected-error@+1 {{C1: x is 1x2x9x7xf32 and filter is 6x2x3x3xi32}}
  %y = cutset.conv %x, %w : tensor<1x2x9x7xf32>, tensor<6x2x3x3xi32>
  return
}
// -----
func.func @c2(%x: tensor<1x2x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: stride and dilation must have one positive number for each of the 2 axes, and padding one or two numbers that are not negative, all below 2^20; stride is [0, 1], dilation [] and padding []}}
  %y = cutset.conv %x, %w <{stride = array<i64: 0, 1>}> : tensor<1x2x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c3(%x: tensor<1x3x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C3: 3 input channels, 1 groups and a filter of 6 output by 2 input channels do not fit}}
  %y = cutset.conv %x, %w : tensor<1x3x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c4(%x: tensor<1x2x2x2xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C4: a filter of 3x3 does not fit an image of 2x2}}
  %y = cutset.conv %x, %w : tensor<1x2x2x2xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c4_the_product_of_filter_and_dilation_is_beyond_64_bits(%x: tensor<1x1x9x9xf32>, %w: tensor<1x1x70368744177664x1xf32>) {
  // expected-error@+1 {{C4: a filter of 70368744177664x1 does not fit an image of 9x9}}
  %y = cutset.conv %x, %w <{dilation = array<i64: 1048575, 1>}> : tensor<1x1x9x9xf32>, tensor<1x1x70368744177664x1xf32>
  return
}
// -----
func.func @c5(%x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{C5: the bias is 5xf32, not 6xf32}}
  %y = cutset.conv %x, %w, %b : tensor<1x2x9x9xf32>, tensor<6x2x3x3xf32>, tensor<5xf32>
  return
}
// -----
func.func @c1_rank_6(%x: tensor<1x2x9x7x5x3xf32>, %w: tensor<6x2x3x3x3x3xf32>) {
  // expected-error@+1 {{C1: x has rank 6 and filter has rank 6; both must have the same rank, from 3 to 5}}
  %y = cutset.conv %x, %w : tensor<1x2x9x7x5x3xf32>, tensor<6x2x3x3x3x3xf32>
  return
}
// -----
func.func @c2_padding(%x: tensor<1x2x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: stride and dilation must have one positive number for each of the 2 axes, and padding one or two numbers that are not negative, all below 2^20; stride is [], dilation [] and padding [1, 1, 1]}}
  %y = cutset.conv %x, %w <{padding = array<i64: 1, 1, 1>}> : tensor<1x2x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c3_groups(%x: tensor<1x2x9xf32>, %w: tensor<6x2x3xf32>) {
  // expected-error@+1 {{C3: 2 input channels, 0 groups and a filter of 6 output by 2 input channels do not fit}}
  %y = cutset.conv %x, %w <{groups = 0 : i64}> : tensor<1x2x9xf32>, tensor<6x2x3xf32>
  return
}
// -----
func.func @c4_depth(%x: tensor<1x2x2x4x4xf32>, %w: tensor<6x2x3x3x3xf32>) {
  // expected-error@+1 {{C4: a filter of 3x3x3 does not fit an image of 2x4x4}}
  %y = cutset.conv %x, %w : tensor<1x2x2x4x4xf32>, tensor<6x2x3x3x3xf32>
  return
}

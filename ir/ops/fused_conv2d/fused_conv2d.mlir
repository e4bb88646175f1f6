// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4x9x7xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x5x4xf32> {
  // CHECK: cutset.fused_conv2d %{{.*}}, %{{.*}}, %{{.*}} <{groups = 2 : i64, padding = array<i64: 1, 1>, stride = array<i64: 2, 2>}> id 7 : tensor<2x4x9x7xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  %y = cutset.fused_conv2d %x, %w, %b <{stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, groups = 2 : i64}> id 7 : tensor<2x4x9x7xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>
  return %y : tensor<2x6x5x4xf32>
}
// -----
func.func @c1_rank(%x: tensor<4x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C1: x has rank 3 and filter has rank 4; both must have rank 4}}
  %y = cutset.fused_conv2d %x, %w : tensor<4x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<1x2x9x7xf32>, %w: tensor<6x2x3x3xi32>) {
  // expected-error@+1 {{C1: x is 1x2x9x7xf32 and filter is 6x2x3x3xi32}}
  %y = cutset.fused_conv2d %x, %w : tensor<1x2x9x7xf32>, tensor<6x2x3x3xi32>
  return
}
// -----
func.func @c2(%x: tensor<1x2x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: stride and dilation must be two positive numbers each, padding must be two numbers that are not negative, all below 2^20, and groups must be positive; stride is [0, 1], dilation [1, 1], padding [0, 0] and groups 1}}
  %y = cutset.fused_conv2d %x, %w <{stride = array<i64: 0, 1>}> : tensor<1x2x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c3(%x: tensor<1x3x9x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C3: 3 input channels, 1 groups and a filter of 6 output by 2 input channels do not fit}}
  %y = cutset.fused_conv2d %x, %w : tensor<1x3x9x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c4(%x: tensor<1x2x2x2xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C4: a filter of 3x3 does not fit an image of 2x2}}
  %y = cutset.fused_conv2d %x, %w : tensor<1x2x2x2xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c4_the_product_of_filter_and_dilation_is_beyond_64_bits(%x: tensor<1x1x9x9xf32>, %w: tensor<1x1x70368744177664x1xf32>) {
  // expected-error@+1 {{C4: a filter of 70368744177664x1 does not fit an image of 9x9}}
  %y = cutset.fused_conv2d %x, %w <{dilation = array<i64: 1048575, 1>}> : tensor<1x1x9x9xf32>, tensor<1x1x70368744177664x1xf32>
  return
}
// -----
func.func @c5(%x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{C5: the bias is 5xf32, not 6xf32}}
  %y = cutset.fused_conv2d %x, %w, %b : tensor<1x2x9x9xf32>, tensor<6x2x3x3xf32>, tensor<5xf32>
  return
}

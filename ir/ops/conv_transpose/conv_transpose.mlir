// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xf32>, %like: tensor<1x2x9x9xf32>) -> (tensor<1x2x9x9xf32>, tensor<1x2x16x15xf32>) {
  // CHECK: cutset.conv_transpose
  %y = cutset.conv_transpose %x, %w, %like : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>, tensor<1x2x9x9xf32>
  // CHECK: cutset.conv_transpose %{{.*}}, %{{.*}} <{output_padding = array<i64: 1, 0>, stride = array<i64: 2, 2>}>
  %z = cutset.conv_transpose %x, %w <{stride = array<i64: 2, 2>, output_padding = array<i64: 1, 0>}> : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>
  return %y, %z : tensor<1x2x9x9xf32>, tensor<1x2x16x15xf32>
}
// CHECK-LABEL: @one_and_three_axes
func.func @one_and_three_axes(%x: tensor<2x6x7xf32>, %w: tensor<6x2x3xf32>, %v: tensor<2x6x3x4x5xf32>, %f: tensor<6x2x3x2x1xf32>) -> (tensor<2x4x18xf32>, tensor<2x2x5x5x5xf32>) {
  %y = cutset.conv_transpose %x, %w <{stride = array<i64: 3>, padding = array<i64: 1, 2>, groups = 2 : i64}> : tensor<2x6x7xf32>, tensor<6x2x3xf32>
  %z = cutset.conv_transpose %v, %f : tensor<2x6x3x4x5xf32>, tensor<6x2x3x2x1xf32>
  return %y, %z : tensor<2x4x18xf32>, tensor<2x2x5x5x5xf32>
}
// -----
func.func @c1_rank(%x: tensor<6x7x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C1: x has rank 3 and filter has rank 4; both must have the same rank, from 3 to 5}}
  %y = cutset.conv_transpose %x, %w : tensor<6x7x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xi32>, %like: tensor<1x2x9x9xf32>) {
  // expected-error@+1 {{C1: x is 1x6x7x7xf32 and filter is 6x2x3x3xi32; both must have the same floating-point type}}
  %y = cutset.conv_transpose %x, %w, %like : tensor<1x6x7x7xf32>, tensor<6x2x3x3xi32>, tensor<1x2x9x9xf32>
  return
}
// -----
func.func @c2(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: stride and dilation must have one positive number for each of the 2 axes, and padding one or two numbers that are not negative, all below 2^20; stride is [], dilation [0, 1] and padding []}}
  %y = cutset.conv_transpose %x, %w <{dilation = array<i64: 0, 1>}> : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c3(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C3: output_padding must have one number for each of the 2 axes, from 0 to the stride - 1; it is [2, 0]}}
  %y = cutset.conv_transpose %x, %w <{stride = array<i64: 2, 2>, output_padding = array<i64: 2, 0>}> : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c3_like(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xf32>, %like: tensor<1x2x9x9xf32>) {
  // expected-error@+1 {{C3: output_padding must be empty if there is a `like`, which has the shape of the result}}
  %y = cutset.conv_transpose %x, %w, %like <{output_padding = array<i64: 0, 0>}> : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>, tensor<1x2x9x9xf32>
  return
}
// -----
func.func @c4(%x: tensor<1x6x2x2xf32>, %w: tensor<6x2x1x1xf32>) {
  // expected-error@+1 {{C4: the padding is larger than the result, of which -2 elements would be left}}
  %y = cutset.conv_transpose %x, %w <{padding = array<i64: 0, 2>}> : tensor<1x6x2x2xf32>, tensor<6x2x1x1xf32>
  return
}
// -----
func.func @c5_channels(%x: tensor<1x6x7x7xf32>, %w: tensor<6x2x3x3xf32>, %like: tensor<1x3x9x9xf32>) {
  // expected-error@+1 {{C3: 3 input channels}}
  %y = cutset.conv_transpose %x, %w, %like : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>, tensor<1x3x9x9xf32>
  return
}
// -----
func.func @c5(%x: tensor<1x6x7x6xf32>, %w: tensor<6x2x3x3xf32>, %like: tensor<1x2x9x9xf32>) {
  // expected-error@+1 {{C5: x is 1x6x7x6xf32, but conv of the result has the type 1x6x7x7xf32}}
  %y = cutset.conv_transpose %x, %w, %like : tensor<1x6x7x6xf32>, tensor<6x2x3x3xf32>, tensor<1x2x9x9xf32>
  return
}
// -----
func.func @c5_filters(%x: tensor<1x5x7x7xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C5: x is 1x5x7x7xf32, but conv of the result has the type 1x6x7x7xf32}}
  %y = cutset.conv_transpose %x, %w : tensor<1x5x7x7xf32>, tensor<6x2x3x3xf32>
  return
}

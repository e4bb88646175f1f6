// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%g: tensor<1x6x7x7xf32>, %x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<6x2x3x3xf32> {
  // CHECK: cutset.conv_backward_filter
  %d = cutset.conv_backward_filter %g, %x, %w : tensor<1x6x7x7xf32>, tensor<1x2x9x9xf32>, tensor<6x2x3x3xf32>
  return %d : tensor<6x2x3x3xf32>
}
// CHECK-LABEL: @three_axes
func.func @three_axes(%g: tensor<2x4x3x5x4xf32>, %x: tensor<2x3x5x6x7xf32>, %w: tensor<4x3x3x2x4xf32>) -> tensor<4x3x3x2x4xf32> {
  // CHECK: cutset.conv_backward_filter
  %d = cutset.conv_backward_filter %g, %x, %w : tensor<2x4x3x5x4xf32>, tensor<2x3x5x6x7xf32>, tensor<4x3x3x2x4xf32>
  return %d : tensor<4x3x3x2x4xf32>
}
// -----
func.func @c1(%g: tensor<1x6x7x7xf32>, %x: tensor<1x3x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C3: 3 input channels}}
  %d = cutset.conv_backward_filter %g, %x, %w : tensor<1x6x7x7xf32>, tensor<1x3x9x9xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c2(%g: tensor<1x6x7x6xf32>, %x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: the gradient is 1x6x7x6xf32, but the result of conv is 1x6x7x7xf32}}
  %d = cutset.conv_backward_filter %g, %x, %w : tensor<1x6x7x6xf32>, tensor<1x2x9x9xf32>, tensor<6x2x3x3xf32>
  return
}
// -----
func.func @c1_type(%g: tensor<1x6x7x7xf32>, %x: tensor<1x2x9x9xi32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C1: x is 1x2x9x9xi32 and like is 6x2x3x3xf32; both must have the same floating-point type}}
  %d = cutset.conv_backward_filter %g, %x, %w : tensor<1x6x7x7xf32>, tensor<1x2x9x9xi32>, tensor<6x2x3x3xf32>
  return
}

// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%g: tensor<1x6x7x7xf32>, %x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>) -> tensor<1x2x9x9xf32> {
  // CHECK: cutset.conv2d_backward_input
  %d = cutset.conv2d_backward_input %g, %w, %x : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>, tensor<1x2x9x9xf32>
  return %d : tensor<1x2x9x9xf32>
}
// -----
func.func @c1(%g: tensor<1x6x7x7xf32>, %x: tensor<1x3x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C3: 3 input channels}}
  %d = cutset.conv2d_backward_input %g, %w, %x : tensor<1x6x7x7xf32>, tensor<6x2x3x3xf32>, tensor<1x3x9x9xf32>
  return
}
// -----
func.func @c2(%g: tensor<1x6x7x6xf32>, %x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xf32>) {
  // expected-error@+1 {{C2: the gradient is 1x6x7x6xf32, but the result of conv2d is 1x6x7x7xf32}}
  %d = cutset.conv2d_backward_input %g, %w, %x : tensor<1x6x7x6xf32>, tensor<6x2x3x3xf32>, tensor<1x2x9x9xf32>
  return
}
// -----
func.func @c1_type(%g: tensor<1x6x7x7xf32>, %x: tensor<1x2x9x9xf32>, %w: tensor<6x2x3x3xi32>) {
  // expected-error@+1 {{C1: filter is 6x2x3x3xi32 and like is 1x2x9x9xf32; both must have the same floating-point type}}
  %d = cutset.conv2d_backward_input %g, %w, %x : tensor<1x6x7x7xf32>, tensor<6x2x3x3xi32>, tensor<1x2x9x9xf32>
  return
}

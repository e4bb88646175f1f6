// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x13x13xf32>) -> tensor<2x3x6x6xf32> {
  // CHECK: cutset.max_pool2d
  %y = cutset.max_pool2d %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x13x13xf32>
  return %y : tensor<2x3x6x6xf32>
}
// -----
func.func @c1(%x: tensor<3x13x13xf32>) {
  // expected-error@+1 {{C1: x has rank 3, not 4}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<3x13x13xf32>
  return
}
// -----
func.func @c2(%x: tensor<2x3x13x13xf32>) {
  // expected-error@+1 {{C2: kernel and stride must be two positive numbers each, below 2^20, and padding two numbers, at most half of the kernel; kernel is [2, 2], stride [2, 2] and padding [2, 2]}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 2, 2>}> : tensor<2x3x13x13xf32>
  return
}
// -----
func.func @c3(%x: tensor<2x3x2x2xf32>) {
  // expected-error@+1 {{C3: a window of 3x3 does not fit an image of 2x2}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x2x2xf32>
  return
}
// -----
func.func @c4(%g: tensor<2x3x5x5xf32>, %x: tensor<2x3x12x12xf32>) {
  // expected-error@+1 {{C4: the gradient is 2x3x5x5xf32, but the result of max_pool2d is 2x3x6x6xf32}}
  %y = cutset.max_pool2d_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}> : tensor<2x3x5x5xf32>, tensor<2x3x12x12xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<2x3x13x13xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x13x13xi32>
  return
}
// -----
func.func @c3_no_rows(%x: tensor<1x1x0x4xf32>) {
  // expected-error@+1 {{C3: an image of 0x4 has no pixels}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x0x4xf32>
  return
}
// -----
func.func @c3_no_columns(%x: tensor<1x1x4x0xf32>) {
  // expected-error@+1 {{C3: an image of 4x0 has no pixels}}
  %y = cutset.max_pool2d %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x4x0xf32>
  return
}
// -----
func.func @backward_c3(%g: tensor<1x1x1x3xf32>, %x: tensor<1x1x0x4xf32>) {
  // expected-error@+1 {{C3: an image of 0x4 has no pixels}}
  %y = cutset.max_pool2d_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x1x3xf32>, tensor<1x1x0x4xf32>
  return
}

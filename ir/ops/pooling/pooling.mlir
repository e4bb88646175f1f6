// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x13x13xf32>) -> tensor<2x3x6x6xf32> {
  // CHECK: cutset.max_pool
  %y = cutset.max_pool %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x13x13xf32>
  return %y : tensor<2x3x6x6xf32>
}
// CHECK-LABEL: @one_and_three_axes
func.func @one_and_three_axes(%x: tensor<2x3x13xi8>, %v: tensor<2x3x5x6x7xf32>) -> (tensor<2x3x7xi8>, tensor<2x3x2x3x3xi64>) {
  // CHECK: cutset.max_pool %{{.*}} <{ceil_mode = true, kernel = array<i64: 2>}>
  %y = cutset.max_pool %x <{kernel = array<i64: 2>, ceil_mode = true}> : tensor<2x3x13xi8>
  %i = cutset.max_pool_indices %v <{kernel = array<i64: 2, 2, 1>, padding = array<i64: 0, 0, 0, 0, 1, 0>, stride = array<i64: 2, 2, 3>, dilation = array<i64: 2, 1, 1>}> : tensor<2x3x5x6x7xf32>
  return %y, %i : tensor<2x3x7xi8>, tensor<2x3x2x3x3xi64>
}
// -----
func.func @c1(%x: tensor<13x13xf32>) {
  // expected-error@+1 {{C1: x has rank 2, which is not from 3 to 5}}
  %y = cutset.max_pool %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<13x13xf32>
  return
}
// -----
func.func @c2(%x: tensor<2x3x13x13xf32>) {
  // expected-error@+1 {{C2: kernel must have one positive number below 2^20 for each of the 2 axes; kernel is [0, 2]}}
  %y = cutset.max_pool %x <{kernel = array<i64: 0, 2>}> : tensor<2x3x13x13xf32>
  return
}
// -----
func.func @c2_stride(%x: tensor<2x3x13xf32>) {
  // expected-error@+1 {{C2: stride and dilation must have one positive number for each of the 1 axes, and padding one or two numbers that are not negative, all below 2^20; stride is [2, 2], dilation [] and padding []}}
  %y = cutset.max_pool %x <{kernel = array<i64: 2>, stride = array<i64: 2, 2>}> : tensor<2x3x13xf32>
  return
}
// -----
func.func @c3_padding(%x: tensor<2x3x13x13xf32>) {
  // expected-error@+1 {{C3: a window that covers 2 elements along an axis does not fit a padding of 2}}
  %y = cutset.max_pool %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 2>}> : tensor<2x3x13x13xf32>
  return
}
// -----
func.func @c3(%x: tensor<2x3x2x2xf32>) {
  // expected-error@+1 {{C3: a window of 3x3 does not fit an image of 2x2}}
  %y = cutset.max_pool %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x2x2xf32>
  return
}
// -----
func.func @c4(%g: tensor<2x3x5x5xf32>, %x: tensor<2x3x12x12xf32>) {
  // expected-error@+1 {{C4: the gradient is 2x3x5x5xf32, but the result of max_pool is 2x3x6x6xf32}}
  %y = cutset.max_pool_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>}> : tensor<2x3x5x5xf32>, tensor<2x3x12x12xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<2x3x13x13xi1>) {
  // expected-error@+1 {{C1: x is 2x3x13x13xi1, but there is no maximum of i1}}
  %y = cutset.max_pool %x <{kernel = array<i64: 3, 3>, stride = array<i64: 2, 2>}> : tensor<2x3x13x13xi1>
  return
}
// -----
func.func @backward_c1_type(%g: tensor<2x3x6x6xi32>, %x: tensor<2x3x12x12xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %y = cutset.max_pool_backward %g, %x <{kernel = array<i64: 2, 2>}> : tensor<2x3x6x6xi32>, tensor<2x3x12x12xi32>
  return
}
// -----
func.func @indices_c1(%x: tensor<13x13xf32>) {
  // expected-error@+1 {{C1: x has rank 2, which is not from 3 to 5}}
  %y = cutset.max_pool_indices %x <{kernel = array<i64: 3, 3>}> : tensor<13x13xf32>
  return
}
// -----
func.func @c3_no_rows(%x: tensor<1x1x0x4xf32>) {
  // expected-error@+1 {{C3: an image of 0x4 has no pixels}}
  %y = cutset.max_pool %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x0x4xf32>
  return
}
// -----
func.func @c3_no_columns(%x: tensor<1x1x4x0xf32>) {
  // expected-error@+1 {{C3: an image of 4x0 has no pixels}}
  %y = cutset.max_pool %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x4x0xf32>
  return
}
// -----
func.func @backward_c3(%g: tensor<1x1x1x3xf32>, %x: tensor<1x1x0x4xf32>) {
  // expected-error@+1 {{C3: an image of 0x4 has no pixels}}
  %y = cutset.max_pool_backward %g, %x <{kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>}> : tensor<1x1x1x3xf32>, tensor<1x1x0x4xf32>
  return
}

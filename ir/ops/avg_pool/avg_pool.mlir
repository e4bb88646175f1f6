// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x13x12xf32>, %line: tensor<2x3x7xf32>) -> (tensor<2x3x7x6xf32>, tensor<2x3x4xf32>) {
  // CHECK: cutset.avg_pool %{{.*}} <{ceil_mode = true, count_include_pad = false, kernel = array<i64: 2, 2>}>
  %y = cutset.avg_pool %x <{kernel = array<i64: 2, 2>, ceil_mode = true, count_include_pad = false}> : tensor<2x3x13x12xf32>
  %z = cutset.avg_pool %line <{kernel = array<i64: 2>, padding = array<i64: 0, 1>, divisor_override = 3 : i64}> : tensor<2x3x7xf32>
  return %y, %z : tensor<2x3x7x6xf32>, tensor<2x3x4xf32>
}
// CHECK-LABEL: @backward
func.func @backward(%g: tensor<2x3x2x3x1xf32>, %x: tensor<2x3x4x6x3xf32>) -> tensor<2x3x4x6x3xf32> {
  // CHECK: cutset.avg_pool_backward
  %d = cutset.avg_pool_backward %g, %x <{kernel = array<i64: 2, 2, 3>}> : tensor<2x3x2x3x1xf32>, tensor<2x3x4x6x3xf32>
  return %d : tensor<2x3x4x6x3xf32>
}
// -----
func.func @c1(%x: tensor<13x13xf32>) {
  // expected-error@+1 {{C1: x has rank 2, which is not from 3 to 5}}
  %y = cutset.avg_pool %x <{kernel = array<i64: 3, 3>}> : tensor<13x13xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<2x3x13xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %y = cutset.avg_pool %x <{kernel = array<i64: 3>}> : tensor<2x3x13xi32>
  return
}
// -----
func.func @c2(%x: tensor<2x3x13x13xf32>) {
  // expected-error@+1 {{C2: kernel must have one positive number below 2^20 for each of the 2 axes; kernel is [2]}}
  %y = cutset.avg_pool %x <{kernel = array<i64: 2>}> : tensor<2x3x13x13xf32>
  return
}
// -----
func.func @c3(%x: tensor<2x3x2x2xf32>) {
  // expected-error@+1 {{C3: a window of 3x3 does not fit an image of 2x2}}
  %y = cutset.avg_pool %x <{kernel = array<i64: 3, 3>}> : tensor<2x3x2x2xf32>
  return
}
// -----
func.func @c4(%x: tensor<2x3x4x4xf32>) {
  // expected-error@+1 {{C4: divisor_override is -1, which is negative}}
  %y = cutset.avg_pool %x <{kernel = array<i64: 2, 2>, divisor_override = -1 : i64}> : tensor<2x3x4x4xf32>
  return
}
// -----
func.func @c5(%g: tensor<2x3x2x3xf32>, %x: tensor<2x3x4x4xf32>) {
  // expected-error@+1 {{C5: the gradient is 2x3x2x3xf32, but the result of avg_pool is 2x3x2x2xf32}}
  %y = cutset.avg_pool_backward %g, %x <{kernel = array<i64: 2, 2>}> : tensor<2x3x2x3xf32>, tensor<2x3x4x4xf32>
  return
}

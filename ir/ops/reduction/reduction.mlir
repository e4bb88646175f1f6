// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x4xf32>, %i: tensor<5x6xi64>, %f: tensor<7xi1>) -> (tensor<2x1x4xf32>, tensor<f32>, tensor<6xi64>, tensor<1xi1>) {
  // CHECK: cutset.reduce_sum
  %a = cutset.reduce_sum %x <{axes = array<i64: -2>, keepdims = true}> : tensor<2x3x4xf32>
  // CHECK: cutset.reduce_max
  %b = cutset.reduce_max %x : tensor<2x3x4xf32>
  // CHECK: cutset.reduce_prod
  %c = cutset.reduce_prod %i <{axes = array<i64: 0>}> : tensor<5x6xi64>
  // CHECK: cutset.reduce_min
  %d = cutset.reduce_min %f <{keepdims = true}> : tensor<7xi1>
  return %a, %b, %c, %d : tensor<2x1x4xf32>, tensor<f32>, tensor<6xi64>, tensor<1xi1>
}
// -----
func.func @c1(%x: tensor<2xi1>) {
  // expected-error@+1 {{C1: needs a numeric type, not i1}}
  %a = cutset.reduce_sum %x : tensor<2xi1>
  return
}
// -----
func.func @c2_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: axis 2 is not a dimension of [2, 3]}}
  %a = cutset.reduce_sum %x <{axes = array<i64: 2>}> : tensor<2x3xf32>
  return
}
// -----
func.func @c2_twice(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: axis -1 is named twice}}
  %a = cutset.reduce_max %x <{axes = array<i64: 1, -1>}> : tensor<2x3xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5xf32>) -> tensor<f32> {
  // CHECK: cutset.count %{{.*}} <{axes = array<i64: 0>}> : tensor<4x5xf32>
  %n = cutset.count %x <{axes = array<i64: 0>}> : tensor<4x5xf32>
  return %n : tensor<f32>
}
// -----
func.func @c1_type(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %n = cutset.count %x : tensor<4xi32>
  return
}
// -----
func.func @c2_axis(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of [4]}}
  %n = cutset.count %x <{axes = array<i64: 1>}> : tensor<4xf32>
  return
}
// -----
func.func @c2_twice(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C2: axis 0 is named twice}}
  %n = cutset.count %x <{axes = array<i64: 0, 0>}> : tensor<4x5xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xi32>) -> tensor<4x10xf32> {
  // CHECK: cutset.one_hot %{{.*}} <{depth = 10 : i64, dtype = f32}>
  %y = cutset.one_hot %x <{depth = 10 : i64, dtype = f32}> : tensor<4xi32>
  return %y : tensor<4x10xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: labels are f32, not i32 or i64}}
  %y = cutset.one_hot %x <{depth = 10 : i64, dtype = f32}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xi32>) {
  // expected-error@+1 {{C2: depth is 0; it must be 1 or more}}
  %y = cutset.one_hot %x <{depth = 0 : i64, dtype = f32}> : tensor<4xi32>
  return
}
// -----
// CHECK-LABEL: @wide
func.func @wide(%x: tensor<4xi32>) -> tensor<4x3xf64> {
  %y = cutset.one_hot %x <{depth = 3 : i64, dtype = f64}> : tensor<4xi32>
  return %y : tensor<4x3xf64>
}
// -----
func.func @c3(%x: tensor<4xi32>) {
  // expected-error@+1 {{C3: dtype is i32, not a floating-point type}}
  %y = cutset.one_hot %x <{depth = 10 : i64, dtype = i32}> : tensor<4xi32>
  return
}

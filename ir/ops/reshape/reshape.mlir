// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5x2xf32>) -> (tensor<4x10xf32>, tensor<4x5x2xf32>) {
  // CHECK: cutset.reshape
  %a = cutset.reshape %x <{shape = array<i64: 0, -1>}> : tensor<4x5x2xf32>
  %b = cutset.reshape_like %a, %x : tensor<4x10xf32>, tensor<4x5x2xf32>
  return %a, %b : tensor<4x10xf32>, tensor<4x5x2xf32>
}
// -----
func.func @c1(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: cannot reshape [4, 5] to [-1, -1]}}
  %a = cutset.reshape %x <{shape = array<i64: -1, -1>}> : tensor<4x5xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C2: 20 elements of [4, 5] do not fit the shape [3, -1]}}
  %a = cutset.reshape %x <{shape = array<i64: 3, -1>}> : tensor<4x5xf32>
  return
}
// -----
func.func @like_c1(%x: tensor<4x5xf32>, %y: tensor<7xf32>) {
  // expected-error@+1 {{C1: 4x5xf32 and 7xf32 differ in their number of elements}}
  %a = cutset.reshape_like %x, %y : tensor<4x5xf32>, tensor<7xf32>
  return
}

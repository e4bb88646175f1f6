// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5xf32>, %c: tensor<i1>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  // CHECK: cutset.detach %arg0 : tensor<4x5xf32>
  %a = cutset.detach %x : tensor<4x5xf32>
  // CHECK: cutset.detach %arg0, %arg1 : tensor<4x5xf32>, tensor<i1>
  %b = cutset.detach %x, %c : tensor<4x5xf32>, tensor<i1>
  return %a, %b : tensor<4x5xf32>, tensor<4x5xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>, %c: tensor<f32>) {
  // expected-error@+1 {{C1: unless is f32, not i1}}
  %y = cutset.detach %x, %c : tensor<4xf32>, tensor<f32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %c: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: unless is 2x4xi1, which does not broadcast to 4xf32}}
  %y = cutset.detach %x, %c : tensor<4xf32>, tensor<2x4xi1>
  return
}

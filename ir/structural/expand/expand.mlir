// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4xf32>, %y: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: cutset.expand %{{.*}}, %{{.*}} <{axes = array<i64: 1>}> : tensor<2x4xf32>, tensor<2x3x4xf32>
  %z = cutset.expand %x, %y <{axes = array<i64: 1>}> : tensor<2x4xf32>, tensor<2x3x4xf32>
  return %z : tensor<2x3x4xf32>
}
// -----
func.func @c1_axis(%x: tensor<4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: axis 2 is not a dimension of [4, 5]}}
  %s = cutset.expand %x, %y <{axes = array<i64: 2>}> : tensor<4xf32>, tensor<4x5xf32>
  return
}
// -----
func.func @c1_rank(%x: tensor<4x5xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: the rank of [4, 5] with 1 inserted dimensions is above the rank of [4, 5]}}
  %s = cutset.expand %x, %y <{axes = array<i64: 0>}> : tensor<4x5xf32>, tensor<4x5xf32>
  return
}
// -----
func.func @c2(%x: tensor<3xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{C2: [3] does not expand to [4, 5]}}
  %s = cutset.expand %x, %y : tensor<3xf32>, tensor<4x5xf32>
  return
}

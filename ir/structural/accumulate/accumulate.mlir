// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%s: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: cutset.accumulate %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>
  %t = cutset.accumulate %s, %x : tensor<4xf32>, tensor<4xf32>
  return %t : tensor<4xf32>
}
// -----
func.func @c1_shape(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error@+1 {{C1: sum 4xf32 and value 5xf32 must have the same numeric type and shape}}
  %s = cutset.accumulate %x, %y : tensor<4xf32>, tensor<5xf32>
  return
}
// -----
func.func @c1_type(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: sum 4xi1 and value}}
  %s = cutset.accumulate %x, %x : tensor<4xi1>, tensor<4xi1>
  return
}

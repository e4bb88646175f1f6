// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<6x5xf32>, %i: tensor<3x7xi32>, %u: tensor<3x7xf32>) -> tensor<6x5xf32> {
  // CHECK: cutset.scatter_elements %{{.*}}, %{{.*}}, %{{.*}} <{axis = 1 : i64, reduction = "max"}>
  %y = cutset.scatter_elements %x, %i, %u <{axis = 1 : i64, reduction = "max"}> : tensor<6x5xf32>, tensor<3x7xi32>, tensor<3x7xf32>
  return %y : tensor<6x5xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>, %i: tensor<2xf32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{C1: the indices have type f32; they must have type i32 or i64}}
  %y = cutset.scatter_elements %x, %i, %u : tensor<4xf32>, tensor<2xf32>, tensor<2xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<2xf32>) {
  // expected-error@+1 {{C2: axis -2 is not a dimension of 4xf32}}
  %y = cutset.scatter_elements %x, %i, %u <{axis = -2 : i64}> : tensor<4xf32>, tensor<2xi32>, tensor<2xf32>
  return
}
// -----
func.func @c3(%x: tensor<4x3xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4xf32>) {
  // expected-error@+1 {{C3: the indices are 2x4xi32, which has another rank than data, 4x3xf32, or is larger along a dimension other than axis 0}}
  %y = cutset.scatter_elements %x, %i, %u : tensor<4x3xf32>, tensor<2x4xi32>, tensor<2x4xf32>
  return
}
// -----
func.func @c4(%x: tensor<4xf32>, %i: tensor<2xi32>, %u: tensor<3xf32>) {
  // expected-error@+1 {{C4: the updates are 3xf32, not 2xf32}}
  %y = cutset.scatter_elements %x, %i, %u : tensor<4xf32>, tensor<2xi32>, tensor<3xf32>
  return
}
// -----
func.func @c5(%x: tensor<4xi1>, %i: tensor<2xi32>, %u: tensor<2xi1>) {
  // expected-error@+1 {{C5: the reduction mul needs a numeric type, not i1}}
  %y = cutset.scatter_elements %x, %i, %u <{reduction = "mul"}> : tensor<4xi1>, tensor<2xi32>, tensor<2xi1>
  return
}

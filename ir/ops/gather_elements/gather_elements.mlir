// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<6x5x4xi8>, %i: tensor<3x7x2xi32>) -> tensor<3x7x2xi8> {
  // CHECK: cutset.gather_elements %{{.*}}, %{{.*}} <{axis = 1 : i64}> : tensor<6x5x4xi8>, tensor<3x7x2xi32>
  %y = cutset.gather_elements %x, %i <{axis = 1 : i64}> : tensor<6x5x4xi8>, tensor<3x7x2xi32>
  return %y : tensor<3x7x2xi8>
}
// -----
func.func @c1(%x: tensor<4xf32>, %i: tensor<2xf32>) {
  // expected-error@+1 {{C1: the indices have type f32; they must have type i32 or i64}}
  %y = cutset.gather_elements %x, %i : tensor<4xf32>, tensor<2xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %i: tensor<2xi32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of 4xf32}}
  %y = cutset.gather_elements %x, %i <{axis = 1 : i64}> : tensor<4xf32>, tensor<2xi32>
  return
}
// -----
func.func @c3_rank(%x: tensor<4xf32>, %i: tensor<2x1xi32>) {
  // expected-error@+1 {{C3: the indices are 2x1xi32, which has another rank than data, 4xf32, or is larger along}}
  %y = cutset.gather_elements %x, %i : tensor<4xf32>, tensor<2x1xi32>
  return
}
// -----
func.func @c3_size(%x: tensor<4x3xf32>, %i: tensor<2x4xi32>) {
  // expected-error@+1 {{C3: the indices are 2x4xi32, which has another rank than data, 4x3xf32, or is larger along a dimension other than axis 0}}
  %y = cutset.gather_elements %x, %i : tensor<4x3xf32>, tensor<2x4xi32>
  return
}

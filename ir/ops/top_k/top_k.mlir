// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<6x5xi8>) -> (tensor<2x5xi8>, tensor<2x5xi64>) {
  // CHECK: %{{.*}}, %{{.*}} = cutset.top_k %{{.*}} <{axis = 0 : i64, k = 2 : i64, largest = false}> : tensor<6x5xi8>
  %v, %i = cutset.top_k %x <{axis = 0 : i64, k = 2 : i64, largest = false}> : tensor<6x5xi8>
  return %v, %i : tensor<2x5xi8>, tensor<2x5xi64>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of 4xf32}}
  %v, %i = cutset.top_k %x <{axis = 1 : i64, k = 2 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: k is 5; it must be from 0 to 4, the size of axis -1 of 3x4xf32}}
  %v, %i = cutset.top_k %x <{k = 5 : i64}> : tensor<3x4xf32>
  return
}
// -----
func.func @c2_negative(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: k is -1; it must be from 0 to 4}}
  %v, %i = cutset.top_k %x <{k = -1 : i64}> : tensor<3x4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<61x3xf32>) -> (tensor<17x3xf32>, tensor<61x2xf32>) {
  // CHECK: cutset.slice %{{.*}} <{axis = 0 : i64, length = 17 : i64, start = 44 : i64}>
  %y = cutset.slice %x <{axis = 0 : i64, start = 44 : i64, length = 17 : i64}> : tensor<61x3xf32>
  // CHECK: cutset.slice %{{.*}} <{axis = -1 : i64, start = 1 : i64}>
  %z = cutset.slice %x <{axis = -1 : i64, start = 1 : i64}> : tensor<61x3xf32>
  return %y, %z : tensor<17x3xf32>, tensor<61x2xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of [4]}}
  %y = cutset.slice %x <{axis = 1 : i64, start = 0 : i64, length = 1 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c1_negative(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis -2 is not a dimension of [4]}}
  %y = cutset.slice %x <{axis = -2 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: start 3 and length 2 are out of range for axis 0 of [4], which has 4 rows}}
  %y = cutset.slice %x <{axis = 0 : i64, start = 3 : i64, length = 2 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2_start(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: start 5 and length -1 are out of range for axis 0 of [4], which has 4 rows}}
  %y = cutset.slice %x <{axis = 0 : i64, start = 5 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2_length(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: start 0 and length -2 are out of range for axis 0 of [4], which has 4 rows}}
  %y = cutset.slice %x <{axis = 0 : i64, length = -2 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c3(%x: tensor<4xf32>) {
  // expected-error@+1 {{C3: rows_per_sample is -1, which is negative}}
  %y = cutset.slice %x <{axis = 0 : i64, rows_per_sample = -1 : i64}> : tensor<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<44x3xf32>, %y: tensor<17x3xf32>) -> (tensor<61x3xf32>, tensor<44x6xf32>) {
  // CHECK: cutset.concat %{{.*}}, %{{.*}} <{axis = 0 : i64}>
  %z = cutset.concat %x, %y <{axis = 0 : i64}> : tensor<44x3xf32>, tensor<17x3xf32>
  // CHECK: cutset.concat %{{.*}}, %{{.*}} <{axis = -1 : i64}>
  %w = cutset.concat %x, %x <{axis = -1 : i64}> : tensor<44x3xf32>, tensor<44x3xf32>
  return %z, %w : tensor<61x3xf32>, tensor<44x6xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: axis 1 is not a dimension of 4xf32}}
  %y = cutset.concat %x <{axis = 1 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c1_none() {
  // expected-error@+2 {{'concat' takes one or more operands, not 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %y = "cutset.concat"() <{axis = 0 : i64}> : () -> tensor<4xf32>
  return
}
// -----
func.func @c2(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: 4x2xf32 and 4x3xf32 differ in more than the size of axis 0}}
  %z = cutset.concat %x, %y <{axis = 0 : i64}> : tensor<4x2xf32>, tensor<4x3xf32>
  return
}
// -----
func.func @c2_type(%x: tensor<4x2xf32>, %y: tensor<4x2xi32>) {
  // expected-error@+1 {{C2: 4x2xf32 and 4x2xi32 differ in more than the size of axis 0}}
  %z = cutset.concat %x, %y <{axis = 0 : i64}> : tensor<4x2xf32>, tensor<4x2xi32>
  return
}

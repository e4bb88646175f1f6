// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5x6xf32>, %v: tensor<3xf64>) -> (tensor<4x5x6xf32>, tensor<3xf64>, tensor<4x5x6xf32>, tensor<3xf64>) {
  // CHECK: cutset.softmax %{{.*}} <{axis = 1 : i64}>
  %a = cutset.softmax %x <{axis = 1 : i64}> : tensor<4x5x6xf32>
  // CHECK: cutset.log_softmax
  %b = cutset.log_softmax %v : tensor<3xf64>
  // CHECK: cutset.softmax_backward
  %c = cutset.softmax_backward %x, %a <{axis = -2 : i64}> : tensor<4x5x6xf32>, tensor<4x5x6xf32>
  // CHECK: cutset.log_softmax_backward
  %d = cutset.log_softmax_backward %v, %b : tensor<3xf64>, tensor<3xf64>
  return %a, %b, %c, %d : tensor<4x5x6xf32>, tensor<3xf64>, tensor<4x5x6xf32>, tensor<3xf64>
}
// -----
func.func @c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %a = cutset.softmax %x : tensor<4xi32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of [4]}}
  %a = cutset.log_softmax %x <{axis = 1 : i64}> : tensor<4xf32>
  return
}
// -----
func.func @c2_of_a_scalar(%x: tensor<f32>) {
  // expected-error@+1 {{C2: axis -1 is not a dimension of []}}
  %a = cutset.softmax %x : tensor<f32>
  return
}
// -----
func.func @c3(%g: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{C3: the gradient is 4x2xf32, but y is 4x3xf32}}
  %a = cutset.softmax_backward %g, %y : tensor<4x2xf32>, tensor<4x3xf32>
  return
}

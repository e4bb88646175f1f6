// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x1x3xf32>, %y: tensor<2x1xf32>, %i: tensor<3xi32>) -> (tensor<4x2x3xf32>, tensor<4x2x3xi1>, tensor<4x2x3xf32>, tensor<3xi32>) {
  // CHECK: cutset.add
  %a = cutset.add %x, %y : tensor<4x1x3xf32>, tensor<2x1xf32>
  // CHECK: cutset.greater
  %c = cutset.greater %a, %x : tensor<4x2x3xf32>, tensor<4x1x3xf32>
  // CHECK: cutset.where
  %s = cutset.where %c, %x, %y : tensor<4x2x3xi1>, tensor<4x1x3xf32>, tensor<2x1xf32>
  %m = cutset.mul %i, %i : tensor<3xi32>, tensor<3xi32>
  return %a, %c, %s, %m : tensor<4x2x3xf32>, tensor<4x2x3xi1>, tensor<4x2x3xf32>, tensor<3xi32>
}
// -----
func.func @unary_c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %y = cutset.tanh %x : tensor<4xi32>
  return
}
// -----
func.func @binary_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{C1: element types f32 and f64 differ}}
  %z = cutset.sub %x, %y : tensor<4xf32>, tensor<4xf64>
  return
}
// -----
func.func @binary_c2(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C2: shapes [4] and [3] do not broadcast: 4 against 3}}
  %z = cutset.maximum %x, %y : tensor<4xf32>, tensor<3xf32>
  return
}
// -----
func.func @sigmoid_of_integers(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %z = cutset.sigmoid_backward %x, %x : tensor<4xi32>, tensor<4xi32>
  return
}
// -----
func.func @numeric_unary_c1(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: needs a numeric type, not i1}}
  %y = cutset.abs %x : tensor<4xi1>
  return
}
// -----
func.func @bitwise_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: needs an integer type or i1, not f32}}
  %z = cutset.bitwise_and %x, %x : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @bitwise_not_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: needs an integer type or i1, not f32}}
  %y = cutset.bitwise_not %x : tensor<4xf32>
  return
}
// -----
func.func @shift_c1(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: needs an integer type, not i1}}
  %z = cutset.shift_left %x, %x : tensor<4xi1>, tensor<4xi1>
  return
}
// -----
func.func @where_c1(%c: tensor<4xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{C1: the condition is f32, not i1}}
  %z = cutset.where %c, %x, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

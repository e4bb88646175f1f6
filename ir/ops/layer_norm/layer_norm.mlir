// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5x6xf32>, %s: tensor<6xf32>, %t: tensor<5x6xf32>) -> (tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x6xf32>) {
  // CHECK: cutset.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x5x6xf32>, tensor<6xf32>, tensor<6xf32>
  %a = cutset.layer_norm %x, %s, %s : tensor<4x5x6xf32>, tensor<6xf32>, tensor<6xf32>
  %b = cutset.layer_norm %x, %t <{axis = 1 : i64, epsilon = 1.0e-3 : f64}> : tensor<4x5x6xf32>, tensor<5x6xf32>
  // CHECK: cutset.layer_norm_backward_input
  %c = cutset.layer_norm_backward_input %a, %x, %s : tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<6xf32>
  // CHECK: cutset.layer_norm_backward_scale
  %d = cutset.layer_norm_backward_scale %a, %x <{axis = 1 : i64}> : tensor<4x5x6xf32>, tensor<4x5x6xf32>
  return %a, %b, %c, %d : tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<4x5x6xf32>, tensor<5x6xf32>
}
// -----
func.func @c1(%x: tensor<4xi32>, %s: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %a = cutset.layer_norm %x, %s : tensor<4xi32>, tensor<4xi32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of [4]}}
  %a = cutset.layer_norm %x, %s <{axis = 1 : i64}> : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @c3_scale(%x: tensor<4x5xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{C3: the scale is 4xf32, not 5xf32}}
  %a = cutset.layer_norm %x, %s : tensor<4x5xf32>, tensor<4xf32>
  return
}
// -----
func.func @c3_bias(%x: tensor<4x5xf32>, %s: tensor<5xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{C3: the bias is 4xf32, not 5xf32}}
  %a = cutset.layer_norm %x, %s, %b : tensor<4x5xf32>, tensor<5xf32>, tensor<4xf32>
  return
}
// -----
func.func @c4(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{C4: epsilon is -1.000000}}
  %a = cutset.layer_norm %x, %s <{epsilon = -1.0 : f64}> : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @c4_nan(%x: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error@+1 {{C4: epsilon is nan}}
  %a = cutset.layer_norm %x, %s <{epsilon = 0x7FF8000000000000 : f64}> : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @c5(%g: tensor<3xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{C5: the gradient is 3xf32, not 4xf32}}
  %a = cutset.layer_norm_backward_scale %g, %x : tensor<3xf32>, tensor<4xf32>
  return
}

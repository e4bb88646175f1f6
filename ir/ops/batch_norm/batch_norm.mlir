// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x3x5x6xf32>, %c: tensor<3xf32>) -> (tensor<4x3x5x6xf32>, tensor<3xf32>, tensor<3xf32>) {
  // CHECK: cutset.batch_norm %{{.*}} <{epsilon = 1.000000e-03 : f64}>
  %a = cutset.batch_norm %x, %c, %c, %c, %c <{epsilon = 1.0e-3 : f64}> : tensor<4x3x5x6xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  // CHECK: cutset.batch_norm_backward_scale
  %b = cutset.batch_norm_backward_scale %a, %x, %c, %c : tensor<4x3x5x6xf32>, tensor<4x3x5x6xf32>, tensor<3xf32>, tensor<3xf32>
  // CHECK: cutset.sum_squared_deviations
  %d = cutset.sum_squared_deviations %x, %c : tensor<4x3x5x6xf32>, tensor<3xf32>
  return %a, %b, %d : tensor<4x3x5x6xf32>, tensor<3xf32>, tensor<3xf32>
}
// -----
func.func @c1(%x: tensor<4xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{C1: x is 4xf32; it must have rank 2 or more}}
  %a = cutset.sum_squared_deviations %x, %c : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @c1_of_integers(%x: tensor<4x3xi32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{C1: x is 4x3xi32}}
  %a = cutset.sum_squared_deviations %x, %c : tensor<4x3xi32>, tensor<3xi32>
  return
}
// -----
func.func @c2(%x: tensor<4x3xf32>, %c: tensor<3xf32>, %v: tensor<4xf32>) {
  // expected-error@+1 {{C2: the variance is 4xf32, not 3xf32}}
  %a = cutset.batch_norm %x, %c, %c, %c, %v : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4xf32>
  return
}
// -----
func.func @c2_mean(%x: tensor<4x3xf32>, %c: tensor<3xf64>) {
  // expected-error@+1 {{C2: the mean is 3xf64, not 3xf32}}
  %a = cutset.sum_squared_deviations %x, %c : tensor<4x3xf32>, tensor<3xf64>
  return
}
// -----
func.func @c3(%x: tensor<4x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{C3: epsilon is -0.100000}}
  %a = cutset.batch_norm %x, %c, %c, %c, %c <{epsilon = -0.1 : f64}> : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}
// -----
func.func @c4(%g: tensor<2x3xf32>, %x: tensor<4x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{C4: the gradient is 2x3xf32, not 4x3xf32}}
  %a = cutset.batch_norm_backward_scale %g, %x, %c, %c : tensor<2x3xf32>, tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
  return
}

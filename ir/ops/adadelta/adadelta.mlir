// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @adadelta
func.func @adadelta(%w: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: = cutset.adadelta
  %r:3 = cutset.adadelta %w, %w, %w, %w, %s, %s, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %r#0 : tensor<4xf32>
}
// -----
func.func @c1(%w: tensor<4xf32>, %b: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{C1: square_step_mean is 3xf32; it must have the type of the variable, 4xf32}}
  %r:3 = cutset.adadelta %w, %w, %b, %w, %s, %s, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @c2(%w: tensor<4xf32>, %s: tensor<f32>, %d: tensor<f64>) {
  // expected-error@+1 {{C2: rho is f64; it must be a scalar of the element type of the variable, f32}}
  %r:3 = cutset.adadelta %w, %w, %w, %w, %s, %d, %s, %s : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f64>, tensor<f32>, tensor<f32>
  return
}

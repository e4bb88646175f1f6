// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @decayed_sgd
func.func @decayed_sgd(%w: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: = cutset.decayed_sgd {{.*}} <{nesterov = true}>
  %r:3 = cutset.decayed_sgd %w, %w, %s, %w, %s, %s, %s, %s <{nesterov = true}> : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return %r#0 : tensor<4xf32>
}
// -----
func.func @c1(%w: tensor<4xf32>, %b: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{C1: velocity is 3xf32; it must have the type of the variable, 4xf32}}
  %r:3 = cutset.decayed_sgd %w, %b, %s, %w, %s, %s, %s, %s : tensor<4xf32>, tensor<3xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @integers(%w: tensor<4xi32>, %s: tensor<f32>) {
  // expected-error@+1 {{C1: the variable is 4xi32; it must have a floating-point type}}
  %r:3 = cutset.decayed_sgd %w, %w, %s, %w, %s, %s, %s, %s : tensor<4xi32>, tensor<4xi32>, tensor<f32>, tensor<4xi32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @c2(%w: tensor<4xf32>, %s: tensor<f32>, %d: tensor<f64>) {
  // expected-error@+1 {{C2: weight_decay is f64; it must be a scalar of the element type of the variable, f32}}
  %r:3 = cutset.decayed_sgd %w, %w, %s, %w, %s, %s, %s, %d : tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f64>
  return
}

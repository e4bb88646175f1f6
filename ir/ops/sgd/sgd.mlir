// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%w: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %r: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = cutset.sgd
  %a, %b = cutset.sgd %w, %v, %g, %r, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @c1(%w: tensor<4xf32>, %v: tensor<3xf32>, %r: tensor<f32>) {
  // expected-error@+1 {{C1: velocity is 3xf32; it must have the type of the variable, 4xf32}}
  %a, %b = cutset.sgd %w, %v, %w, %r, %r : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @c2(%w: tensor<4xf32>, %r: tensor<f32>, %m: tensor<f64>) {
  // expected-error@+1 {{C2: momentum is f64; it must be a scalar of the element type of the variable, f32}}
  %a, %b = cutset.sgd %w, %w, %w, %r, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f64>
  return
}
// -----
// The states and the hyper-parameters of a variable of 16-bit floats are f32; its gradient is either.
// CHECK-LABEL: @half
func.func @half(%w: tensor<4xbf16>, %v: tensor<4xf32>, %r: tensor<f32>) -> (tensor<4xbf16>, tensor<4xf32>) {
  // CHECK: cutset.sgd {{.*}} : tensor<4xbf16>, tensor<4xf32>, tensor<4xbf16>, tensor<f32>, tensor<f32>
  %a, %b = cutset.sgd %w, %v, %w, %r, %r : tensor<4xbf16>, tensor<4xf32>, tensor<4xbf16>, tensor<f32>, tensor<f32>
  // CHECK: cutset.sgd {{.*}} : tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  %c, %d = cutset.sgd %a, %b, %v, %r, %r : tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  return %c, %d : tensor<4xbf16>, tensor<4xf32>
}
// -----
func.func @half_state(%w: tensor<4xbf16>, %r: tensor<f32>) {
  // expected-error@+1 {{C1: velocity is 4xbf16; beside a variable of 4xbf16, it must be 4xf32}}
  %a, %b = cutset.sgd %w, %w, %w, %r, %r : tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @half_rate(%w: tensor<4xf16>, %v: tensor<4xf32>, %r: tensor<f32>, %m: tensor<f16>) {
  // expected-error@+1 {{C2: momentum is f16; beside a variable of 16-bit floats, it must be a scalar of f32}}
  %a, %b = cutset.sgd %w, %v, %w, %r, %m : tensor<4xf16>, tensor<4xf32>, tensor<4xf16>, tensor<f32>, tensor<f16>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%g: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: cutset.clip_gradient %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<f32>
  %a = cutset.clip_gradient %g, %s : tensor<4xf32>, tensor<f32>
  // CHECK: cutset.scale_gradient %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<f32>
  %b = cutset.scale_gradient %a, %s : tensor<4xf32>, tensor<f32>
  return %b : tensor<4xf32>
}
// -----
func.func @c1(%g: tensor<4xi32>, %s: tensor<i32>) {
  // expected-error@+1 {{C1: the gradient is 4xi32; it must have a floating-point type}}
  %a = cutset.clip_gradient %g, %s : tensor<4xi32>, tensor<i32>
  return
}
// -----
func.func @c2(%g: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{C2: the second operand is f64; it must be a scalar of the element type of the gradient, f32}}
  %a = cutset.scale_gradient %g, %s : tensor<4xf32>, tensor<f64>
  return
}
// -----
// 16-bit gradients become f32, so that a small factor does not make them 0.
// CHECK-LABEL: @half
func.func @half(%g: tensor<4xf16>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[A:.*]] = cutset.clip_gradient %{{.*}}, %{{.*}} : tensor<4xf16>, tensor<f32>
  %a = cutset.clip_gradient %g, %s : tensor<4xf16>, tensor<f32>
  %b = cutset.scale_gradient %g, %s : tensor<4xf16>, tensor<f32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @half_factor(%g: tensor<4xf16>, %s: tensor<f16>) {
  // expected-error@+1 {{C2: the second operand is f16; beside a gradient of 16-bit floats, it must be a scalar of f32}}
  %a = cutset.scale_gradient %g, %s : tensor<4xf16>, tensor<f16>
  return
}

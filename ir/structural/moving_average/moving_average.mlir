// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%a: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: cutset.moving_average %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  %b = cutset.moving_average %a, %a, %s : tensor<4xf32>, tensor<4xf32>, tensor<f32>
  return %b : tensor<4xf32>
}
// -----
func.func @c1(%a: tensor<4xf32>, %b: tensor<3xf32>, %s: tensor<f32>) {
  // expected-error@+1 {{C1: average 4xf32 and value 3xf32 must have the same floating-point type and shape, or, beside f16 or bf16, f32}}
  %c = cutset.moving_average %a, %b, %s : tensor<4xf32>, tensor<3xf32>, tensor<f32>
  return
}
// -----
func.func @c2(%a: tensor<4xf32>, %s: tensor<f64>) {
  // expected-error@+1 {{C2: decay is f64; it must be a scalar of the element type f32}}
  %c = cutset.moving_average %a, %a, %s : tensor<4xf32>, tensor<4xf32>, tensor<f64>
  return
}
// -----
// CHECK-LABEL: @half
func.func @half(%a: tensor<4xf32>, %w: tensor<4xbf16>, %s: tensor<f32>) -> tensor<4xf32> {
  // CHECK: cutset.moving_average %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xbf16>, tensor<f32>
  %b = cutset.moving_average %a, %w, %s : tensor<4xf32>, tensor<4xbf16>, tensor<f32>
  return %b : tensor<4xf32>
}
// -----
func.func @half_average(%a: tensor<4xbf16>, %s: tensor<f32>) {
  // expected-error@+1 {{C1: average 4xbf16 and value 4xbf16 must have}}
  %c = cutset.moving_average %a, %a, %s : tensor<4xbf16>, tensor<4xbf16>, tensor<f32>
  return
}

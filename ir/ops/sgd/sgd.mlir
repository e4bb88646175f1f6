// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%w: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>, %r: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = cutset.sgd
  %a, %b = cutset.sgd %w, %v, %g, %r, %r : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @c1(%w: tensor<4xf32>, %v: tensor<3xf32>, %r: tensor<f32>) {
  // expected-error@+1 {{C1: variable 4xf32, velocity 3xf32 and gradient 4xf32}}
  %a, %b = cutset.sgd %w, %v, %w, %r, %r : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>
  return
}
// -----
func.func @c2(%w: tensor<4xf32>, %r: tensor<f32>, %m: tensor<f64>) {
  // expected-error@+1 {{C2: learning_rate is f32 and momentum is f64; both must be scalars of the variable's element type f32}}
  %a, %b = cutset.sgd %w, %w, %w, %r, %m : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f64>
  return
}

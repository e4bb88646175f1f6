// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%w: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %{{.*}}, %{{.*}} = cutset.sgd
  %a, %b = cutset.sgd %w, %v, %g <{learning_rate = 0.1, momentum = 0.9}> : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @c1(%w: tensor<4xf32>, %v: tensor<3xf32>) {
  // expected-error@+1 {{C1: variable 4xf32, velocity 3xf32 and gradient 4xf32}}
  %a, %b = cutset.sgd %w, %v, %w <{learning_rate = 0.1}> : tensor<4xf32>, tensor<3xf32>, tensor<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x6xf32>, %i: tensor<5xi64>) -> (tensor<4x6xf32>, tensor<5xi64>, tensor<4x6xf32>) {
  // CHECK: cutset.cumsum %{{.*}} <{axis = 0 : i64, exclusive = true}> : tensor<4x6xf32>
  %a = cutset.cumsum %x <{axis = 0 : i64, exclusive = true}> : tensor<4x6xf32>
  // CHECK: cutset.cumprod %{{.*}} <{reverse = true}> : tensor<5xi64>
  %b = cutset.cumprod %i <{reverse = true}> : tensor<5xi64>
  // CHECK: cutset.cumprod_backward
  %c = cutset.cumprod_backward %a, %x : tensor<4x6xf32>, tensor<4x6xf32>
  return %a, %b, %c : tensor<4x6xf32>, tensor<5xi64>, tensor<4x6xf32>
}
// -----
func.func @c1(%x: tensor<4xi1>) {
  // expected-error@+1 {{C1: needs a numeric type, not i1}}
  %a = cutset.cumsum %x : tensor<4xi1>
  return
}
// -----
func.func @c1_backward(%g: tensor<4xi32>, %x: tensor<4xi32>) {
  // expected-error@+1 {{C1: x needs a floating-point type, not i32}}
  %a = cutset.cumprod_backward %g, %x : tensor<4xi32>, tensor<4xi32>
  return
}
// -----
func.func @c2(%x: tensor<f32>) {
  // expected-error@+1 {{C2: axis -1 is not a dimension of f32}}
  %a = cutset.cumprod %x : tensor<f32>
  return
}
// -----
func.func @c2_backward(%g: tensor<4xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{C2: axis 1 is not a dimension of 4xf32}}
  %a = cutset.cumprod_backward %g, %x <{axis = 1 : i64}> : tensor<4xf32>, tensor<4xf32>
  return
}
// -----
func.func @c3(%g: tensor<3xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{C3: the gradient is 3xf32, but x is 4xf32}}
  %a = cutset.cumprod_backward %g, %x : tensor<3xf32>, tensor<4xf32>
  return
}

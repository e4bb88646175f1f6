// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xf32>, %step: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: cutset.random_uniform
  %a = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>, tensor<i64>
  %b = cutset.random_normal %x, %step <{mean = 1.0, stddev = 2.0, seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>, tensor<i64>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @c1(%x: tensor<4xi32>, %step: tensor<i64>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %a = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64}> : tensor<4xi32>, tensor<i64>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>, %step: tensor<i64>) {
  // expected-error@+1 {{C2: parameters 2.000000 and 1.000000 do not describe a distribution: they must be finite, with low <= high or stddev >= 0}}
  %a = cutset.random_uniform %x, %step <{low = 2.0, high = 1.0, seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>, tensor<i64>
  return
}
// -----
func.func @c3(%x: tensor<4xf32>, %step: tensor<f32>) {
  // expected-error@+1 {{C3: the step is f32; it must be an i64 scalar}}
  %a = cutset.random_normal %x, %step <{seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>, tensor<f32>
  return
}
// -----
func.func @c4(%x: tensor<4xf32>, %step: tensor<i64>) {
  // expected-error@+1 {{C4: first_element is -1; it must not be negative}}
  %a = cutset.random_uniform %x, %step <{seed = 1 : i64, stream = 2 : i64, first_element = -1 : i64}> : tensor<4xf32>, tensor<i64>
  return
}

// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: cutset.random_uniform
  %a = cutset.random_uniform %x <{seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>
  %b = cutset.random_normal %x <{mean = 1.0, deviation = 2.0, seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// -----
func.func @c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %a = cutset.random_uniform %x <{seed = 1 : i64, stream = 2 : i64}> : tensor<4xi32>
  return
}
// -----
func.func @c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{do not describe a distribution}}
  %a = cutset.random_uniform %x <{low = 2.0, high = 1.0, seed = 1 : i64, stream = 2 : i64}> : tensor<4xf32>
  return
}

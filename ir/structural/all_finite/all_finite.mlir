// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%a: tensor<4xf32>, %b: tensor<2x3xf64>) -> tensor<i1> {
  // CHECK: cutset.all_finite {{.*}} : tensor<4xf32>, tensor<2x3xf64>
  %0 = cutset.all_finite %a, %b : tensor<4xf32>, tensor<2x3xf64>
  return %0 : tensor<i1>
}
// -----
func.func @c1(%a: tensor<4xi32>) {
  // expected-error@+1 {{C1: 4xi32 is not of a floating-point type}}
  %0 = cutset.all_finite %a : tensor<4xi32>
  return
}

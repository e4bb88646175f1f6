// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x3x4xi32>) -> tensor<2x3x4xi32> {
  // CHECK: cutset.trilu %{{.*}} <{diagonal = -1 : i64, upper = false}> : tensor<2x3x4xi32>
  %y = cutset.trilu %x <{diagonal = -1 : i64, upper = false}> : tensor<2x3x4xi32>
  return %y : tensor<2x3x4xi32>
}
// -----
func.func @c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{C1: x is 4xf32, which is not a matrix}}
  %y = cutset.trilu %x : tensor<4xf32>
  return
}

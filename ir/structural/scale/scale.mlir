// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK: cutset.scale %{{.*}} <{factor = 5.000000e-01 : f64}> : tensor<2x4xf32>
  %z = cutset.scale %x <{factor = 0.5}> : tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}
// -----
func.func @c1(%x: tensor<4xi32>) {
  // expected-error@+1 {{C1: needs a floating-point type, not i32}}
  %z = cutset.scale %x <{factor = 0.5}> : tensor<4xi32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @types
func.func @types(%x: tensor<4x5xf32>, %y: tensor<4x1xf32>) -> tensor<4x1xf32> {
  // CHECK: cutset.sum_to_size %{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<4x1xf32>
  %z = cutset.sum_to_size %x, %y : tensor<4x5xf32>, tensor<4x1xf32>
  return %z : tensor<4x1xf32>
}
// -----
func.func @c1(%x: tensor<4x5xf32>, %y: tensor<5xf64>) {
  // expected-error@+1 {{C1: 4x5xf32 and 5xf64 do not have the same floating-point type}}
  %s = cutset.sum_to_size %x, %y : tensor<4x5xf32>, tensor<5xf64>
  return
}
// -----
func.func @c2(%x: tensor<4x5xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: [4] does not broadcast to [4, 5]}}
  %s = cutset.sum_to_size %x, %y : tensor<4x5xf32>, tensor<4xf32>
  return
}

// SPDX-License-Identifier: Apache-2.0
// RUN: cutset-opt %s --canonicalise | FileCheck %s

// An unused op is erased, equal constants are not merged, and placements are kept.
// CHECK-LABEL: @f
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>) {
  // CHECK-COUNT-2: cutset.constant
  // CHECK-NOT: cutset.neg
  // CHECK: cutset.relu {{.*}} on "cpu:0" because "user" id 3
  %a = cutset.constant dense<1.0> : tensor<f32>
  %b = cutset.constant dense<1.0> : tensor<f32>
  %dead = cutset.neg %x on "cpu:0" because "user" id 2 : tensor<4xf32>
  %r = cutset.relu %x on "cpu:0" because "user" id 3 : tensor<4xf32>
  return %r, %a, %b : tensor<4xf32>, tensor<f32>, tensor<f32>
}
